// What lies on a timeline, and where: however many markers there are, no more is drawn than there is room for.

import type { Marker } from "../source/published.js";

/** A marker on the clock of the page. */
export interface Placed {
  readonly at: number;
  readonly marker: Marker;
  /** Whether it can be told from its neighbours, and is gone to by keys; else a strip shows how many there are. */
  readonly pinned: boolean;
}

/** A sign on the timeline. */
export interface Pin {
  readonly x: number;
  readonly kind: Marker["kind"];
  /** How many findings or events lie there. */
  count: number;
}

/** What is worse is drawn above. */
const ORDER: readonly Marker["kind"][] = ["event", "info", "warning", "error"];

/** The first place in a list in ascending order that is not below. */
function lower(ats: ArrayLike<number>, at: number): number {
  let [low, high] = [0, ats.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ats[middle]! < at) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

export class Marked {
  /** In the order of their moments. */
  private readonly all: readonly Placed[];
  private readonly ats: Float64Array;
  private readonly pinned: Float64Array;

  constructor(placed: readonly Placed[]) {
    this.all = [...placed].sort((a, b) => a.at - b.at);
    this.ats = Float64Array.from(this.all, ({ at }) => at);
    this.pinned = Float64Array.from(
      this.all.filter(({ pinned }) => pinned),
      ({ at }) => at,
    );
  }

  /** Where the next pin is, or the one before; nowhere where there is none. */
  next(at: number, by: -1 | 1): number {
    const { pinned } = this;
    return by > 0
      ? (pinned[lower(pinned, at + 1e-6)] ?? Infinity)
      : (pinned[lower(pinned, at - 1e-6) - 1] ?? -Infinity);
  }

  /** Those from one moment to another. */
  within(from: number, to: number): readonly Placed[] {
    const { ats } = this;
    const [first, end] = [lower(ats, from), lower(ats, to)];
    return this.all.slice(first, end + (ats[end] === to ? 1 : 0));
  }

  /** Signs that lie no closer together than `apart` pixels, of each kind; what is worse comes later. */
  pins(x: (at: number) => number, apart: number): Pin[] {
    const last = new Map<Marker["kind"], Pin>();
    const pins: Pin[] = [];
    for (const { at, marker, pinned } of this.all) {
      if (!pinned) {
        continue;
      }
      const [place, before] = [x(at), last.get(marker.kind)];
      if (before !== undefined && place - before.x < apart) {
        before.count += marker.count;
        continue;
      }
      const pin = { x: place, kind: marker.kind, count: marker.count };
      last.set(marker.kind, pin);
      pins.push(pin);
    }
    return pins.sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
  }

  /** How many events lie at each pixel, of those without pins: what stands for several lies evenly up to the next. */
  strip(x: (at: number) => number, width: number): Float64Array {
    const counts = new Float64Array(Math.max(0, Math.ceil(width)));
    const open = new Map<string, { readonly from: number; readonly count: number }>();
    const spread = ({ from, count }: { readonly from: number; readonly count: number }, to: number): void => {
      const end = count > 1 ? Math.max(from + 1, to) : from + 1;
      for (let place = Math.max(0, from); place < Math.min(end, counts.length); place += 1) {
        counts[place]! += count / (end - from);
      }
    };
    for (const { at, marker, pinned } of this.all) {
      if (pinned) {
        continue;
      }
      const from = Math.floor(x(at));
      const before = open.get(marker.source);
      if (before !== undefined) {
        spread(before, from);
      }
      open.set(marker.source, { from, count: marker.count });
    }
    open.forEach((last) => spread(last, last.from + 1));
    return counts;
  }
}

/** So many are told one by one. */
const MOST_TOLD = 5;

/** A line of what lies somewhere. */
export interface Line {
  readonly kind: Marker["kind"] | "quiet";
  readonly text: string;
}

/** What a marker says, and of how many. */
export function saying({ count, text }: Marker): string {
  return count > 1 ? `× ${count.toLocaleString("en")}, at first ${text}` : text;
}

/** What lies near a moment, the nearest first: each by itself, or how many there are of what. */
export function told(near: readonly Placed[], at: number): Line[] {
  const pinned = near.filter(({ pinned }) => pinned);
  const single = pinned.length <= MOST_TOLD;
  const lines: Line[] = [];
  if (single) {
    const nearest = [...pinned].sort((a, b) => Math.abs(a.at - at) - Math.abs(b.at - at));
    lines.push(...nearest.map(({ marker }) => ({ kind: marker.kind, text: saying(marker) })));
  }
  const sums = new Map<string, { kind: Marker["kind"]; count: number }>();
  for (const { marker, pinned } of near) {
    const { source, kind, count } = marker;
    if (!single || !pinned) {
      const sum = sums.get(source) ?? { kind, count: 0 };
      sum.count += count;
      sums.set(source, sum);
    }
  }
  const sorted = [...sums].sort(([, a], [, b]) => ORDER.indexOf(b.kind) - ORDER.indexOf(a.kind));
  lines.push(...sorted.slice(0, MOST_TOLD).map(([source, { kind, count }]) => ({ kind, text: `${source} × ${count.toLocaleString("en")}` })));
  if (sorted.length > MOST_TOLD) {
    lines.push({ kind: "quiet", text: `and ${sorted.length - MOST_TOLD} more kinds` });
  }
  return lines;
}
