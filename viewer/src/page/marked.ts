// The markers on a timeline: however many there are, only as many are drawn as there is room for.

import { grouped } from "../format.js";
import { countBefore, obtain } from "../lists.js";
import type { Marker } from "../source/published.js";

/** A marker on the clock of the page. */
export interface Placed {
  readonly at: number;
  readonly marker: Marker;
  /** Whether it has a pin of its own that keys can jump to; otherwise a strip shows how many markers there are. */
  readonly pinned: boolean;
}

/** A sign on the timeline. */
export interface Pin {
  readonly x: number;
  readonly kind: Marker["kind"];
  /** The number of findings or events there. */
  count: number;
}

/** Worse kinds are drawn above. */
const ORDER: readonly Marker["kind"][] = ["event", "info", "warning", "error"];

/** The first place in a list in ascending order that is not below. */
function lower(ats: ArrayLike<number>, at: number): number {
  return countBefore(ats.length, (place) => ats[place]! < at);
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

  /** The moment of the next pin, or of the previous one; null where there is none. */
  next(at: number, by: -1 | 1): number {
    const { pinned } = this;
    return by > 0
      ? (pinned[lower(pinned, at + 1e-6)] ?? Infinity)
      : (pinned[lower(pinned, at - 1e-6) - 1] ?? -Infinity);
  }

  /** The markers from one moment to another. */
  within(from: number, to: number): readonly Placed[] {
    const { ats } = this;
    const [first, end] = [lower(ats, from), lower(ats, to)];
    return this.all.slice(first, end + (ats[end] === to ? 1 : 0));
  }

  /** Signs at least `apart` pixels from each other, for each kind; worse kinds come later. */
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

  /** The number of events without pins at each pixel. A marker for several is spread up to the next. */
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

/** At most this many are listed one by one. */
const MOST_LISTED = 5;

/** A line about the markers near a moment. */
export interface TipLine {
  readonly kind: Marker["kind"] | "quiet";
  readonly text: string;
}

/** The text of a marker, and the number of events that it stands for. */
export function saying({ count, text }: Marker): string {
  return count > 1 ? `× ${grouped(count)}, at first ${text}` : text;
}

/** The markers near a moment, the nearest first: one by one, or the number of each kind. */
export function listed(near: readonly Placed[], at: number): TipLine[] {
  const pinned = near.filter(({ pinned }) => pinned);
  const single = pinned.length <= MOST_LISTED;
  const lines: TipLine[] = [];
  if (single) {
    const nearest = [...pinned].sort((a, b) => Math.abs(a.at - at) - Math.abs(b.at - at));
    lines.push(...nearest.map(({ marker }) => ({ kind: marker.kind, text: saying(marker) })));
  }
  const sums = new Map<string, { kind: Marker["kind"]; count: number }>();
  for (const { marker, pinned } of near) {
    const { source, kind, count } = marker;
    if (!single || !pinned) {
      obtain(sums, source, () => ({ kind, count: 0 })).count += count;
    }
  }
  const sorted = [...sums].sort(([, a], [, b]) => ORDER.indexOf(b.kind) - ORDER.indexOf(a.kind));
  for (const [source, { kind, count }] of sorted.slice(0, MOST_LISTED)) {
    lines.push({ kind, text: `${source} × ${grouped(count)}` });
  }
  if (sorted.length > MOST_LISTED) {
    lines.push({ kind: "quiet", text: `and ${sorted.length - MOST_LISTED} more kinds` });
  }
  return lines;
}
