// The entities of a section, bit by bit.

import { BitReader } from "./bits.js";
import type { PacketFrame } from "./frame.js";
import { BITS, type ComponentPlan, type FieldPlan, VARUINT } from "./layout.js";
import { CREATE, type Limit, type Limits, type Rule, type SectionTag, UPDATE, WireError, checkLimit } from "./rules.js";
import type { Schema } from "./schema.js";

const TWO_32 = 2 ** 32;

/** Reads the body of a section. Used again for each packet. */
export class SectionBody extends BitReader {
  /** The entity whose id was read last. */
  id = -1;
  /**
   * The mask that was read last: the first 32 bits, and the others. In an array, because an object would
   * box numbers of 32 bits.
   */
  readonly last = new Uint32Array(2);
  private readonly frame: PacketFrame;
  private readonly schema: Schema;
  private readonly tag: SectionTag;
  private readonly limit: Limit;
  private readonly limits: Limits;
  /** Entities that are still to come. */
  private entities = 0;

  constructor(frame: PacketFrame, schema: Schema, tag: SectionTag, limits: Limits, strict: boolean) {
    super(frame.bytes, strict);
    this.frame = frame;
    this.schema = schema;
    this.tag = tag;
    this.limit = tag === CREATE ? "creates" : tag === UPDATE ? "updates" : "destroys";
    this.limits = limits;
  }

  /** Begins with the section of the packet, which has to be there; checks its count. */
  begin(): void {
    this.seek(this.frame.starts[this.tag]!, this.frame.ends[this.tag]!);
    this.id = -1;
    const claimed = this.varuint();
    checkLimit(this.limits, this.limit, claimed, this.byte);
    const left = this.left() / 8;
    // An entity has an id of 4 bytes at least.
    if (claimed > Math.floor(left / 4)) {
      throw this.error({ code: "delta.count", tag: this.tag, claimed, left });
    }
    this.entities = claimed;
  }

  /** An error at the byte that is to be read next. */
  error(rule: Rule): WireError {
    return new WireError(rule, this.byte);
  }

  /** Reads the next id. Where there is none the body is checked to end. */
  next(): boolean {
    if (this.entities === 0) {
      this.align();
      const bytes = this.left() / 8;
      if (bytes > 0) {
        throw this.error({ code: "delta.trailing-data", tag: this.tag, bytes });
      }
      return false;
    }
    this.entities -= 1;
    const previous = this.id;
    const entity = this.u32();
    if (entity <= previous) {
      const rule: Rule = { code: "delta.entity-order", tag: this.tag, previous, entity };
      throw new WireError(rule, this.byteBefore(32));
    }
    this.id = entity;
    return true;
  }

  /** Reads a mask of so many bits to `last`: the first one is the highest bit of its first word. */
  mask(count: number): void {
    const { last } = this;
    this.want(count);
    if (count <= 32) {
      last[0] = count === 0 ? 0 : this.take(count) << (32 - count);
      last[1] = 0;
    } else {
      last[0] = this.take(32);
      last[1] = this.take(count - 32) << (64 - count);
    }
  }

  /** Reads the mask of the fields of a component that is new: full. */
  createMask(part: ComponentPlan, component: number): void {
    this.mask(part.fields.length);
    const high = this.last[0]!;
    const low = this.last[1]!;
    if (high !== part.fullHigh || low !== part.fullLow) {
      const first = Math.clz32(~high);
      const field = first < 32 ? first : 32 + Math.clz32(~low);
      throw this.error({ code: "delta.missing-field", entity: this.id, ...this.ids(component, field) });
    }
  }

  /** Reads the mask of the fields of a component that is updated: not empty. */
  updateMask(part: ComponentPlan, component: number): void {
    this.mask(part.fields.length);
    if (this.last[0] === 0 && this.last[1] === 0) {
      const { component: id } = this.ids(component, 0);
      throw this.error({ code: "delta.empty-field-mask", entity: this.id, component: id });
    }
  }

  /** Reads a value into its place among `slots`, where those of its component begin at `start`. */
  value(plan: FieldPlan, slots: Float64Array, start: number, component: number, field: number): void {
    const slot = start + plan.slot;
    if (plan.form === BITS) {
      const { bits } = plan;
      this.want(bits);
      if (plan.wide) {
        this.wide(plan, slots, slot, component, field);
      } else if (bits <= 32) {
        this.narrow(plan, this.take(bits), slots, slot, component, field);
      } else {
        const high = this.take(bits - 32);
        this.narrow(plan, high * TWO_32 + this.take(32), slots, slot, component, field);
      }
    } else if (plan.form === VARUINT) {
      slots[slot] = this.varuint();
    } else {
      const zigzag = this.varuint();
      slots[slot] = (zigzag >>> 1) ^ -(zigzag & 1);
    }
  }

  private narrow(
    plan: FieldPlan,
    code: number,
    slots: Float64Array,
    slot: number,
    component: number,
    field: number,
  ): void {
    if (plan.signed) {
      // Two's complement: the upper half is below zero.
      slots[slot] = code < -plan.min ? code : code + 2 * plan.min;
      return;
    }
    if (code > plan.max) {
      throw this.tooLarge(plan, BigInt(code), component, field);
    }
    slots[slot] = plan.min + code;
  }

  private wide(plan: FieldPlan, slots: Float64Array, slot: number, component: number, field: number): void {
    const { bits } = plan;
    let high = bits > 32 ? this.take(bits - 32) : 0;
    const low = this.take(Math.min(bits, 32));
    if (plan.signed) {
      // The distance from the smallest value: the sign bit is inverted.
      high = (high ^ (1 << (bits - 33))) >>> 0;
    }
    if (high > plan.maxHigh || (high === plan.maxHigh && low > plan.maxLow)) {
      throw this.tooLarge(plan, (BigInt(high) << 32n) + BigInt(low), component, field);
    }
    slots[slot] = high;
    slots[slot + 1] = low;
  }

  private tooLarge(plan: FieldPlan, above: bigint, component: number, field: number): WireError {
    const ids = this.ids(component, field);
    const rule: Rule = { code: "delta.value", entity: this.id, ...ids, above, max: plan.exactMax };
    return new WireError(rule, this.byteBefore(plan.bits));
  }

  /** The ids of a component and of one of its fields, by their places. */
  private ids(component: number, field: number): { component: number; field: number } {
    const found = this.schema.components[component];
    return { component: found?.id ?? 0, field: found?.fields[field]?.id ?? 0 };
  }

  /** Refuses an update of a component that the entity lacks. */
  lacks(component: number): WireError {
    const { component: id } = this.ids(component, 0);
    return this.error({ code: "delta.component-not-found", entity: this.id, component: id });
  }
}
