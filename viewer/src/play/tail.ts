// The unfinished segment of a live recording, whose packets come over a socket.

import type { Moment } from "../model.js";
import { Damaged } from "../source/check.js";
import type { SegmentInfo } from "../source/published.js";
import { StateFrame, type Tables } from "../tables/frame.js";
import { Decoder } from "../wire/index.js";
import { Segment } from "./segment.js";
import { LIMITS } from "./segment.js";

/** A segment that is not finished and has no name yet. */
export class Tail implements SegmentInfo {
  readonly file = "";
  readonly segment: Segment;
  /** The first packet that is this segment's own. */
  from: Moment = { step: 0, tick: null, timeMs: null };
  to: Moment = this.from;
  /** Whether it has a packet of its own, and so a place among the segments. */
  begun = false;
  private readonly before: Moment | null;
  private readonly decoder: Decoder;
  private current: StateFrame;
  private next: StateFrame;
  private position = -1;

  /** `before` is the end of the segment before it. */
  constructor(index: number, tables: Tables, before: Moment | null) {
    this.segment = new Segment(index, tables);
    this.before = before;
    this.decoder = new Decoder(tables.schema, { limits: LIMITS });
    [this.current, this.next] = [new StateFrame(tables), new StateFrame(tables)];
  }

  get bytes(): number {
    return this.segment.size;
  }

  get packets(): number {
    return this.segment.count;
  }

  /** Takes whole records. Each packet is read once, to know when it is; what can't be read is refused. */
  take(records: Uint8Array): void {
    const { segment, decoder } = this;
    segment.take(records);
    if (this.position < 0 && segment.length > 0) {
      if (!segment.enter(0, decoder, this.current)) {
        throw new Damaged(segment.problem ?? "the snapshot can't be read");
      }
      this.position = 0;
      // After another segment it is mostly the state that the other ends with.
      this.passed(this.before === null || this.current.moment.step > this.before.step);
    }
    while (this.position >= 0 && this.position + 1 < segment.length) {
      if (!segment.step(this.position + 1, decoder, this.current, this.next)) {
        throw new Damaged(segment.problem ?? "a packet can't be read");
      }
      this.position += 1;
      [this.current, this.next] = [this.next, this.current];
      this.passed(true);
    }
  }

  private passed(own: boolean): void {
    const { moment } = this.current;
    if (own && !this.begun) {
      this.from = moment;
      this.begun = true;
    }
    this.to = moment;
  }
}
