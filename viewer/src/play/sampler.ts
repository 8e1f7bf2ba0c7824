// Numbers over the whole of a recording: it goes through all segments in the background, and keeps the least
// and the largest of each of so many stretches.

import { Deck } from "./deck.js";
import type { Loader } from "./loader.js";

/** A number to follow: of a row, by its entity, or of the only one. */
export interface Series {
  readonly table: string;
  readonly column: number;
  readonly entity: number | null;
}

/** Stretches that the recording is cut into. */
const STRETCHES = 1000;
/** How long it works at a time, in milliseconds: less than a frame of the screen. */
const SLICE = 6;

/** What has been found so far. */
export class Samples {
  readonly series: readonly Series[];
  readonly from: number;
  readonly to: number;
  readonly least: readonly Float64Array[];
  readonly most: readonly Float64Array[];
  /** Where the row does not hold, or has no number. */
  private readonly gaps: readonly Uint8Array[];
  /** How far it has got: 0 to 1. */
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

  /** Moments and values to draw a line through: of each stretch the least and the largest; null is a gap. */
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

/** Gathers samples until it is done or `signal` says that nobody wants them any more. */
export async function sample(loader: Loader, samples: Samples, signal: AbortSignal, told: () => void): Promise<void> {
  const deck = new Deck(loader);
  const all = loader.published.segments.length;
  let slice = performance.now();
  for (let index = 0; index < all && !signal.aborted; index += 1) {
    const segment = await loader.borrow(index);
    if (segment === null || !deck.begin(segment, 0)) {
      continue;
    }
    for (let more = true; more && !signal.aborted; more = deck.forwardWithin()) {
      take(deck, samples);
      if (performance.now() - slice > SLICE) {
        await rest();
        slice = performance.now();
      }
    }
    samples.done = (index + 1) / all;
    told();
  }
}

function take(deck: Deck, samples: Samples): void {
  const frame = deck.before!;
  samples.series.forEach(({ table, column, entity }, series) => {
    const rows = frame.stateRows(table);
    if (rows !== undefined) {
      const row = entity === null ? 0 : rows.rowOf(entity);
      samples.add(frame.at, series, row < 0 ? NaN : rows.number(row, column));
    }
  });
}

function rest(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
