// The states before and after the playhead.

import { StateFrame } from "../tables/frame.js";
import { Decoder } from "../wire/index.js";
import type { Loader } from "./loader.js";
import { LIMITS, type Segment } from "./segment.js";

/** Goes along a recording, packet by packet. */
export class Deck {
  readonly loader: Loader;
  /** Called with each packet that the playhead passes, in their order. */
  onPass: (frame: StateFrame) => void = () => {};
  /** Called when the playhead jumps: the packets passed so far are not the ones before it. */
  onJump: () => void = () => {};
  private readonly decoder: Decoder;
  private current: StateFrame;
  private ahead: StateFrame;
  private spare: StateFrame;
  /** Whether `current` holds a packet, and whether `ahead` holds the next. */
  private ready = false;
  private known = false;
  /** The place of `ahead`, or of `current` while nothing is ahead. */
  private segment: Segment | null = null;
  private position = 0;

  constructor(loader: Loader) {
    const { tables } = loader;
    this.loader = loader;
    this.decoder = new Decoder(tables.schema, { limits: LIMITS });
    this.current = new StateFrame(tables);
    this.ahead = new StateFrame(tables);
    this.spare = new StateFrame(tables);
  }

  /** The newest packet that is not after the playhead; null before anything is there. */
  get before(): StateFrame | null {
    return this.ready ? this.current : null;
  }

  /** The next one; null at the end, or while it is not there. */
  get after(): StateFrame | null {
    return this.ready && this.known ? this.ahead : null;
  }

  /**
   * Goes to a moment, and passes all packets of the stretch of length `back` before it, as far as they are loaded.
   * Returns false while a segment is still to come.
   */
  moveTo(at: number, back = 0, anew = false): boolean {
    const { loader } = this;
    const index = loader.indexAt(at);
    loader.want(index);
    if (loader.have(index) === undefined) {
      loader.want(loader.indexAt(at - back));
      return index < 0;
    }
    loader.want(loader.next(index));
    const onward = this.ready && !anew && this.current.at <= at && this.near(index);
    if (!onward && !this.jump(at, index, back)) {
      // Its snapshot is damaged: the state before it stays.
      return true;
    }
    this.lookAhead();
    while (this.known && this.ahead.at <= at) {
      this.pass();
    }
    return true;
  }

  /** The next moment; null at the end, or where it is not there. */
  later(): number | null {
    this.lookAhead();
    return this.ready && this.known ? this.ahead.at : null;
  }

  /** Goes on by one packet. False at the end, or where it is not there. */
  forward(): boolean {
    this.lookAhead();
    if (!this.ready || !this.known) {
      return false;
    }
    this.pass();
    return true;
  }

  /** Goes on by one packet of the segment that was begun; false at its end. */
  forwardWithin(): boolean {
    const { segment } = this;
    if (segment === null || !this.ready || !segment.step(this.position + 1, this.decoder, this.current, this.ahead)) {
      return false;
    }
    this.position += 1;
    this.swap();
    return true;
  }

  /** The last moment before the playhead's packet; null at the start, or where it is not there. */
  earlier(): number | null {
    if (!this.ready) {
      return null;
    }
    const { at } = this.current;
    const probe = new Deck(this.loader);
    const index = this.loader.indexAt(at);
    for (const from of [index, index - 1]) {
      const segment = this.loader.have(from);
      if (segment === undefined || !probe.begin(segment, segment.entry(at - 1e-9))) {
        continue;
      }
      if (probe.current.at >= at) {
        probe.begin(segment, 0);
      }
      let found: number | null = null;
      while (probe.current.at < at) {
        found = probe.current.at;
        if (!probe.forward()) {
          break;
        }
      }
      if (found !== null) {
        return found;
      }
    }
    return null;
  }

  /** Begins at a position of a segment, without regard to the earlier state. */
  begin(segment: Segment, position: number): boolean {
    this.ready = segment.enter(position, this.decoder, this.current);
    this.known = false;
    this.segment = segment;
    this.position = position;
    return this.ready;
  }

  /** Whether a segment can be reached by stepping on. */
  private near(index: number): boolean {
    const at = this.segment?.index ?? -1;
    const held = this.loader.have(at);
    if (held !== undefined && held !== this.segment) {
      // It has grown, or was loaded anew.
      return false;
    }
    return index === at || index === this.loader.next(at) || (this.known && index < at);
  }

  private jump(at: number, index: number, back: number): boolean {
    const { loader } = this;
    let first = loader.indexAt(at - back);
    loader.want(first);
    // Only as far back as all segments are loaded.
    for (let earlier = index; earlier > first; earlier -= 1) {
      if (loader.have(earlier - 1) === undefined) {
        first = earlier;
      }
    }
    this.onJump();
    const segment = loader.have(first)!;
    const from = Math.max(at - back, loader.starts[first]!);
    if (!this.begin(segment, segment.entry(from)) && !this.begin(loader.have(index)!, 0)) {
      return false;
    }
    // The snapshot that a segment begins with is the state before its first packet, save of the first one.
    this.lookAhead();
    if (this.known && this.position === 1 && this.current.at < loader.starts[first]!) {
      this.swap();
      this.lookAhead();
    }
    this.onPass(this.current);
    return true;
  }

  private pass(): void {
    this.swap();
    this.onPass(this.current);
    this.lookAhead();
  }

  private swap(): void {
    [this.current, this.ahead] = [this.ahead, this.current];
    this.known = false;
  }

  /** Reads the packet after the current one, if it is loaded. */
  private lookAhead(): void {
    const { segment } = this;
    if (!this.ready || this.known || segment === null) {
      return;
    }
    if (segment.step(this.position + 1, this.decoder, this.current, this.ahead)) {
      this.position += 1;
      this.known = true;
      return;
    }
    const next = this.loader.have(this.loader.next(segment.index));
    if (next === undefined) {
      return;
    }
    if (!next.enter(0, this.decoder, this.spare)) {
      // It is empty: the next one may not be.
      [this.segment, this.position] = [next, 0];
      return;
    }
    const own = this.spare.moment.step >= this.loader.infos[next.index]!.from.step;
    if (own && this.spare.moment.step > this.current.moment.step) {
      [this.ahead, this.spare] = [this.spare, this.ahead];
      [this.segment, this.position, this.known] = [next, 0, true];
    } else if (next.step(1, this.decoder, this.spare, this.ahead)) {
      [this.segment, this.position, this.known] = [next, 1, true];
    } else {
      [this.segment, this.position] = [next, 0];
    }
  }
}
