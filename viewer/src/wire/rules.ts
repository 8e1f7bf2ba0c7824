// Every rule that a packet can break, and the sentence about it; and the limits, which are rules of their own. Codes,
// sentences and offsets are those of the Rust decoder; the tests compare all three.

/** A section's number on the wire. */
export type SectionTag = 1 | 2 | 3;
export const CREATE = 1;
export const DESTROY = 2;
export const UPDATE = 3;

export const MAGIC = 0x5344_4543;
export const VERSION = 0;
export const HEADER_BYTES = 28;

/** Most components of a schema, and most fields of a component. */
export const MAX_MASK_BITS = 64;

/** The things that are limited, as sentences name them, and the default limit of each. */
const LIMITED = {
  packetBytes: ["bytes in a packet", 64 << 10],
  sections: ["sections in a packet", 16],
  sectionBytes: ["bytes in a section", 32 << 10],
  creates: ["created entities in a packet", 1024],
  updates: ["updated entities in a packet", 2048],
  destroys: ["destroyed entities in a packet", 1024],
  components: ["components in a schema", MAX_MASK_BITS],
  fields: ["fields in a component", MAX_MASK_BITS],
  entities: ["entities in a state", 4096],
} as const;

export type Limit = keyof typeof LIMITED;
/** The most there may be of each thing, checked before anything is counted or allocated. */
export type Limits = Readonly<Record<Limit, number>>;

function limits(most: (limit: Limit) => number): Limits {
  return Object.fromEntries((Object.keys(LIMITED) as Limit[]).map((limit) => [limit, most(limit)])) as Limits;
}

export const DEFAULT_LIMITS = limits((limit) => LIMITED[limit][1]);

/** No limit but what the packet's length implies: for recordings, and input that is trusted. */
export const NO_LIMITS = limits((limit) => {
  return limit === "components" || limit === "fields" ? MAX_MASK_BITS : 0xffff_ffff;
});

/** Refuses more of a thing than there may be. */
export function checkLimit(limits: Limits, limit: Limit, found: number, at: number): void {
  if (found > limits[limit]) {
    throw new WireError({ code: "delta.limit", limit, max: limits[limit], found }, at);
  }
}

/** Digits in groups of three, whatever the reader's language: these are compared with Rust's. */
function grouped(count: number): string {
  return count.toString().replace(/\B(?=(?:\d{3})+$)/g, ",");
}

function bytes(count: number): string {
  return `${grouped(count)} ${count === 1 ? "byte" : "bytes"}`;
}

function left(count: number): string {
  return `${grouped(count)} ${count === 1 ? "is" : "are"} left`;
}

/** A hash of 64 bits as 16 digits. */
export function hex64(hash: bigint): string {
  return hash.toString(16).padStart(16, "0");
}

function hex(value: number, digits: number): string {
  return `0x${value.toString(16).padStart(digits, "0")}`;
}

const TAG_NAMES: Readonly<Record<SectionTag, string>> = { 1: "CREATE", 2: "DESTROY", 3: "UPDATE" };

interface FieldIds {
  entity: number;
  component: number;
  field: number;
}

/** For each code, the data of a breach of the rule, and the sentence made of them. */
const SENTENCES = {
  "delta.header": (of: { bytes: number }) => `the packet has ${bytes(of.bytes)}, a header has ${HEADER_BYTES}`,
  "delta.magic": ({ found }: { found: number }) =>
    `the packet starts with ${hex(found, 8)}, the magic number is ${hex(MAGIC, 8)}`,
  "delta.version": ({ found }: { found: number }) => `wire version ${found}; only version 0 can be read`,
  "delta.flags": ({ found }: { found: number }) =>
    `flags ${hex(found, 4)}: exactly one of FULL (1) and DELTA (2) must be set, and nothing else`,
  "delta.schema-hash": ({ expected, found }: { expected: bigint; found: bigint }) =>
    `the packet's schema is ${hex64(found)}, ours is ${hex64(expected)}`,
  "delta.baseline-tick": ({ full, baseline }: { full: boolean; baseline: number }) =>
    full ? `a full snapshot with baseline tick ${grouped(baseline)}, not 0` : "a delta with baseline tick 0",
  "delta.tick-order": ({ tick, baseline }: { tick: number; baseline: number }) =>
    `tick ${grouped(tick)} is not after its baseline, tick ${grouped(baseline)}`,
  "delta.payload-length": ({ claimed, found }: { claimed: number; found: number }) =>
    `the header claims a payload of ${bytes(claimed)}, ${grouped(found)} follow it`,
  "delta.limit": ({ limit, max, found }: { limit: Limit; max: number; found: number }) =>
    `${grouped(found)} ${LIMITED[limit][0]}, the limit is ${grouped(max)}`,
  "delta.unknown-section": ({ tag }: { tag: number }) => `section tag ${tag} is not defined`,
  "delta.unexpected-section": ({ tag }: { tag: SectionTag }) => `a full snapshot has no ${TAG_NAMES[tag]} section`,
  "delta.duplicate-section": ({ tag }: { tag: SectionTag }) => `a second ${TAG_NAMES[tag]} section`,
  "delta.section-length": (of: { tag: number; claimed: number; left: number }) =>
    `section ${of.tag} claims ${bytes(of.claimed)}, ${left(of.left)}`,
  "delta.count": (of: { tag: SectionTag; claimed: number; left: number }) =>
    `the ${TAG_NAMES[of.tag]} section claims ${grouped(of.claimed)} entities in ${bytes(of.left)}`,
  "delta.truncated": (of: { wanted: number; left: number }) => `${of.wanted} bits are wanted, ${left(of.left)}`,
  "delta.varuint-too-long": (_: object) => "a varuint exceeds 5 bytes or 32 bits",
  "delta.varuint-not-minimal": (_: object) => "a varuint is longer than its value needs",
  "delta.padding": ({ bits }: { bits: number }) => `padding bits are 0b${bits.toString(2)}, not zero`,
  "delta.trailing-data": (of: { tag: SectionTag; bytes: number }) =>
    `${bytes(of.bytes)} after the last entity of the ${TAG_NAMES[of.tag]} section`,
  "delta.entity-order": ({ tag, previous, entity }: { tag: SectionTag; previous: number; entity: number }) =>
    `entity ${entity} follows entity ${previous} in the ${TAG_NAMES[tag]} section`,
  "delta.empty-field-mask": ({ entity, component }: { entity: number; component: number }) =>
    `entity ${entity}, component ${component}: the update names no field`,
  "delta.missing-field": ({ entity, component, field }: FieldIds) =>
    `entity ${entity}, component ${component}: field ${field} is missing from a new component`,
  // `above` is the distance from the smallest value of the field.
  "delta.value": ({ entity, component, field, above, max }: FieldIds & { above: bigint; max: bigint }) =>
    `entity ${entity}, component ${component}, field ${field}: ` +
    `the value is ${above} above the smallest, ${max} is the most`,
  "delta.baseline-mismatch": ({ expected, found }: { expected: number; found: number }) =>
    `the packet's baseline is tick ${grouped(found)}, the state given is of tick ${grouped(expected)}`,
  "delta.baseline-schema": ({ expected, found }: { expected: bigint; found: bigint }) =>
    `the state given has schema ${hex64(found)}, ours is ${hex64(expected)}`,
  "delta.entity-not-found": ({ tag, entity }: { tag: SectionTag; entity: number }) =>
    `${TAG_NAMES[tag]} of entity ${entity}, which is not there`,
  "delta.entity-exists": ({ entity }: { entity: number }) => `CREATE of entity ${entity}, which is there already`,
  "delta.component-not-found": ({ entity, component }: { entity: number; component: number }) =>
    `UPDATE of component ${component} of entity ${entity}, which does not have it`,
  "delta.kind": ({ full }: { full: boolean }) =>
    `the packet is a ${full ? "full snapshot, not a delta" : "delta, not a full snapshot"}`,
} satisfies Readonly<Record<string, (of: never) => string>>;

/** The stable code of a rule: `delta.truncated`. */
export type RuleCode = keyof typeof SENTENCES;

/** A breach of one rule of the wire, with its data. */
export type Rule = {
  [Code in RuleCode]: { readonly code: Code } & Readonly<Parameters<(typeof SENTENCES)[Code]>[0]>;
}[RuleCode];

/** Why a packet could not be read or applied. Nothing of it was. */
export class WireError extends Error {
  /** The rule it breaks, and the numbers. */
  readonly rule: Rule;
  /** The place in the packet, in bytes. */
  readonly offset: number;

  constructor(rule: Rule, offset: number) {
    super(`byte ${grouped(offset)}: ${(SENTENCES[rule.code] as (of: Rule) => string)(rule)}`);
    this.name = "WireError";
    this.rule = rule;
    this.offset = offset;
  }

  get code(): RuleCode {
    return this.rule.code;
  }
}
