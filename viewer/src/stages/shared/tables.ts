// Finds tables, columns, facts and rows for the stages.

import type { Frame, Lane, Recording, Rows, TableDef } from "../../model.js";

/** The number of a column, -1 where there is none, or the recording has none of its values. */
export function column(def: TableDef, name: string): number {
  const at = def.columns.findIndex((column) => column.name === name);
  return at >= 0 && def.columns[at]?.notRecorded === true ? -1 : at;
}

/** Whether a table has all of these columns. */
export function hasAll(def: TableDef, names: readonly string[]): boolean {
  return names.every((name) => column(def, name) >= 0);
}

/** The first table of this lane that has all of these columns; of this name, where one is given. */
export function findTable(
  recording: Recording,
  lane: Lane,
  names: readonly string[],
  name?: string,
): TableDef | undefined {
  return recording.tables.find(
    (def) => def.lane === lane && (name === undefined || def.name === name) && hasAll(def, names),
  );
}

/** A fact, from whichever table of facts has a column of this name. */
export function fact(recording: Recording, name: string): unknown {
  for (const def of recording.tables) {
    if (def.lane === "facts" && column(def, name) >= 0) {
      const value = recording.facts(def.name)[0]?.[name];
      if (value !== undefined && value !== null) {
        return value;
      }
    }
  }
  return undefined;
}

/** The row of an entity, -1 where there is none. It is looked for around `near`: rows seldom move far. */
export function rowOf(rows: Rows, id: number, near: number): number {
  for (let by = 0; near - by >= 0 || near + by < rows.length; by++) {
    if (near + by < rows.length && rows.id(near + by) === id) {
      return near + by;
    }
    if (near - by >= 0 && near - by < rows.length && rows.id(near - by) === id) {
      return near - by;
    }
  }
  return -1;
}

/** Milliseconds, or steps, from one frame to another. */
export function span(before: Frame, after: Frame, times: boolean): number {
  return times ? (after.moment.timeMs ?? 0) - (before.moment.timeMs ?? 0) : after.moment.step - before.moment.step;
}

/** A number for people: short, but near numbers stay different. */
export function short(value: number): string {
  if (!Number.isFinite(value)) {
    return Number.isNaN(value) ? "none" : value > 0 ? "∞" : "−∞";
  }
  const size = Math.abs(value);
  const text =
    size !== 0 && (size < 1e-3 || size >= 1e6) ? value.toExponential(2) : String(Number(value.toPrecision(4)));
  return text.replace("-", "−");
}

/** A noun with its number. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
