// Finds the tables that are fields of cells, and reads the numbers of their cells: one by one, as vectors, or as the
// difference to another recording. Finds the cells that an audit names, too.

import { obtain, product, same } from "../../lists.js";
import type { ColumnDef, Finding, Grid, Moment, Recording, TableDef } from "../../model.js";

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
function numeric(def: TableDef): number[] {
  const is = ({ key, kind, notRecorded }: ColumnDef): boolean => !key && kind !== "text" && !notRecorded;
  return def.columns.flatMap((column, at) => (is(column) ? [at] : []));
}

/** A number of each cell: a column, or the length of a vector, whose columns are numbered (`flow_0`, `flow_1`). */
export interface CellNumber {
  /** The name in links and lists. */
  readonly name: string;
  readonly columns: readonly number[];
}

export function components(def: TableDef): CellNumber[] {
  const columns = numeric(def);
  const single = columns.map((at): CellNumber => ({ name: def.columns[at]?.name ?? "", columns: [at] }));
  const stems = new Map<string, number[]>();
  for (const at of columns) {
    const stem = /^(.+)_\d+$/.exec(def.columns[at]?.name ?? "")?.[1];
    if (stem !== undefined) {
      obtain(stems, stem, (): number[] => []).push(at);
    }
  }
  const lengths = [...stems].filter(([, of]) => of.length > 1);
  return [...single, ...lengths.map(([stem, of]): CellNumber => ({ name: `|${stem}|`, columns: of }))];
}

/** Whether two grids have the same cells, so that one can be taken from the other. */
export function comparable(one: Grid, other: Grid | undefined): other is Grid {
  return other !== undefined && same(one.shape, other.shape) && same(one.origin, other.origin);
}

/** The numbers that are shown; they stay valid until the next call. */
export class Values {
  private own: Float64Array = new Float64Array(0);
  private key = "";
  /** Goes up whenever the numbers may be others. */
  version = 0;
  private numbers: Float64Array = this.own;

  /** The numbers of a component; less those of the other grid, where one is given. */
  of(grid: Grid, component: CellNumber, other: Grid | undefined): Float64Array {
    const key = [grid.def.name, component.name, grid.version, other?.version].join();
    if (key === this.key) {
      return this.numbers;
    }
    this.key = key;
    this.version += 1;
    const [first = 0] = component.columns;
    if (component.columns.length === 1 && other === undefined) {
      this.numbers = grid.numbers(first);
      return this.numbers;
    }
    const mine = lengths(grid, component, this.own);
    if (other !== undefined) {
      const single = component.columns.length === 1;
      const theirs = single ? other.numbers(first) : lengths(other, component, new Float64Array(mine.length));
      for (let cell = 0; cell < mine.length; cell++) {
        const [a, b] = [mine[cell] ?? 0, theirs[cell] ?? 0];
        // The difference of equal infinities counts as 0.
        mine[cell] = a === b ? 0 : a - b;
      }
    }
    this.numbers = this.own = mine;
    return mine;
  }
}

/** The numbers of a single column, or the lengths of vectors; into this memory, if it fits. */
function lengths(grid: Grid, { columns }: CellNumber, memory: Float64Array): Float64Array {
  const size = product(grid.shape);
  const into = memory.length === size ? memory : new Float64Array(size);
  if (columns.length === 1) {
    into.set(grid.numbers(columns[0] ?? 0));
    return into;
  }
  into.fill(0);
  for (const column of columns) {
    const numbers = grid.numbers(column);
    for (let cell = 0; cell < into.length; cell++) {
      const number = numbers[cell] ?? Number.NaN;
      into[cell] = (into[cell] ?? 0) + number * number;
    }
  }
  for (let cell = 0; cell < into.length; cell++) {
    into[cell] = Math.sqrt(into[cell] ?? 0);
  }
  return into;
}

/** The number of differences that are not 0. */
export function differing(numbers: ArrayLike<number>): number {
  let differ = 0;
  for (let cell = 0; cell < numbers.length; cell++) {
    const number = numbers[cell] ?? Number.NaN;
    differ += number === 0 || number !== number ? 0 : 1;
  }
  return differ;
}

/** A cell that a finding names, counted along each key from 0. */
interface Parted {
  readonly place: readonly number[];
  readonly message: string;
}

/** The coordinates that the data of a finding has, if it names this field and a cell of it. */
function cellOf({ data }: Finding, def: TableDef, origin: readonly number[]): number[] | undefined {
  const members = Object.values(data);
  if (!members.includes(def.name)) {
    return undefined;
  }
  for (const member of members) {
    if (Array.isArray(member) && member.length === def.shape.length) {
      const place = member.map((coordinate, key) => Number(coordinate) - (origin[key] ?? 0));
      if (place.every((at, key) => Number.isInteger(at) && at >= 0 && at < (def.shape[key] ?? 0))) {
        return place;
      }
    }
  }
  return undefined;
}

/** The cells that errors up to a moment name. */
export function parted(
  findings: readonly Finding[],
  def: TableDef,
  origin: readonly number[],
  { step }: Moment,
): Parted[] {
  return findings.flatMap((finding) => {
    if (finding.severity !== "error" || finding.moment === null || finding.moment.step > step) {
      return [];
    }
    const place = cellOf(finding, def, origin);
    return place === undefined ? [] : [{ place, message: finding.message }];
  });
}
