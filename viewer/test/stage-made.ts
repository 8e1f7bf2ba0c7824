// Tables, rows and grids made for the tests of stages.

import type { ColumnDef, Frame, Grid, Kind, Lane, Recording, Rows, TableDef, Value, View } from "../src/model.js";

/** A column out of a word: `x`, `name:text`, `row!` (a key), `wind?` (not recorded), `x@m` (in metres). */
function made(word: string): ColumnDef {
  const [, name = "", mark, unit, kind] = /^(\w+)([!?])?(?:@([^:]+))?(?::(\w+))?$/.exec(word) ?? [];
  return {
    name,
    kind: (kind ?? "float64") as Kind,
    unit: unit ?? "",
    precision: null,
    key: mark === "!",
    notRecorded: mark === "?",
    doc: "",
  };
}

export function table(name: string, lane: Lane, columns: string, shape: readonly number[] = []): TableDef {
  return { name, lane, doc: "", rows: 1, shape, columns: columns.split(" ").map(made) };
}

export function recording(...tables: readonly TableDef[]): Recording {
  return { name: "made", format: "made", tables, times: true, findings: [], facts: () => [] };
}

export function rows(def: TableDef, ids: readonly number[], values: readonly (readonly Value[])[]): Rows {
  return {
    def,
    length: values.length,
    id: (row) => ids[row] ?? -1,
    value: (row, column) => values[row]?.[column] ?? null,
    number: (row, column) => {
      const value = values[row]?.[column];
      return typeof value === "number" ? value : Number.NaN;
    },
  };
}

export function grid(def: TableDef, column: number, numbers: readonly number[]): Grid {
  return {
    def,
    shape: def.shape,
    origin: def.shape.map(() => 0),
    version: 1,
    numbers: (at) => (at === column ? Float64Array.from(numbers) : new Float64Array(numbers.length).fill(Number.NaN)),
    value: (cell, at) => (at === column ? (numbers[cell] ?? null) : null),
  };
}

export function frame(timeMs: number, ...held: readonly (Rows | Grid)[]): Frame {
  const named = (name: string): Rows | Grid | undefined => held.find(({ def }) => def.name === name);
  return {
    moment: { step: timeMs, tick: null, timeMs },
    rows: (name) => named(name) as Rows | undefined,
    grid: (name) => named(name) as Grid | undefined,
  };
}

export function view(before: Frame, after: Frame | null, mix: number): View {
  const at = before.moment.timeMs ?? 0;
  return { before, after, mix, at, playing: false, other: null, events: () => [], trail: () => [] };
}
