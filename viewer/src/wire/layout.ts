// Components and fields, and how states store the value of each field, worked out once for a schema.
//
// A state keeps its values in one array of doubles. A field whose values a double holds exactly takes one
// place there, a *narrow* one, and the value itself stands in it. Any other field takes two, a *wide* one:
// the high and the low 32 bits of the value's distance from the smallest. So nothing on the way from a
// packet to a state needs a bigint.

/** The way in which a field is written. */
export type Codec =
  | { readonly kind: "Bool" | "VarUInt" | "VarSInt" }
  | { readonly kind: "UInt" | "SInt"; readonly bits: number }
  | { readonly kind: "FixedPoint"; readonly minQ: bigint; readonly maxQ: bigint; readonly scale: number };

/** One field of a component. */
export interface SchemaField {
  /** 1 to 65,535, unique in the component. */
  readonly id: number;
  /** For people; neither on the wire nor in the hash. */
  readonly name: string | undefined;
  readonly codec: Codec;
  /** Differences up to this are not sent; undefined where all are. */
  readonly threshold: number | undefined;
}

/** One component: fields that are replicated together. */
export interface Component {
  /** 1 to 65,535, unique in the schema. */
  readonly id: number;
  readonly name: string | undefined;
  /** In the order of the wire. */
  readonly fields: readonly SchemaField[];
}

/** The forms of a value on the wire. */
export const BITS = 0;
export const VARUINT = 1;
const ZIGZAG = 2;

/** One field, as it is read and stored. */
export type FieldPlan = Readonly<ReturnType<typeof plan>>;
/** One component, as it is read and stored. */
export type ComponentPlan = Layout["parts"][number];

/** The first `count` bits of 32, from the highest on. */
function highest(count: number): number {
  return count <= 0 ? 0 : count >= 32 ? 0xffff_ffff : (0xffff_ffff << (32 - count)) >>> 0;
}

/** All fields of a schema, in the order of the wire. */
export class Layout {
  /** Of each component: its fields, the places of its values, the mask of all fields (the first 32, and the others). */
  readonly parts: readonly {
    readonly fields: readonly FieldPlan[];
    readonly slots: number;
    readonly fullHigh: number;
    readonly fullLow: number;
  }[];
  /** Most fields of a component. */
  readonly mostFields: number;

  constructor(components: readonly Component[]) {
    this.parts = components.map(({ fields }) => {
      let slots = 0;
      const plans = fields.map(({ codec }) => {
        const made = plan(codec, slots);
        slots += made.wide ? 2 : 1;
        return made;
      });
      const fullHigh = highest(plans.length);
      return { fields: plans, slots, fullHigh, fullLow: highest(plans.length - 32) };
    });
    this.mostFields = Math.max(0, ...components.map(({ fields }) => fields.length));
  }

  /** Places of the values of an entity that has these components. */
  slots(high: number, low: number): number {
    let sum = 0;
    for (let rest = high, base = 0; ; rest = low, base = 32) {
      while (rest !== 0) {
        const at = Math.clz32(rest);
        rest &= ~(0x8000_0000 >>> at);
        sum += this.parts[base + at]?.slots ?? 0;
      }
      if (base === 32) {
        return sum;
      }
    }
  }

  /** The place of a component's values among those of an entity; −1 if it lacks the component. */
  offset(high: number, low: number, component: number): number {
    if (!hasBit(high, low, component)) {
      return -1;
    }
    return this.slots(high & highest(component), low & highest(component - 32));
  }
}

/** Whether the bit of a component or field is set. */
export function hasBit(high: number, low: number, place: number): boolean {
  const word = place < 32 ? high : low;
  return place >= 0 && place < 64 && ((word << (place & 31)) & 0x8000_0000) !== 0;
}

function plan(codec: Codec, slot: number) {
  const { form, bits, min, max } = range(codec);
  const wide = !(isSafe(min) && isSafe(min + max) && isSafe(max));
  return {
    form,
    /** Bits on the wire, of a field that stands there as such. */
    bits,
    /** True where the highest bit is a sign. */
    signed: codec.kind === "SInt",
    wide,
    /** Narrow: the value of the code 0, and the largest code. */
    min: wide ? 0 : Number(min),
    max: wide ? 0 : Number(max),
    /** Wide: the largest code. */
    maxHigh: Number(max >> 32n),
    maxLow: Number(max & 0xffff_ffffn),
    /** The value of the code 0, and the largest code, whatever their size. */
    exactMin: min,
    exactMax: max,
    /** The first of its places among those of its component. */
    slot,
    codec,
  };
}

function isSafe(value: bigint): boolean {
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER);
}

/** The smallest value, and the largest code: the distance of the largest value from the smallest. */
function range(codec: Codec): { form: number; bits: number; min: bigint; max: bigint } {
  switch (codec.kind) {
    case "Bool":
      return { form: BITS, bits: 1, min: 0n, max: 1n };
    case "UInt":
      return { form: BITS, bits: codec.bits, min: 0n, max: (1n << BigInt(codec.bits)) - 1n };
    case "SInt": {
      const half = 1n << BigInt(codec.bits - 1);
      return { form: BITS, bits: codec.bits, min: -half, max: 2n * half - 1n };
    }
    case "VarUInt":
      return { form: VARUINT, bits: 0, min: 0n, max: 0xffff_ffffn };
    case "VarSInt":
      return { form: ZIGZAG, bits: 0, min: -0x8000_0000n, max: 0xffff_ffffn };
    case "FixedPoint": {
      const max = codec.maxQ - codec.minQ;
      return { form: BITS, bits: max === 0n ? 0 : max.toString(2).length, min: codec.minQ, max };
    }
  }
}

/** The number of a fixed-point value: the same bits as that of Rust's `FixedPoint`. */
export function fixedPoint(quantised: number | bigint, scale: number): number {
  return Number(quantised) / scale;
}
