// Every rule a packet can break, with the numbers that break it, and the sentence made of them. Codes,
// sentences and offsets are those of the Rust decoder; the tests compare all three.

import { LIMIT_NAMES, type Limit } from "./limits.js";

/** A section's number on the wire. */
export type Tag = 1 | 2 | 3;
export const CREATE = 1;
export const DESTROY = 2;
export const UPDATE = 3;

export const MAGIC = 0x5344_4543;
export const VERSION = 0;
export const HEADER_BYTES = 28;

/** One rule of the wire, and what was found against it. */
export type Rule =
  | { readonly code: "delta.header"; readonly bytes: number }
  | { readonly code: "delta.magic"; readonly found: number }
  | { readonly code: "delta.version"; readonly found: number }
  | { readonly code: "delta.flags"; readonly found: number }
  | { readonly code: "delta.schema-hash"; readonly expected: bigint; readonly found: bigint }
  | { readonly code: "delta.baseline-tick"; readonly full: boolean; readonly baseline: number }
  | { readonly code: "delta.tick-order"; readonly tick: number; readonly baseline: number }
  | { readonly code: "delta.payload-length"; readonly claimed: number; readonly found: number }
  | { readonly code: "delta.limit"; readonly limit: Limit; readonly max: number; readonly found: number }
  | { readonly code: "delta.unknown-section"; readonly tag: number }
  | { readonly code: "delta.unexpected-section"; readonly tag: Tag }
  | { readonly code: "delta.duplicate-section"; readonly tag: Tag }
  | { readonly code: "delta.section-length"; readonly tag: number; readonly claimed: number; readonly left: number }
  | { readonly code: "delta.count"; readonly tag: Tag; readonly claimed: number; readonly left: number }
  | { readonly code: "delta.truncated"; readonly wanted: number; readonly left: number }
  | { readonly code: "delta.varuint-too-long" }
  | { readonly code: "delta.varuint-not-minimal" }
  | { readonly code: "delta.padding"; readonly bits: number }
  | { readonly code: "delta.trailing-data"; readonly tag: Tag; readonly bytes: number }
  | { readonly code: "delta.entity-order"; readonly tag: Tag; readonly previous: number; readonly entity: number }
  | { readonly code: "delta.empty-field-mask"; readonly entity: number; readonly component: number }
  | {
      readonly code: "delta.missing-field";
      readonly entity: number;
      readonly component: number;
      readonly field: number;
    }
  | {
      readonly code: "delta.value";
      readonly entity: number;
      readonly component: number;
      readonly field: number;
      /** Above the smallest value of the field. */
      readonly above: bigint;
      readonly max: bigint;
    }
  | { readonly code: "delta.baseline-missing"; readonly baseline: number }
  | { readonly code: "delta.baseline-mismatch"; readonly expected: number; readonly found: number }
  | { readonly code: "delta.baseline-schema"; readonly expected: bigint; readonly found: bigint }
  | { readonly code: "delta.entity-not-found"; readonly tag: Tag; readonly entity: number }
  | { readonly code: "delta.entity-exists"; readonly entity: number }
  | { readonly code: "delta.component-not-found"; readonly entity: number; readonly component: number }
  | { readonly code: "delta.kind"; readonly full: boolean };

/** The stable code of a rule: `delta.truncated`. */
export type RuleCode = Rule["code"];

/** Why a packet could not be read or applied. Nothing of it was. */
export class WireError extends Error {
  /** The rule it breaks, and the numbers. */
  readonly rule: Rule;
  /** Where in the packet, in bytes. */
  readonly offset: number;

  constructor(rule: Rule, offset: number) {
    super(`byte ${grouped(offset)}: ${sentence(rule)}`);
    this.name = "WireError";
    this.rule = rule;
    this.offset = offset;
  }

  /** The stable code of the rule. */
  get code(): RuleCode {
    return this.rule.code;
  }

  /** The packet may be right, but what it builds on is not held: a full snapshot mends it. */
  get needsFull(): boolean {
    return this.code === "delta.baseline-missing" || this.code === "delta.baseline-mismatch";
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

const TAG_NAMES: Readonly<Record<Tag, string>> = { 1: "CREATE", 2: "DESTROY", 3: "UPDATE" };

/** The sentence of a rule, without the place. */
export function sentence(rule: Rule): string {
  switch (rule.code) {
    case "delta.header":
      return `the packet has ${bytes(rule.bytes)}, a header has ${HEADER_BYTES}`;
    case "delta.magic":
      return `the packet starts with ${hex(rule.found, 8)}, the magic number is ${hex(MAGIC, 8)}`;
    case "delta.version":
      return `wire version ${rule.found}; only version 0 can be read`;
    case "delta.flags":
      return `flags ${hex(rule.found, 4)}: exactly one of FULL (1) and DELTA (2) must be set, and nothing else`;
    case "delta.schema-hash":
      return `the packet's schema is ${hex64(rule.found)}, ours is ${hex64(rule.expected)}`;
    case "delta.baseline-tick":
      return rule.full
        ? `a full snapshot with baseline tick ${grouped(rule.baseline)}, not 0`
        : "a delta with baseline tick 0";
    case "delta.tick-order":
      return `tick ${grouped(rule.tick)} is not after its baseline, tick ${grouped(rule.baseline)}`;
    case "delta.payload-length":
      return `the header claims a payload of ${bytes(rule.claimed)}, ${grouped(rule.found)} follow it`;
    case "delta.limit":
      return `${grouped(rule.found)} ${LIMIT_NAMES[rule.limit]}, the limit is ${grouped(rule.max)}`;
    case "delta.unknown-section":
      return `section tag ${rule.tag} is not defined`;
    case "delta.unexpected-section":
      return `a full snapshot has no ${TAG_NAMES[rule.tag]} section`;
    case "delta.duplicate-section":
      return `a second ${TAG_NAMES[rule.tag]} section`;
    case "delta.section-length":
      return `section ${rule.tag} claims ${bytes(rule.claimed)}, ${left(rule.left)}`;
    case "delta.count":
      return `the ${TAG_NAMES[rule.tag]} section claims ${grouped(rule.claimed)} entities in ${bytes(rule.left)}`;
    case "delta.truncated":
      return `${rule.wanted} bits are wanted, ${left(rule.left)}`;
    case "delta.varuint-too-long":
      return "a varuint exceeds 5 bytes or 32 bits";
    case "delta.varuint-not-minimal":
      return "a varuint is longer than its value needs";
    case "delta.padding":
      return `padding bits are 0b${rule.bits.toString(2)}, not zero`;
    case "delta.trailing-data":
      return `${bytes(rule.bytes)} after the last entity of the ${TAG_NAMES[rule.tag]} section`;
    case "delta.entity-order":
      return `entity ${rule.entity} follows entity ${rule.previous} in the ${TAG_NAMES[rule.tag]} section`;
    case "delta.empty-field-mask":
      return `entity ${rule.entity}, component ${rule.component}: the update names no field`;
    case "delta.missing-field":
      return `entity ${rule.entity}, component ${rule.component}: field ${rule.field} is missing from a new component`;
    case "delta.value":
      return (
        `entity ${rule.entity}, component ${rule.component}, field ${rule.field}: ` +
        `the value is ${rule.above} above the smallest, ${rule.max} is the most`
      );
    case "delta.baseline-missing":
      return `the baseline, tick ${grouped(rule.baseline)}, is not held`;
    case "delta.baseline-mismatch":
      return (
        `the packet's baseline is tick ${grouped(rule.found)}, ` +
        `the state given is of tick ${grouped(rule.expected)}`
      );
    case "delta.baseline-schema":
      return `the state given has schema ${hex64(rule.found)}, ours is ${hex64(rule.expected)}`;
    case "delta.entity-not-found":
      return `${TAG_NAMES[rule.tag]} of entity ${rule.entity}, which is not there`;
    case "delta.entity-exists":
      return `CREATE of entity ${rule.entity}, which is there already`;
    case "delta.component-not-found":
      return `UPDATE of component ${rule.component} of entity ${rule.entity}, which does not have it`;
    case "delta.kind":
      return `the packet is a ${rule.full ? "full snapshot, not a delta" : "delta, not a full snapshot"}`;
  }
}
