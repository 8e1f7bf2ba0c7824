// The numbers that a cell of a grid has: one by one, and as vectors.

import type { ColumnDef, TableDef } from "../model.js";

/** The columns of a grid whose values are numbers. */
export function numeric(def: TableDef): number[] {
  const is = ({ key, kind, notRecorded }: ColumnDef): boolean => !key && kind !== "text" && !notRecorded;
  return def.columns.flatMap((column, at) => (is(column) ? [at] : []));
}

/** What may be shown of a grid: a column, or the length of columns that number the same name. */
export interface Component {
  /** Stands in links and lists. */
  readonly name: string;
  readonly columns: readonly number[];
}

export function components(def: TableDef): Component[] {
  const columns = numeric(def);
  const single = columns.map((at): Component => ({ name: def.columns[at]?.name ?? "", columns: [at] }));
  const stems = new Map<string, number[]>();
  for (const at of columns) {
    const stem = /^(.+)_\d+$/.exec(def.columns[at]?.name ?? "")?.[1];
    if (stem !== undefined) {
      stems.set(stem, [...(stems.get(stem) ?? []), at]);
    }
  }
  const lengths = [...stems].filter(([, of]) => of.length > 1);
  return [...single, ...lengths.map(([stem, of]): Component => ({ name: `|${stem}|`, columns: of }))];
}
