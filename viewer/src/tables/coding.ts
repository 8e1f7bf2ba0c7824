// Reads the values of a column out of the fields of packets.

import type { Kind, Value } from "../model.js";
import { Damaged } from "../source/check.js";
import { type Schema, fixedPoint } from "../wire/index.js";
import type { FieldPlan } from "../wire/layout.js";
import type { Coded, FieldPlace } from "../source/description.js";

/** A field, by its places in the schema. */
export interface At {
  readonly component: number;
  readonly plan: FieldPlan;
  /** The first of its slots among those of its component, and the number of slots that it takes. */
  readonly slot: number;
  readonly step: number;
}

// The field beside a value says whether there is one, or also whether it is written by its bits.
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
function wide(plan: FieldPlan, slots: Float64Array, at: number): number | bigint {
  const value = plan.exactMin + (BigInt(slots[at]!) << 32n) + BigInt(slots[at + 1]!);
  const near = Number(value);
  return Number.isSafeInteger(near) ? near : value;
}

/** The slot of a field; of cells that lie one after the other, that of one of them. */
export function slotOf({ component, slot, step }: At, starts: Float64Array, cell: number): number {
  return starts[component]! + slot + step * cell;
}

/** The field of a place. */
export function fieldAt(schema: Schema, place: FieldPlace, what: string): At {
  const component = schema.place(place.component);
  const field = place.field === null ? 0 : schema.fieldPlace(place.component, place.field);
  const plan = schema.layout.parts[component]?.fields[field];
  if (plan === undefined) {
    throw new Damaged(`${what} is not in the packets`);
  }
  return { component, plan, slot: plan.slot, step: plan.wide ? 2 : 1 };
}

/**
 * Reads the values of a column out of the slots of a state. A value has up to three fields: `plain`, and beside it
 * `how` it is written and its `exact` bits. `starts` has the starts of each component's values, counted from `base`.
 */
export class Coding {
  readonly plain: At;
  private readonly how: At | null;
  private readonly exact: At | null;
  private readonly kind: Kind;
  private readonly said: number;
  /** For fixed point the number of steps in 1; otherwise 0. */
  private readonly scale: number;

  constructor(schema: Schema, kind: Kind, coded: Coded, what: string) {
    const field = (place: FieldPlace): At => fieldAt(schema, place, what);
    this.kind = kind;
    this.how = coded.how && field(coded.how);
    this.plain = field(coded.plain);
    this.exact = coded.exact && field(coded.exact);
    const { codec } = this.plain.plan;
    this.scale = codec.kind === "FixedPoint" ? codec.scale : 0;
    const how = this.how?.plan.codec;
    this.said = how?.kind === "Bool" ? MAYBE : EXACTLY;
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

  /** Whether the value is there, and where; `said` is what the field beside it says. */
  private which(said: number): number {
    return this.said === MAYBE ? (said === 0 ? MISSING : PLAIN) : said === MISSING || said === EXACT ? said : PLAIN;
  }

  /** The value as a number: NaN where it is missing; for a text, its number among the labels. */
  number(slots: Float64Array, starts: Float64Array, base = 0, cell = 0): number {
    const plain = base + slotOf(this.plain, starts, cell);
    if (Number.isNaN(plain)) {
      return NaN;
    }
    const which = this.how === null ? PLAIN : this.which(slots[base + slotOf(this.how, starts, cell)]!);
    if (which === MISSING) {
      return NaN;
    }
    return which === EXACT
      ? this.exactly(this.exact!.plan, slots, base + slotOf(this.exact!, starts, cell))
      : this.plainly(slots, plain);
  }

  /** The number in the plain field, at a slot. */
  private plainly(slots: Float64Array, at: number): number {
    const { plan } = this.plain;
    if (this.scale > 0) {
      const value = fixedPoint(plan.wide ? wide(plan, slots, at) : slots[at]!, this.scale);
      return this.kind === "float32" ? Math.fround(value) : value;
    }
    return this.exactly(plan, slots, at);
  }

  /** The number in a field that has its bits, or that is a whole number. */
  private exactly(plan: FieldPlan, slots: Float64Array, at: number): number {
    if (this.kind === "float32") {
      return float32(slots[at]!);
    }
    if (this.kind === "float64") {
      return float64(slots[at]!, slots[at + 1]!);
    }
    return plan.wide ? Number(wide(plan, slots, at)) : slots[at]!;
  }

  /** Writes the numbers of cells that lie one after the other to their places, as far as they have one and are stated. */
  numbers(
    slots: Float64Array,
    starts: Float64Array,
    base: number,
    stated: number,
    places: Int32Array,
    into: Float64Array,
  ): void {
    const [how, plain] = [base + slotOf(this.how ?? this.plain, starts, 0), base + slotOf(this.plain, starts, 0)];
    const exact = base + slotOf(this.exact ?? this.plain, starts, 0);
    const [plainStep, exactStep] = [this.plain.step, this.exact?.step ?? 0];
    for (let cell = 0; cell < places.length; cell += 1) {
      const place = places[cell]!;
      if (place < 0 || slots[stated + cell] === 0) {
        continue;
      }
      const which = this.how === null ? PLAIN : this.which(slots[how + cell]!);
      if (which === PLAIN) {
        into[place] = this.plainly(slots, plain + cell * plainStep);
      } else if (which === EXACT) {
        into[place] = this.exactly(this.exact!.plan, slots, exact + cell * exactStep);
      }
    }
  }

  /** The value; for a text, its number among the labels. */
  value(slots: Float64Array, starts: Float64Array, base = 0, cell = 0): Exclude<Value, string> {
    const plain = base + slotOf(this.plain, starts, cell);
    const said = this.how === null ? PLAIN : slots[base + slotOf(this.how, starts, cell)]!;
    if (Number.isNaN(plain) || (this.how !== null && this.which(said) === MISSING)) {
      return null;
    }
    const { plan } = this.plain;
    if (plan.wide && (this.kind === "int" || this.kind === "uint")) {
      return wide(plan, slots, plain);
    }
    const number = this.number(slots, starts, base, cell);
    return this.kind === "bool" ? number !== 0 : number;
  }
}
