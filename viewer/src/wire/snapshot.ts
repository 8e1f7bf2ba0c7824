// The state at a tick: which entities there are, which components each has, and their values.
//
// Entities stand in ascending order of their ids, in rows; all that is known of them lies in a few typed
// arrays, so that taking over a baseline is a copy of memory. See layout.ts for how values are kept.

import { hasBit } from "./layout.js";
import type { Schema } from "./schema.js";

/** The state at a tick. */
export class Snapshot {
  /** The schema of the packet that was last read into it. */
  schema: Schema;
  tick = 0;
  /** The number of entities; the arrays may be longer. */
  length = 0;
  /** Their ids, ascending. */
  ids = new Uint32Array(16);
  /** Their components: the highest bit of `masksHigh` is the first of the schema. */
  masksHigh = new Uint32Array(16);
  masksLow = new Uint32Array(16);
  /** The ends of their values in `slots`. */
  ends = new Uint32Array(16);
  slots = new Float64Array(64);

  constructor(schema: Schema) {
    this.schema = schema;
  }

  /** The row of an entity; −1 where it is not there. */
  row(id: number): number {
    const row = lowerBound(this.ids, 0, this.length, id);
    return row < this.length && this.ids[row] === id ? row : -1;
  }

  /** The start of a row's values. */
  start(row: number): number {
    return row === 0 ? 0 : this.ends[row - 1]!;
  }

  /** Whether the entity of a row has a component, by its place in the schema. */
  has(row: number, component: number): boolean {
    return row >= 0 && row < this.length && hasBit(this.masksHigh[row]!, this.masksLow[row]!, component);
  }

  /** Writes the start of each component's values of a row to `into`; NaN if the row lacks the component. */
  starts(row: number, into: Float64Array): void {
    const { parts } = this.schema.layout;
    let start = this.start(row);
    for (let component = 0; component < parts.length; component += 1) {
      const has = this.has(row, component);
      into[component] = has ? start : NaN;
      start += has ? parts[component]!.slots : 0;
    }
  }

  /**
   * A value, by row and places of the schema; undefined where the entity lacks the component. It is a bigint where the
   * field has values that a double can't hold exactly.
   */
  value(row: number, component: number, field: number): boolean | number | bigint | undefined {
    const plan = this.schema.layout.parts[component]?.fields[field];
    if (plan === undefined || !this.has(row, component)) {
      return undefined;
    }
    const offset = this.schema.layout.offset(this.masksHigh[row]!, this.masksLow[row]!, component);
    const slot = this.start(row) + offset + plan.slot;
    if (plan.wide) {
      return plan.exactMin + (BigInt(this.slots[slot]!) << 32n) + BigInt(this.slots[slot + 1]!);
    }
    return plan.codec.kind === "Bool" ? this.slots[slot] !== 0 : this.slots[slot];
  }

  /** Empties it for a state of a schema; memory is kept. */
  reset(schema: Schema): void {
    this.schema = schema;
    this.tick = 0;
    this.length = 0;
  }

  /** Takes over all of another state of the same schema; memory is used again. */
  copyFrom(other: Snapshot): void {
    this.tick = other.tick;
    this.length = 0;
    this.pushRange(other, 0, other.length);
  }

  /**
   * Appends an entity, whose id has to be above all others, with the two words of its component mask and
   * `slots` places for its values, which the caller sets. Where they begin.
   */
  push(id: number, mask: Uint32Array, slots: number): number {
    const row = this.length;
    const start = this.start(row);
    this.makeRoom(row + 1, start + slots);
    this.ids[row] = id;
    this.masksHigh[row] = mask[0]!;
    this.masksLow[row] = mask[1]!;
    this.ends[row] = start + slots;
    this.length = row + 1;
    return start;
  }

  /** Appends rows of another state of the same schema, whose ids have to be above all here. */
  pushRange(from: Snapshot, first: number, until: number): void {
    if (first >= until) {
      return;
    }
    const row = this.length;
    const start = this.start(row);
    const fromStart = from.start(first);
    const fromEnd = from.start(until);
    this.makeRoom(row + until - first, start + fromEnd - fromStart);
    copy(this.ids, row, from.ids, first, until);
    copy(this.masksHigh, row, from.masksHigh, first, until);
    copy(this.masksLow, row, from.masksLow, first, until);
    copy(this.slots, start, from.slots, fromStart, fromEnd);
    if (start === fromStart) {
      copy(this.ends, row, from.ends, first, until);
    } else {
      for (let at = first; at < until; at += 1) {
        this.ends[row + at - first] = from.ends[at]! - fromStart + start;
      }
    }
    this.length = row + until - first;
  }

  private makeRoom(rows: number, slots: number): void {
    if (rows > this.ids.length) {
      const room = Math.max(rows, 2 * this.ids.length);
      this.ids = grown(this.ids, new Uint32Array(room));
      this.masksHigh = grown(this.masksHigh, new Uint32Array(room));
      this.masksLow = grown(this.masksLow, new Uint32Array(room));
      this.ends = grown(this.ends, new Uint32Array(room));
    }
    if (slots > this.slots.length) {
      this.slots = grown(this.slots, new Float64Array(Math.max(slots, 2 * this.slots.length)));
    }
  }
}

/** The first of the places from `from` up to `until` whose number is not below `id`; else `until`. */
export function lowerBound(ids: Uint32Array, from: number, until: number, id: number): number {
  let low = from;
  let high = until;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ids[middle]! < id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

type Numbers = Uint32Array | Float64Array;

function grown<T extends Numbers>(from: T, to: T): T {
  to.set(from);
  return to;
}

function copy(to: Numbers, at: number, from: Numbers, first: number, until: number): void {
  // A view costs more than a few numbers.
  if (until - first < 32) {
    for (let next = first; next < until; next += 1) {
      to[at + next - first] = from[next]!;
    }
    return;
  }
  to.set(from.subarray(first, until), at);
}
