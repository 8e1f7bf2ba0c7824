// Finds the tables that have positions, and their columns.

import type { ColumnDef, Recording, TableDef } from "../../model.js";

/** The columns of a position. */
export interface PositionColumns {
  readonly x: number;
  readonly y: number;
  /** -1 where there are two only. */
  readonly z: number;
  readonly unit: string;
  /** The axis that points upwards, as far as the table says so. */
  readonly up: "x" | "y" | "z";
}

/** A table whose rows are drawn as points. */
export interface Layer {
  readonly def: TableDef;
  readonly place: PositionColumns;
  /** The column of the text that an entity is called by, -1 where it is its key. */
  readonly name: number;
  /** The column of the text that colours go by, -1 where there is none. */
  readonly kind: number;
}

/** Names before an axis that do not mean a position. */
const NO_PLACES =
  /(^|_)(v|vel|velocity|speed|acc|acceleration|forward|left|right|up|dir|direction|normal|q|rot|rotation|angular|spin|scale|size)$/;
const KINDS = ["team", "kind", "type", "class", "side", "group"];

/** The rest of the name of an x column (or a longitude), and the names of the y and z columns that belong to it. */
function axes(name: string): readonly [stem: string, y: string, z: string] | undefined {
  const globe = /^(.*_)?(lon|longitude)$/.exec(name);
  if (globe !== null) {
    const before = globe[1] ?? "";
    return [before.replace(/_$/, ""), `${before}${globe[2] === "lon" ? "lat" : "latitude"}`, ""];
  }
  const found = /^(.*_)?x(_.*)?$/.exec(name);
  if (found === null) {
    return undefined;
  }
  const [before, after] = [found[1] ?? "", found[2] ?? ""];
  return [`${before}${after}`.replace(/^_|_$/g, ""), `${before}y${after}`, `${before}z${after}`];
}

function places(def: TableDef): { readonly stem: string; readonly place: PositionColumns }[] {
  const number = (name: string): number =>
    def.columns.findIndex(
      (column) =>
        column.name === name && column.kind !== "text" && column.kind !== "bool" && !column.key && !column.notRecorded,
    );
  return def.columns.flatMap(({ name }) => {
    const found = axes(name);
    if (found === undefined || NO_PLACES.test(found[0])) {
      return [];
    }
    const [stem, yName, zName] = found;
    const [x, y, z] = [number(name), number(yName), number(zName)];
    const [one, two, three] = [def.columns[x], def.columns[y], def.columns[z]];
    if (one === undefined || two === undefined || one.unit !== two.unit || one.unit.includes("/")) {
      return [];
    }
    const deep = three?.unit === one.unit ? z : -1;
    const columns = { x: one, y: two, z: three };
    const up = (["x", "y", "z"] as const).find((axis) => upwards(columns[axis]));
    return [{ stem, place: { x, y, z: deep, unit: one.unit, up: up ?? "z" } }];
  });
}

function upwards(column: ColumnDef | undefined): boolean {
  return column !== undefined && /\b(up|upwards|height|altitude)\b/i.test(column.doc);
}

/** The tables with positions; of several positions in a table, the one that most likely is that of the whole row. */
export function layers(recording: Recording): Layer[] {
  return recording.tables.flatMap((def) => {
    if (def.lane !== "state") {
      return [];
    }
    const found = places(def);
    const best =
      found.find(({ stem }) => stem === "") ?? found.find(({ stem }) => /(^|_)pos(ition)?$/.test(stem)) ?? found[0];
    const text = (name: string): number =>
      def.columns.findIndex((column) => column.name === name && column.kind === "text" && !column.notRecorded);
    const kind = KINDS.map(text).find((at) => at >= 0) ?? -1;
    return best === undefined ? [] : [{ def, place: best.place, name: Math.max(text("name"), text("label")), kind }];
  });
}
