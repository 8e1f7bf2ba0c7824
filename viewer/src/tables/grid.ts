// Puts the cells of a grid together from tiles.

import { obtain, product } from "../lists.js";
import type { Grid, TableDef, Value } from "../model.js";
import { Damaged } from "../source/check.js";
import type { Schema, Snapshot } from "../wire/index.js";
import { type At, fieldAt, slotOf } from "./coding.js";
import type { Table } from "../source/description.js";
import type { Labels } from "./labels.js";
import { type CodedColumn, codedColumns, textOr } from "./rows.js";

/** The most cells that are laid out. */
const MOST_CELLS = 1 << 24;
/** States that are kept laid out: before, after, and those beside. */
const KEPT = 4;

type Tiles = Extract<Table["stored"], { as: "tiles" }>;

/** The coordinate of a cell along a key. */
export function coordinate(
  { shape, origin }: { readonly shape: readonly number[]; readonly origin: readonly number[] },
  cell: number,
  key: number,
): number {
  let rest = cell;
  for (let at = shape.length - 1; at > key; at -= 1) {
    rest = Math.floor(rest / shape[at]!);
  }
  return origin[key]! + (rest % shape[key]!);
}

/** A grid of a recording: makes cells from states, and the same cells from equal states. */
export class GridPlan {
  readonly def: TableDef;
  readonly columns: readonly CodedColumn[];
  readonly stored: Tiles;
  readonly stated: At;
  readonly shape: readonly number[];
  readonly cells: number;
  /** Cells of a tile. */
  readonly within: number;
  /** Slots of a tile, and where in them each component begins. */
  readonly slots: number;
  readonly starts: Float64Array;
  private readonly maskHigh: number;
  private readonly maskLow: number;
  private readonly first: number;
  private readonly labels: Labels;
  private readonly kept: TileGrid[] = [];
  private versions = 0;

  constructor(schema: Schema, table: Table, stored: Tiles, labels: Labels) {
    const { def } = table;
    this.def = def;
    this.stored = stored;
    this.labels = labels;
    this.columns = codedColumns(schema, table, labels);
    const keys = def.columns.filter(({ key }) => key).length;
    this.within = product(stored.edges);
    this.shape = def.shape;
    this.cells = product(def.shape);
    const places = stored.components.map((id) => schema.place(id));
    const sound =
      keys === stored.edges.length &&
      keys === stored.origin.length &&
      keys === def.shape.length &&
      this.within >= 1 &&
      places.length > 0 &&
      places.every((place) => schema.components[place]?.fields.length === this.within);
    if (!sound) {
      throw new Damaged(`the tiles of ${def.name} are not those of its packets`);
    }
    if (this.cells > MOST_CELLS) {
      throw new Damaged(`${def.name} has ${this.cells} cells, more than a page can lay out`);
    }
    this.stated = fieldAt(schema, stored.stated, `${def.name}`);
    let [high, low] = [0, 0];
    for (const place of places) {
      high |= place < 32 ? 0x8000_0000 >>> place : 0;
      low |= place < 32 ? 0 : 0x8000_0000 >>> (place - 32);
    }
    [this.maskHigh, this.maskLow] = [high >>> 0, low >>> 0];
    this.slots = schema.layout.slots(this.maskHigh, this.maskLow);
    this.starts = Float64Array.from(schema.components, (_, place) => {
      const start = schema.layout.offset(this.maskHigh, this.maskLow, place);
      return start < 0 ? NaN : start;
    });
    this.first = places[0]!;
  }

  /** The grid of a state. */
  of(state: Snapshot): TileGrid {
    const found = this.kept.findIndex((grid) => grid.holds(state));
    let grid = this.kept[found];
    if (grid === undefined) {
      grid = this.kept.length < KEPT ? new TileGrid(this, this.labels) : this.kept[this.kept.length - 1]!;
      this.versions += 1;
      grid.take(state, this.versions);
      if (!this.kept.includes(grid)) {
        this.kept.push(grid);
      }
    }
    // The latest is asked for first the next time.
    const at = this.kept.indexOf(grid);
    this.kept.copyWithin(1, 0, at);
    this.kept[0] = grid;
    return grid;
  }

  /** A function that reads the number of one cell, NaN where it has none, without laying out the others. */
  reader(cell: number, column: number): (state: Snapshot) => number {
    const { edges, origin } = this.stored;
    const of = this.columns[column];
    let [rest, number, step] = [cell, 0, 1];
    const tile = edges.map(() => 0);
    for (let key = edges.length - 1; key >= 0; key -= 1) {
      const place = rest % this.shape[key]!;
      rest = Math.floor(rest / this.shape[key]!);
      tile[key] = Math.floor(place / edges[key]!);
      number += (place % edges[key]!) * step;
      step *= edges[key]!;
    }
    const coding = of?.coding ?? null;
    if (coding === null || of!.texts !== null || rest > 0 || origin.length !== edges.length) {
      return () => NaN;
    }
    const stated = slotOf(this.stated, this.starts, number);
    let entity = -1;
    const find = (state: Snapshot): number => {
      for (let row = 0; row < state.length; row += 1) {
        const own = this.isTile(state, row) ? this.labels.tiles.get(state.ids[row]!) : undefined;
        if (own?.every((at, key) => at === tile[key]) === true) {
          entity = state.ids[row]!;
          return row;
        }
      }
      return -1;
    };
    return (state) => {
      const held = entity < 0 ? -1 : state.row(entity);
      const row = held < 0 ? find(state) : held;
      const start = row < 0 ? -1 : state.start(row);
      return start < 0 || state.slots[start + stated] === 0
        ? NaN
        : coding.number(state.slots, this.starts, start, number);
    };
  }

  /** Whether an entity of a state is a tile of this grid. */
  isTile(state: Snapshot, row: number): boolean {
    return state.masksHigh[row] === this.maskHigh && state.masksLow[row] === this.maskLow && state.has(row, this.first);
  }

  /** The numbers of a tile's cells among all cells; −1 beyond the shape. */
  cellsOf(tile: readonly number[]): Int32Array {
    const { within } = this;
    const { edges } = this.stored;
    const cells = new Int32Array(within);
    for (let number = 0; number < within; number += 1) {
      let [rest, at, step] = [number, 0, 1];
      for (let key = edges.length - 1; key >= 0; key -= 1) {
        const edge = edges[key]!;
        const place = (tile[key] ?? 0) * edge + (rest % edge);
        rest = Math.floor(rest / edge);
        at = place >= this.shape[key]! || at < 0 ? -1 : at + place * step;
        step *= this.shape[key]!;
      }
      cells[number] = at;
    }
    return cells;
  }
}

/** The cells of one state. */
class TileGrid implements Grid {
  readonly def: TableDef;
  readonly shape: readonly number[];
  readonly origin: readonly number[];
  version = 0;
  private readonly plan: GridPlan;
  private readonly labels: Labels;
  /** The entities that are tiles, their values one after the other. */
  private ids = new Uint32Array(0);
  private slots = new Float64Array(0);
  private tiles = 0;
  private readonly places = new Map<number, Int32Array>();
  /** The place of each cell's values: its tile times the cells of a tile, plus its number there; −1 without a row. */
  private where = new Int32Array(0);
  private located = false;
  private readonly made = new Map<number, { of: number; numbers: Float64Array }>();

  constructor(plan: GridPlan, labels: Labels) {
    this.plan = plan;
    this.labels = labels;
    this.def = plan.def;
    this.shape = plan.shape;
    this.origin = plan.stored.origin;
  }

  /** Whether the tiles of a state are the same as before. */
  holds(state: Snapshot): boolean {
    const { plan, ids, slots } = this;
    let [tile, at] = [0, 0];
    for (let row = 0; row < state.length; row += 1) {
      if (!plan.isTile(state, row)) {
        continue;
      }
      if (tile === this.tiles || ids[tile] !== state.ids[row]) {
        return false;
      }
      const end = state.ends[row]!;
      for (let slot = state.start(row); slot < end; slot += 1, at += 1) {
        if (slots[at] !== state.slots[slot]) {
          return false;
        }
      }
      tile += 1;
    }
    return tile === this.tiles && this.version > 0;
  }

  /** Copies the tiles of a state. */
  take(state: Snapshot, version: number): void {
    const { plan } = this;
    this.version = version;
    this.located = false;
    this.tiles = 0;
    if (this.ids.length < state.length) {
      this.ids = new Uint32Array(state.length);
    }
    let at = 0;
    for (let row = 0; row < state.length; row += 1) {
      if (!plan.isTile(state, row)) {
        continue;
      }
      const [start, end] = [state.start(row), state.ends[row]!];
      if (at + end - start > this.slots.length) {
        const grown = new Float64Array(Math.max(2 * this.slots.length, at + end - start));
        grown.set(this.slots);
        this.slots = grown;
      }
      this.slots.set(state.slots.subarray(start, end), at);
      at += end - start;
      this.ids[this.tiles] = state.ids[row]!;
      this.tiles += 1;
    }
  }

  /** Finds the values of each cell. */
  private locate(): void {
    if (this.located) {
      return;
    }
    const { plan } = this;
    const { within } = plan;
    if (this.where.length === 0) {
      this.where = new Int32Array(plan.cells);
    }
    this.where.fill(-1);
    const stated = slotOf(plan.stated, plan.starts, 0);
    for (let tile = 0; tile < this.tiles; tile += 1) {
      const places = this.placesOf(this.ids[tile]!);
      if (places === null) {
        continue;
      }
      const start = tile * plan.slots + stated;
      for (let number = 0; number < within; number += 1) {
        const cell = places[number]!;
        if (cell >= 0 && this.slots[start + number] !== 0) {
          this.where[cell] = tile * within + number;
        }
      }
    }
    this.located = true;
  }

  private placesOf(entity: number): Int32Array | null {
    let places = this.places.get(entity);
    if (places === undefined) {
      const tile = this.labels.tiles.get(entity);
      if (tile === undefined) {
        return null;
      }
      places = this.plan.cellsOf(tile);
      this.places.set(entity, places);
    }
    return places;
  }

  numbers(column: number): Float64Array {
    const made = obtain(this.made, column, () => ({ of: -1, numbers: new Float64Array(this.plan.cells) }));
    if (made.of !== this.version) {
      this.lay(made.numbers, column);
      made.of = this.version;
    }
    return made.numbers;
  }

  /** Writes the numbers of a column, tile by tile. */
  private lay(into: Float64Array, column: number): void {
    const { plan, slots } = this;
    const { within } = plan;
    const of = plan.columns[column];
    into.fill(NaN);
    if (of === undefined || of.texts !== null) {
      return;
    }
    const { coding, key } = of;
    const stated = slotOf(plan.stated, plan.starts, 0);
    for (let tile = 0; tile < this.tiles; tile += 1) {
      const places = this.placesOf(this.ids[tile]!);
      const base = tile * plan.slots;
      if (places !== null && coding !== null) {
        coding.numbers(slots, plan.starts, base, base + stated, places, into);
      }
      for (let number = 0; places !== null && coding === null && key >= 0 && number < within; number += 1) {
        const cell = places[number]!;
        if (cell >= 0 && slots[base + stated + number] !== 0) {
          into[cell] = coordinate(this, cell, key);
        }
      }
    }
  }

  value(cell: number, column: number): Value {
    this.locate();
    const [where, of] = [this.where[cell] ?? -1, this.plan.columns[column]];
    if (where < 0 || of === undefined) {
      return null;
    }
    const { coding, key, texts } = of;
    if (coding === null) {
      return key < 0 ? null : coordinate(this, cell, key);
    }
    const { within, slots, starts } = this.plan;
    const tile = Math.floor(where / within);
    return textOr(texts, coding.value(this.slots, starts, tile * slots, where - tile * within));
  }
}
