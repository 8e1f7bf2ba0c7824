// Applies packets to states: all of a packet, or nothing.

import { SectionBody } from "./body.js";
import { PacketFrame } from "./frame.js";
import { CREATE, DEFAULT_LIMITS, DESTROY, type Limits, UPDATE, WireError, checkLimit } from "./rules.js";
import type { Schema } from "./schema.js";
import { type Snapshot, lowerBound } from "./snapshot.js";

/** Options for reading packets. */
export interface ReadOptions {
  /**
   * Strict, the default, holds packets to the specification: padding is zero, varuints are as short as
   * they can be, a delta is younger than its baseline. Lenient does not check these three.
   */
  readonly strictness?: "strict" | "lenient";
  readonly limits?: Limits;
}

/**
 * Reads packets of one schema.
 *
 * A state that a packet is applied to is not changed: the result goes to another, whose memory is used
 * again. After a refusal, a `WireError`, that one is empty; so nothing is ever applied by half.
 */
export class Decoder {
  private readonly schema: Schema;
  private readonly limits: Limits;
  private readonly frame: PacketFrame;
  private readonly creates: SectionBody;
  private readonly destroys: SectionBody;
  private readonly updates: SectionBody;
  // The components of the entity created last, and the places of its values.
  private lastHigh = 0;
  private lastLow = 0;
  private lastSlots = 0;

  constructor(schema: Schema, options: ReadOptions = {}) {
    const limits = options.limits ?? DEFAULT_LIMITS;
    const strict = options.strictness !== "lenient";
    const frame = new PacketFrame(schema, limits, strict);
    this.schema = schema;
    this.limits = limits;
    this.frame = frame;
    this.creates = new SectionBody(frame, schema, CREATE, limits, strict);
    this.destroys = new SectionBody(frame, schema, DESTROY, limits, strict);
    this.updates = new SectionBody(frame, schema, UPDATE, limits, strict);
  }

  /** Reads a full snapshot into `into`, in place of its contents. */
  full(packet: Uint8Array, into: Snapshot): void {
    this.read(packet, into, undefined, () => this.readFull(into));
  }

  /** Applies a delta to `baseline`; the result goes to `into`, another state, in place of its contents. */
  delta(baseline: Snapshot, packet: Uint8Array, into: Snapshot): void {
    this.read(packet, into, baseline, () => this.readDelta(baseline, into));
  }

  /** Reads a packet of either kind; a delta has to build on `baseline`, another state. */
  onto(baseline: Snapshot, packet: Uint8Array, into: Snapshot): void {
    this.read(packet, into, baseline, () => {
      if (this.frame.full) {
        this.readFull(into);
      } else {
        this.readDelta(baseline, into);
      }
    });
  }

  /** Leaves `into` empty where the packet is refused. */
  private read(packet: Uint8Array, into: Snapshot, baseline: Snapshot | undefined, apply: () => void): void {
    if (baseline === into) {
      throw new TypeError("a delta can't be applied onto its own baseline");
    }
    into.reset(this.schema);
    try {
      this.frame.read(packet);
      apply();
    } catch (error) {
      into.reset(this.schema);
      throw error;
    }
  }

  private readFull(into: Snapshot): void {
    const { frame, creates } = this;
    if (!frame.full) {
      throw new WireError({ code: "delta.kind", full: false }, 6);
    }
    into.tick = frame.tick;
    if (frame.has(CREATE)) {
      creates.begin();
      while (creates.next()) {
        this.create(creates, into);
      }
    }
    checkLimit(this.limits, "entities", into.length, 0);
  }

  private readDelta(baseline: Snapshot, into: Snapshot): void {
    const { frame, schema } = this;
    if (frame.full) {
      throw new WireError({ code: "delta.kind", full: true }, 6);
    }
    if (frame.baseline !== baseline.tick) {
      const [expected, found] = [baseline.tick, frame.baseline];
      throw new WireError({ code: "delta.baseline-mismatch", expected, found }, 20);
    }
    if (schema !== baseline.schema && schema.hash !== baseline.schema.hash) {
      const [expected, found] = [schema.hash, baseline.schema.hash];
      throw new WireError({ code: "delta.baseline-schema", expected, found }, 20);
    }
    if (frame.has(DESTROY) || frame.has(CREATE)) {
      this.structure(baseline, into);
    } else {
      into.copyFrom(baseline);
    }
    into.tick = frame.tick;
    checkLimit(this.limits, "entities", into.length, 0);
    if (frame.has(UPDATE)) {
      this.update(into);
    }
  }

  /** Copies the baseline without what is destroyed and with what is created. */
  private structure(baseline: Snapshot, into: Snapshot): void {
    const { frame, destroys, creates } = this;
    const { ids, length } = baseline;
    const destroying = frame.has(DESTROY);
    if (destroying) {
      destroys.begin();
    }
    let creating = frame.has(CREATE);
    if (creating) {
      creates.begin();
      creating = creates.next();
    }
    // Rows of the baseline before this one are dealt with.
    let at = 0;
    for (;;) {
      const going = destroying && destroys.next();
      const gone = going ? destroys.id : Infinity;
      const until = going ? lowerBound(ids, at, length, gone) : length;
      if (going && (until === length || ids[until] !== gone)) {
        throw destroys.error({ code: "delta.entity-not-found", tag: DESTROY, entity: gone });
      }
      // From `at` to `until` everything stays; created entities go in between, or in the place of destroyed
      // ones.
      while (creating && creates.id < gone) {
        const before = lowerBound(ids, at, until, creates.id);
        if (before < until && ids[before] === creates.id) {
          throw creates.error({ code: "delta.entity-exists", entity: creates.id });
        }
        into.pushRange(baseline, at, before);
        at = before;
        this.create(creates, into);
        creating = creates.next();
      }
      into.pushRange(baseline, at, until);
      if (!going) {
        return;
      }
      at = until + 1;
    }
  }

  /** Appends an entity of a CREATE section, whose id is read, to `into`. */
  private create(body: SectionBody, into: Snapshot): void {
    const { layout } = this.schema;
    const { parts } = layout;
    body.mask(parts.length);
    const high = body.last[0]!;
    const low = body.last[1]!;
    if (high !== this.lastHigh || low !== this.lastLow) {
      this.lastHigh = high;
      this.lastLow = low;
      this.lastSlots = layout.slots(high, low);
    }
    let start = into.push(body.id, body.last, this.lastSlots);
    const { slots } = into;
    for (let rest = high, base = 0; base < 64; rest = low, base += 32) {
      while (rest !== 0) {
        const bit = Math.clz32(rest);
        rest &= ~(0x8000_0000 >>> bit);
        const component = base + bit;
        const part = parts[component]!;
        body.createMask(part, component);
        const { fields } = part;
        for (let field = 0; field < fields.length; field += 1) {
          body.value(fields[field]!, slots, start, component, field);
        }
        start += part.slots;
      }
    }
  }

  private update(into: Snapshot): void {
    const body = this.updates;
    const { parts } = this.schema.layout;
    const { ids, length, masksHigh, masksLow, slots } = into;
    body.begin();
    let at = 0;
    while (body.next()) {
      const { id } = body;
      // Most packets name neighbours.
      const row = at < length && ids[at]! >= id ? at : lowerBound(ids, at, length, id);
      if (row === length || ids[row] !== id) {
        throw body.error({ code: "delta.entity-not-found", tag: UPDATE, entity: id });
      }
      at = row + 1;
      body.mask(parts.length);
      const high = body.last[0]!;
      const low = body.last[1]!;
      const hasHigh = masksHigh[row]!;
      const hasLow = masksLow[row]!;
      if ((high & ~hasHigh) !== 0 || (low & ~hasLow) !== 0) {
        const first = Math.clz32(high & ~hasHigh);
        throw body.lacks(first < 32 ? first : 32 + Math.clz32(low & ~hasLow));
      }
      let start = into.start(row);
      // Along all components that the entity has, up to the last that is updated.
      for (let base = 0; base < 64; base += 32) {
        let has = base === 0 ? hasHigh : hasLow;
        let named = base === 0 ? high : low;
        const others = base === 0 ? low : 0;
        while (has !== 0 && (named !== 0 || others !== 0)) {
          const bit = Math.clz32(has);
          const one = 0x8000_0000 >>> bit;
          has &= ~one;
          const part = parts[base + bit]!;
          if ((named & one) !== 0) {
            named &= ~one;
            this.updatePart(body, base + bit, slots, start);
          }
          start += part.slots;
        }
      }
    }
  }

  private updatePart(body: SectionBody, component: number, slots: Float64Array, start: number): void {
    const part = this.schema.layout.parts[component]!;
    body.updateMask(part, component);
    const high = body.last[0]!;
    const low = body.last[1]!;
    for (let rest = high, base = 0; base < 64; rest = low, base += 32) {
      while (rest !== 0) {
        const bit = Math.clz32(rest);
        rest &= ~(0x8000_0000 >>> bit);
        const field = base + bit;
        body.value(part.fields[field]!, slots, start, component, field);
      }
    }
  }
}
