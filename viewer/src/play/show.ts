// A recording that is shown: the view that a stage draws from.

import { countBefore, obtain, same } from "../lists.js";
import type { EventRow, Frame, View } from "../model.js";
import type { StateFrame } from "../tables/frame.js";
import { Deck } from "./deck.js";
import type { Loader } from "./loader.js";

/** The longest trail of earlier positions, in milliseconds. */
const LONGEST_TRAIL = 10_000;
/** Packets further apart than so many times the usual distance have a gap between them, in which nothing moves. */
const GAP = 3;
const SHORTEST_GAP = 100;

/** Earlier positions of a row. */
interface Trail {
  readonly table: string;
  readonly id: number;
  readonly columns: readonly number[];
  last: number;
  ats: number[];
  points: number[][];
}

/** The events of a table among `of`, from one place up to another. */
interface FoundEvents {
  low: number;
  high: number;
  found: EventRow[];
  of: readonly EventRow[];
}

const NO_EVENTS: readonly EventRow[] = [];

/** Follows a playhead; it is the view itself, so that a frame of the screen allocates nothing. */
export class Show implements View {
  readonly loader: Loader;
  readonly deck: Deck;
  mix = 0;
  at = 0;
  playing = false;
  other: View | null = null;
  interpolate = true;
  private readonly trails: Trail[] = [];
  /** The length of the longest trail. */
  private longest = 0;
  /** Whether a trail was asked for that has to be filled. */
  private lacking = false;
  private readonly found = new Map<string, FoundEvents>();
  private all: readonly EventRow[] = NO_EVENTS;
  private allOf = "";

  constructor(loader: Loader) {
    this.loader = loader;
    this.deck = new Deck(loader);
    this.deck.onJump = () => {
      for (const trail of this.trails) {
        [trail.ats, trail.points] = [[], []];
      }
    };
    this.deck.onPass = (frame) => {
      for (const trail of this.trails) {
        follow(trail, frame);
      }
    };
  }

  /** Goes to a moment. Returns false while a segment is still to come: the earlier picture stays. */
  moveTo(at: number, playing: boolean): boolean {
    this.playing = playing;
    const moved = this.deck.moveTo(at, this.longest, this.lacking);
    if (moved) {
      this.lacking = false;
      this.at = at;
    }
    const { before, after } = this.deck;
    const apart = before === null || after === null ? 0 : after.at - before.at;
    this.mix = this.after === null || apart <= 0 ? 0 : Math.min(1, Math.max(0, (this.at - before!.at) / apart));
    return moved;
  }

  /** Between two packets further apart than this nothing moves. */
  private get gap(): number {
    return Math.max(this.loader.tables.times ? SHORTEST_GAP : 1, GAP * this.loader.pace);
  }

  /** Whether there is a state to draw. */
  get ready(): boolean {
    return this.deck.before !== null;
  }

  get before(): StateFrame {
    const { before } = this.deck;
    if (before === null) {
      throw new Error("nothing is there to be drawn yet");
    }
    return before;
  }

  get after(): Frame | null {
    const { before, after } = this.deck;
    const moving = this.interpolate && before !== null && after !== null && after.at - before.at <= this.gap;
    return moving ? after : null;
  }

  events(table: string, last: number): readonly EventRow[] {
    const all = this.around(last);
    const kept = obtain(this.found, `${table} ${last}`, () => ({ low: -1, high: -1, found: [], of: NO_EVENTS }));
    const low = this.firstAfter(all, this.at - last);
    const high = this.firstAfter(all, this.at);
    if (kept.of !== all || kept.low !== low || kept.high !== high) {
      kept.found = [];
      for (let at = low; at < high; at += 1) {
        if (all[at]!.table === table) {
          kept.found.push(all[at]!);
        }
      }
      [kept.of, kept.low, kept.high] = [all, low, high];
    }
    return kept.found;
  }

  /** The events of the loaded segments around the playhead, in their order. */
  private around(last: number): readonly EventRow[] {
    const { loader } = this;
    const until = loader.indexAt(this.at);
    let from = loader.indexAt(this.at - last);
    while (from < until && loader.have(from) === undefined) {
      from += 1;
    }
    // An event comes before the packet of its step: it may be at the end of the segment before.
    let count = 0;
    for (let index = from; index <= until + 1; index += 1) {
      count += loader.have(index)?.events.length ?? 0;
    }
    const of = `${from} ${until} ${count}`;
    if (of !== this.allOf) {
      const all: EventRow[] = [];
      for (let index = from; index <= until + 1; index += 1) {
        all.push(...(loader.have(index)?.events ?? []));
      }
      all.sort((a, b) => loader.atOf(a.moment) - loader.atOf(b.moment) || a.moment.step - b.moment.step);
      [this.all, this.allOf] = [all, of];
    }
    return this.all;
  }

  private firstAfter(all: readonly EventRow[], at: number): number {
    return countBefore(all.length, (event) => this.loader.atOf(all[event]!.moment) <= at);
  }

  trail(table: string, id: number, columns: readonly number[], last: number): readonly (readonly number[])[] {
    const length = Math.min(last, LONGEST_TRAIL);
    let trail = this.trails.find((trail) => trail.id === id && trail.table === table && same(trail.columns, columns));
    if (trail === undefined) {
      trail = { table, id, columns: [...columns], last: length, ats: [], points: [] };
      this.trails.push(trail);
      this.lacking = true;
    } else if (length > trail.last) {
      trail.last = length;
      this.lacking = true;
    }
    this.longest = Math.max(this.longest, length);
    return trail.points;
  }
}

/** Adds the current position of a row, and drops positions that are too old. */
function follow(trail: Trail, frame: StateFrame): void {
  const rows = frame.rows(trail.table);
  const row = rows?.rowOf(trail.id) ?? -1;
  // The memory of a dropped position is used again.
  let old = 0;
  while (old < trail.ats.length && trail.ats[old]! < frame.at - trail.last) {
    old += 1;
  }
  const point = (old > 0 ? trail.points[0] : undefined) ?? [];
  if (old > 0) {
    trail.ats.splice(0, old);
    trail.points.splice(0, old);
  }
  for (let at = 0; at < trail.columns.length; at += 1) {
    point[at] = row < 0 ? NaN : rows!.number(row, trail.columns[at]!);
  }
  trail.ats.push(frame.at);
  trail.points.push(point);
}
