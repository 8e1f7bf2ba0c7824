// Samples numbers over the whole of a recording: goes through all segments in the background, and keeps the least
// and the greatest number of each of so many stretches.

import type { Snapshot } from "../wire/index.js";
import type { StateFrame, Tables } from "../tables/frame.js";
import { Deck } from "./deck.js";
import type { Loader } from "./loader.js";

export const TOTALS = ["least", "mean", "greatest"] as const;
type Total = (typeof TOTALS)[number];

/** A number to sample: a column, or the length of the vector that several columns are. */
export interface Series {
  readonly table: string;
  readonly columns: readonly number[];
  /** A row, by its entity (null is the only row); a cell of a grid; or all its cells. */
  readonly of: { readonly entity: number | null } | { readonly cell: number } | { readonly all: Total };
}

/** Reads a number out of a state; NaN where there is none. */
type SampleReader = (frame: StateFrame) => number;

function length(numbers: readonly number[]): number {
  return numbers.length === 1 ? numbers[0]! : Math.hypot(...numbers);
}

/** The reader of a series. It has memory of its own, because the stages read other states meanwhile. */
function reader(tables: Tables, { table, columns, of }: Series): SampleReader {
  if ("entity" in of) {
    return (frame) => {
      const rows = frame.rows(table);
      const row = rows === undefined ? -1 : of.entity === null ? 0 : rows.rowOf(of.entity);
      return row < 0 ? NaN : length(columns.map((column) => rows!.number(row, column)));
    };
  }
  const plan = tables.gridPlan(table);
  if (plan === undefined) {
    return () => NaN;
  }
  if ("cell" in of) {
    const readers = columns.map((column) => plan.reader(of.cell, column));
    return (frame) => length(readers.map((read: (state: Snapshot) => number) => read(frame.state)));
  }
  const at = TOTALS.indexOf(of.all);
  let [version, totals] = [-1, [NaN, NaN, NaN]];
  return (frame) => {
    const grid = plan.of(frame.state);
    if (grid.version !== version) {
      version = grid.version;
      totals = total(columns.map((column) => grid.numbers(column)));
    }
    return totals[at]!;
  };
}

/** Least, mean and greatest of the numbers that are there. */
function total(columns: readonly Float64Array[]): number[] {
  const [first, ...others] = columns;
  let [least, sum, greatest, count] = [Infinity, 0, -Infinity, 0];
  for (let cell = 0; first !== undefined && cell < first.length; cell += 1) {
    let number = first[cell]!;
    if (others.length > 0) {
      number *= number;
      for (const other of others) {
        number += other[cell]! ** 2;
      }
      number = Math.sqrt(number);
    }
    if (!Number.isNaN(number)) {
      [least, greatest] = [number < least ? number : least, number > greatest ? number : greatest];
      sum += number;
      count += 1;
    }
  }
  return count === 0 ? [NaN, NaN, NaN] : [least, sum / count, greatest];
}

/** Stretches that the recording is cut into. */
const STRETCHES = 1000;
/** It works for so many milliseconds at a time: less than a frame of the screen. */
const SLICE = 6;

/** The samples so far. */
export class Samples {
  readonly series: readonly Series[];
  readonly from: number;
  /** Grows with a live recording. */
  to: number;
  readonly least: readonly Float64Array[];
  readonly most: readonly Float64Array[];
  /** Stretches in which the row does not exist, or has no number. */
  private readonly gaps: readonly Uint8Array[];
  /** The progress, 0 to 1. */
  done = 0;

  constructor(series: readonly Series[], from: number, to: number) {
    this.series = series;
    this.from = from;
    this.to = to;
    this.least = series.map(() => new Float64Array(STRETCHES).fill(NaN));
    this.most = series.map(() => new Float64Array(STRETCHES).fill(NaN));
    this.gaps = series.map(() => new Uint8Array(STRETCHES));
  }

  add(at: number, series: number, value: number): void {
    while (at > this.to) {
      this.widen(at);
    }
    const share = this.to > this.from ? (at - this.from) / (this.to - this.from) : 0;
    const stretch = Math.min(STRETCHES - 1, Math.max(0, Math.floor(share * STRETCHES)));
    if (!Number.isFinite(value)) {
      this.gaps[series]![stretch] = 1;
      return;
    }
    const [least, most] = [this.least[series]!, this.most[series]!];
    if (!(least[stretch]! <= value)) {
      least[stretch] = value;
    }
    if (!(most[stretch]! >= value)) {
      most[stretch] = value;
    }
  }

  /** Doubles the time span in the same memory. */
  private widen(at: number): void {
    if (this.to <= this.from) {
      this.to = at;
      return;
    }
    const half = STRETCHES / 2;
    for (const [numbers, better] of [
      ...this.least.map((numbers) => [numbers, Math.min] as const),
      ...this.most.map((numbers) => [numbers, Math.max] as const),
    ]) {
      for (let stretch = 0; stretch < half; stretch += 1) {
        const [one, other] = [numbers[2 * stretch]!, numbers[2 * stretch + 1]!];
        numbers[stretch] = Number.isNaN(one) ? other : Number.isNaN(other) ? one : better(one, other);
      }
      numbers.fill(NaN, half);
    }
    for (const gaps of this.gaps) {
      for (let stretch = 0; stretch < half; stretch += 1) {
        gaps[stretch] = gaps[2 * stretch]! | gaps[2 * stretch + 1]!;
      }
      gaps.fill(0, half);
    }
    this.to = this.from + 2 * (this.to - this.from);
  }

  /** Moments and values to draw a line through: the least and the greatest of each stretch; null is a gap. */
  line(series: number): { readonly at: number[]; readonly value: (number | null)[] } {
    const [at, value]: [number[], (number | null)[]] = [[], []];
    const length = (this.to - this.from) / STRETCHES;
    for (let stretch = 0; stretch < STRETCHES; stretch += 1) {
      const [least, most] = [this.least[series]![stretch]!, this.most[series]![stretch]!];
      const from = this.from + stretch * length;
      if (Number.isNaN(least)) {
        if (this.gaps[series]![stretch] === 1) {
          at.push(from);
          value.push(null);
        }
        continue;
      }
      at.push(from);
      value.push(least);
      if (most !== least) {
        at.push(from + length / 2);
        value.push(most);
      }
    }
    return { at, value };
  }
}

/**
 * Gathers samples to the end of the recording, or until `signal` ends it. At the end, `more` says whether the
 * recording has grown meanwhile; it may wait for that.
 */
export async function sample(
  loader: Loader,
  samples: Samples,
  signal: AbortSignal,
  changed: () => void,
  more: () => Promise<boolean> = () => Promise.resolve(false),
): Promise<void> {
  const deck = new Deck(loader);
  const readers = samples.series.map((series) => reader(loader.tables, series));
  let slice = performance.now();
  let index = 0;
  do {
    while (index < loader.infos.length && !signal.aborted) {
      const { file } = loader.infos[index]!;
      const segment = await loader.borrow(index);
      let there = segment !== null && deck.begin(segment, 0);
      while (there && !signal.aborted) {
        const frame = deck.before!;
        readers.forEach((read, series) => samples.add(frame.at, series, read(frame)));
        if (performance.now() - slice > SLICE) {
          await rest();
          slice = performance.now();
        }
        there = deck.forwardWithin();
        while (!there && index === loader.infos.length - 1 && !signal.aborted) {
          samples.done = 1;
          changed();
          if (!(await more())) {
            return;
          }
          if (loader.infos[index]?.file !== file && loader.have(index) !== segment) {
            // It has grown under another name.
            break;
          }
          there = deck.forwardWithin();
        }
      }
      const again = loader.infos[index]?.file !== file && loader.have(index) !== segment;
      index += again ? 0 : 1;
      samples.done = index / loader.infos.length;
      changed();
    }
  } while (!signal.aborted && (await more()));
}

function rest(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
