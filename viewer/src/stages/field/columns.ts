// Which tables are fields of cells, and which numbers each cell has: one by one, and as vectors.

import type { ColumnDef, Recording, TableDef } from "../../model.js";

/** The grids that can be drawn. */
export function fields(recording: Recording): TableDef[] {
  return recording.tables.filter(
    (def) =>
      def.lane === "grid" && def.shape.length > 0 && def.shape.every((cells) => cells > 0) && numeric(def).length > 0,
  );
}

/** The field to begin with: the liveliest of those with one value a cell. */
export function liveliest(all: readonly TableDef[]): TableDef | undefined {
  const single = all.filter((def) => numeric(def).length === 1);
  return [...(single.length > 0 ? single : all)].sort((a, b) => b.rows - a.rows)[0];
}

/** The columns of a grid whose values are numbers. */
export function numeric(def: TableDef): number[] {
  const is = ({ key, kind, notRecorded }: ColumnDef): boolean => !key && kind !== "text" && !notRecorded;
  return def.columns.flatMap((column, at) => (is(column) ? [at] : []));
}

/** A number of each cell: a column, or the length of a vector, whose columns are numbered (`flow_0`, `flow_1`). */
export interface Component {
  /** The name in links and lists. */
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
