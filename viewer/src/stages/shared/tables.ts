// Finds tables, columns, facts and values for the stages.

import type { ColumnDef, Lane, Recording, Rows, TableDef, Value } from "../../model.js";

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

/** A value of the first row, by the name of its column; null where there is none. */
export function first(rows: Rows | undefined, name: string): Value {
  const at = rows === undefined || rows.length === 0 ? -1 : column(rows.def, name);
  return at < 0 ? null : rows!.value(0, at);
}

/** The same as a number: NaN where it is none. */
export function firstNumber(rows: Rows | undefined, name: string): number {
  const at = rows === undefined || rows.length === 0 ? -1 : column(rows.def, name);
  return at < 0 ? NaN : rows!.number(0, at);
}

/** Whether the values of a column are numbers. */
export function isNumber({ kind }: ColumnDef): boolean {
  return kind !== "text" && kind !== "bool";
}
