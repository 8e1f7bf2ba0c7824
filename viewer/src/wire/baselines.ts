// The states a receiver keeps because later packets may build on them.

import type { Schema } from "./schema.js";
import { Snapshot } from "./snapshot.js";

/** The last states, by tick, ascending; the oldest makes room for the next. Memory is used again. */
export class Baselines {
  private readonly schema: Schema;
  private readonly capacity: number;
  private readonly states: Snapshot[] = [];
  private readonly spare: Snapshot[] = [];

  /** Keeps `capacity` states, at least one. */
  constructor(schema: Schema, capacity: number) {
    this.schema = schema;
    this.capacity = Math.max(1, capacity);
  }

  get length(): number {
    return this.states.length;
  }

  /** An empty state with the memory of an earlier one, to be filled and pushed. */
  takeSpare(): Snapshot {
    const state = this.spare.pop() ?? new Snapshot(this.schema);
    state.clear();
    return state;
  }

  /** Gives back a state that is not to be kept after all. */
  giveBack(state: Snapshot): void {
    if (this.spare.length < this.capacity) {
      this.spare.push(state);
    }
  }

  /** Keeps a state, whose tick has to be after all that are kept: false where it is not. */
  push(state: Snapshot): boolean {
    const latest = this.latest();
    if (latest !== undefined && state.tick <= latest.tick) {
      return false;
    }
    this.states.push(state);
    if (this.states.length > this.capacity) {
      const oldest = this.states.shift();
      if (oldest !== undefined) {
        this.giveBack(oldest);
      }
    }
    return true;
  }

  /** The state of exactly this tick. */
  get(tick: number): Snapshot | undefined {
    // Most packets build on one of the latest.
    return this.states.findLast((state) => state.tick === tick);
  }

  /** Whether this very state is kept. */
  holds(state: Snapshot): boolean {
    return this.states.includes(state);
  }

  /** The latest state. */
  latest(): Snapshot | undefined {
    return this.states.at(-1);
  }

  /** Drops all. */
  clear(): void {
    for (const state of this.states.splice(0)) {
      this.giveBack(state);
    }
  }
}
