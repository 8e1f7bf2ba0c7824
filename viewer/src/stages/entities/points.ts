// The positions of all entities at the playhead.

import { short, withUnit } from "../../format.js";
import { obtain } from "../../lists.js";
import type { Rows, View } from "../../model.js";
import { lerp, rowOf } from "../shared/motion.js";
import type { Layer } from "./columns.js";

export interface Bounds {
  readonly least: [x: number, y: number, z: number];
  readonly most: [x: number, y: number, z: number];
}

/** A part of the whole extent: an entity that moves further in one step was put there, and did not move. */
const JUMP = 1 / 8;

/** The longest side of the extent; 0 where there is nothing. */
export function size({ least, most }: Bounds): number {
  return Math.max(0, most[0] - least[0], most[1] - least[1], most[2] - least[2]);
}

/** The most points that have names, on a map and in space; more names would cover each other. */
export const NAMED = 60;
export const NAMED_DEEP = 40;
/** The most points whose trails are shown; more could not be told apart. */
export const TRACED = 100;
/** The length of a trail in milliseconds (or steps). */
const WAY = 1500;

export class Points {
  count = 0;
  /** Three numbers a point: x, y, z. */
  at = new Float64Array(0);
  ids = new Int32Array(0);
  rows = new Int32Array(0);
  layer = new Int32Array(0);
  /** The earlier positions of each point, where they are shown. */
  ways: readonly (readonly (readonly number[])[])[] = [];
  /** Everything that has been seen so far lies within. */
  readonly bounds: Bounds = { least: [Infinity, Infinity, Infinity], most: [-Infinity, -Infinity, -Infinity] };
  private readonly layers: readonly Layer[];

  constructor(layers: readonly Layer[]) {
    this.layers = layers;
  }

  /** Takes the positions at the playhead; with `ways`, also the earlier ones. */
  update(view: View, ways: boolean): void {
    this.count = 0;
    this.layers.forEach((layer, number) => this.updateLayer(view, layer, number));
    this.ways =
      ways && this.count <= TRACED ? Array.from({ length: this.count }, (_, point) => this.way(view, point)) : [];
  }

  /** The places where a point was, oldest first. */
  private way(view: View, point: number): readonly (readonly number[])[] {
    const layer = this.layers[this.layer[point] ?? -1];
    if (layer === undefined) {
      return [];
    }
    const { x, y, z } = layer.place;
    const way = view.trail(layer.def.name, this.ids[point] ?? -1, z < 0 ? [x, y] : [x, y, z], WAY);
    for (const place of way) {
      this.widen(place, 0);
    }
    return way;
  }

  private room(count: number): void {
    if (this.ids.length >= count) {
      return;
    }
    const grown = <T extends Float64Array | Int32Array>(old: T, made: T): T => {
      made.set(old as never);
      return made;
    };
    this.at = grown(this.at, new Float64Array(6 * count));
    this.ids = grown(this.ids, new Int32Array(2 * count));
    this.rows = grown(this.rows, new Int32Array(2 * count));
    this.layer = grown(this.layer, new Int32Array(2 * count));
  }

  private updateLayer(view: View, { def, place }: Layer, number: number): void {
    const rows = view.before.rows(def.name);
    if (rows === undefined) {
      return;
    }
    const next = view.after?.rows(def.name);
    this.room(this.count + rows.length);
    const columns = [place.x, place.y, place.z];
    const far = size(this.bounds) * JUMP;
    for (let row = 0; row < rows.length; row++) {
      const [x, y] = [rows.number(row, place.x), rows.number(row, place.y)];
      if (!Number.isFinite(x) || !Number.isFinite(y)) {
        continue;
      }
      const nextRow = next === undefined ? -1 : rowOf(next, rows.id(row), row);
      const base = 3 * this.count;
      let moved = 0;
      for (let axis = 0; axis < 3; axis++) {
        const column = columns[axis] ?? -1;
        const value = column < 0 ? 0 : rows.number(row, column);
        this.at[base + axis] = Number.isFinite(value) ? value : 0;
        if (next !== undefined && nextRow >= 0 && column >= 0) {
          moved = Math.max(moved, Math.abs(next.number(nextRow, column) - value));
        }
      }
      if (next !== undefined && nextRow >= 0 && moved > 0 && !(moved > far && far > 0)) {
        for (let axis = 0; axis < 3; axis++) {
          const column = columns[axis] ?? -1;
          if (column >= 0) {
            this.at[base + axis] = lerp(this.at[base + axis] ?? 0, next.number(nextRow, column), view.mix);
          }
        }
      }
      this.ids[this.count] = rows.id(row);
      this.rows[this.count] = row;
      this.layer[this.count] = number;
      this.widen(this.at, base);
      this.count += 1;
    }
  }

  private widen(places: ArrayLike<number>, base: number): void {
    const { least, most } = this.bounds;
    for (let axis = 0; axis < 3; axis++) {
      const value = places[base + axis] ?? 0;
      if (!Number.isFinite(value)) {
        continue;
      }
      const way = axis as 0 | 1 | 2;
      least[way] = Math.min(least[way], value);
      most[way] = Math.max(most[way], value);
    }
  }

  /** The table of a point, and its row there. */
  private rowOf(view: View, point: number): { layer: Layer; rows: Rows; row: number } | undefined {
    const layer = this.layers[this.layer[point] ?? -1];
    const rows = layer === undefined ? undefined : view.before.rows(layer.def.name);
    return layer === undefined || rows === undefined ? undefined : { layer, rows, row: this.rows[point] ?? 0 };
  }

  /** The name of a point. */
  name(view: View, point: number): string {
    const found = this.rowOf(view, point);
    if (found === undefined) {
      return "";
    }
    const { layer, rows, row } = found;
    const named = layer.name < 0 ? null : rows.value(row, layer.name);
    if (named !== null && named !== "") {
      return String(named);
    }
    const keys = layer.def.columns.flatMap((column, at) => (column.key ? [String(rows.value(row, at) ?? "")] : []));
    return keys.length === 0 ? layer.def.name : keys.join(", ");
  }

  /** The number of a point's colour: the same for the same kind. */
  kind(view: View, point: number, kinds: Map<string, number>): number {
    const found = this.rowOf(view, point);
    if (found === undefined || found.layer.kind < 0) {
      // One table without kinds: everything has a colour of its own.
      return this.layers.length > 1 ? (this.layer[point] ?? 0) : (this.ids[point] ?? 0);
    }
    const text = String(found.rows.value(found.row, found.layer.kind) ?? "");
    return obtain(kinds, text, () => kinds.size);
  }

  /** A point in words: its name, its place, and what else its row says. */
  words(view: View, point: number, most: number): string {
    const found = this.rowOf(view, point);
    if (found === undefined) {
      return "";
    }
    const { layer, rows, row } = found;
    const said = layer.def.columns.flatMap(({ key, name, unit }, at) => {
      const value = key || at === layer.name ? null : rows.value(row, at);
      if (value === null || value === "") {
        return [];
      }
      return [withUnit(`${name} ${typeof value === "number" ? short(value) : String(value)}`, unit)];
    });
    const rest = said.length > most ? [...said.slice(0, most), "…"] : said;
    return `${layer.def.name} ${this.name(view, point)}: ${rest.join(", ")}`;
  }
}
