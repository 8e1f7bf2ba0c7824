// How the values of a column are coded in the fields of packets.

import type { Kind, Value } from "../model.js";
import { Damaged } from "../source/check.js";
import { type Schema, fixedPoint } from "../wire/index.js";
import type { Plan } from "../wire/layout.js";
import type { Coded, Place } from "./description.js";

/** A field, by its places in the schema. */
export interface At {
  readonly component: number;
  readonly plan: Plan;
}

// The field beside a value: none, whether there is a value, and whether it is written by its bits.
const ALWAYS = 0;
const MAYBE = 1;
const EXACTLY = 2;

const MISSING = 0;
const PLAIN = 1;
const EXACT = 2;

// Numbers by their bits.
const bits = new DataView(new ArrayBuffer(8));

function float32(word: number): number {
  bits.setUint32(0, word);
  return bits.getFloat32(0);
}

function float64(high: number, low: number): number {
  bits.setUint32(0, high);
  bits.setUint32(4, low);
  return bits.getFloat64(0);
}

/** A whole number that takes two slots. */
function wide(plan: Plan, slots: Float64Array, at: number): number | bigint {
  const value = plan.exactMin + (BigInt(slots[at]!) << 32n) + BigInt(slots[at + 1]!);
  const near = Number(value);
  return Number.isSafeInteger(near) ? near : value;
}

/** The field of a place. */
export function fieldAt(schema: Schema, place: Place, what: string): At {
  const component = schema.place(place.component);
  const field = place.field === null ? 0 : schema.fieldPlace(place.component, place.field);
  const plan = schema.layout.parts[component]?.fields[field];
  if (plan === undefined) {
    throw new Damaged(`${what} is not in the packets`);
  }
  return { component, plan };
}

/**
 * The values of a column, in slots of a state: `how`, `plain` and `exact` are the places of its three fields; the
 * first and the last may be missing.
 */
export class Coding {
  readonly how: At | null;
  readonly plain: At;
  readonly exact: At | null;
  private readonly kind: Kind;
  private readonly said: number;
  /** For fixed point the number of steps in 1; otherwise 0. */
  private readonly scale: number;

  constructor(schema: Schema, kind: Kind, coded: Coded, what: string) {
    const field = (place: Place): At => fieldAt(schema, place, what);
    this.kind = kind;
    this.how = coded.how && field(coded.how);
    this.plain = field(coded.plain);
    this.exact = coded.exact && field(coded.exact);
    const { codec } = this.plain.plan;
    this.scale = codec.kind === "FixedPoint" ? codec.scale : 0;
    const how = this.how?.plan.codec;
    this.said = how === undefined ? ALWAYS : how.kind === "Bool" ? MAYBE : EXACTLY;
    if (!this.sound()) {
      throw new Damaged(`${what} is coded in a way that this page does not know`);
    }
  }

  private sound(): boolean {
    const { codec } = this.plain.plan;
    const unsigned = (size: number): boolean => codec.kind === "UInt" && codec.bits === size;
    const fits = {
      bool: codec.kind === "Bool",
      int: codec.kind === "SInt",
      uint: codec.kind === "UInt",
      text: codec.kind === "UInt",
      float32: unsigned(32) || codec.kind === "FixedPoint",
      float64: unsigned(64) || codec.kind === "FixedPoint",
    }[this.kind];
    const [how, exact] = [this.how?.plan.codec, this.exact?.plan.codec];
    // Only numbers of a stated precision may be written by their bits.
    const size = this.kind === "float32" ? 32 : 64;
    const saidWell =
      how === undefined || how.kind === "Bool"
        ? exact === undefined
        : how.kind === "UInt" && how.bits === 2 && exact?.kind === "UInt" && exact.bits === size && this.scale > 0;
    return fits && saidWell;
  }

  /** Whether the value is there, and where. */
  private which(slots: Float64Array, how: number): number {
    if (this.said === ALWAYS) {
      return PLAIN;
    }
    const said = slots[how]!;
    return this.said === MAYBE ? (said === 0 ? MISSING : PLAIN) : said === MISSING || said === EXACT ? said : PLAIN;
  }

  /** The value as a number: NaN where it is missing; for a text, its number among the labels. */
  number(slots: Float64Array, how: number, plain: number, exact: number): number {
    const which = this.which(slots, how);
    if (which === MISSING) {
      return NaN;
    }
    const at = which === EXACT ? exact : plain;
    const { plan } = which === EXACT ? this.exact! : this.plain;
    if (this.scale > 0 && which === PLAIN) {
      const value = fixedPoint(plan.wide ? wide(plan, slots, at) : slots[at]!, this.scale);
      return this.kind === "float32" ? Math.fround(value) : value;
    }
    if (this.kind === "float32") {
      return float32(slots[at]!);
    }
    if (this.kind === "float64") {
      return float64(slots[at]!, slots[at + 1]!);
    }
    return plan.wide ? Number(wide(plan, slots, at)) : slots[at]!;
  }

  /** The value; for a text, its number among the labels. */
  value(slots: Float64Array, how: number, plain: number, exact: number): Exclude<Value, string> {
    if (this.which(slots, how) === MISSING) {
      return null;
    }
    const { plan } = this.plain;
    if (plan.wide && (this.kind === "int" || this.kind === "uint")) {
      return wide(plan, slots, plain);
    }
    const number = this.number(slots, how, plain, exact);
    return this.kind === "bool" ? number !== 0 : number;
  }
}
