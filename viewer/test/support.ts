// Shared by the tests of the decoder: cases from files, and states as those have them.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { Decoder, type Limits, type ReadOptions, Schema, Snapshot, parseJson } from "../src/wire/index.js";
import type { FieldPlan } from "../src/wire/layout.js";

// The tests run compiled, in `target/viewer/out/test`.
const ROOT = new URL("../../../../", import.meta.url);

/** A file of the repository. */
export function read(path: string): string {
  return readFileSync(fileURLToPath(new URL(path, ROOT)), "utf8");
}

/** The lines of a file that the Rust example `decoder_cases` has written. */
export function lines<T>(name: string): T[] {
  let text;
  try {
    text = read(`target/viewer/cases/${name}`);
  } catch {
    throw new Error(`no ${name}: cargo run -p gametape-delta --example decoder_cases -- target/viewer/cases`);
  }
  // Only schemas have integers that are too large for `JSON.parse`, and it is much faster.
  const parse = (line: string): unknown => (line.includes('"schema"') ? parseJson(line) : JSON.parse(line));
  return text.split("\n").filter((line) => line !== "").map((line) => parse(line) as T);
}

export function unhex(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, "hex"));
}

/** A value as the cases have it: text beyond 53 bits. */
type JsonValue = boolean | number | string;

/** A state as the cases have it. */
export interface JsonState {
  readonly tick: number;
  readonly entities: readonly {
    readonly id: number;
    readonly components: Readonly<Record<string, readonly JsonValue[]>>;
  }[];
}

function toJson(value: boolean | number | bigint): JsonValue {
  if (typeof value !== "bigint") {
    return value;
  }
  return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
}

/** A state in the form of the cases. */
export function stateToJson(state: Snapshot): JsonState {
  const { schema } = state;
  const entities = Array.from(state.ids.subarray(0, state.length), (id, row) => {
    const components: Record<string, JsonValue[]> = {};
    schema.components.forEach(({ id, fields }, place) => {
      if (state.has(row, place)) {
        components[id] = fields.map((_, field) => toJson(state.value(row, place, field)!));
      }
    });
    return { id, components };
  });
  return { tick: state.tick, entities };
}

/** A state from the form of the cases. */
export function stateFromJson(schema: Schema, json: JsonState): Snapshot {
  const state = new Snapshot(schema);
  state.tick = json.tick;
  for (const { id, components } of json.entities) {
    const bits = new Uint32Array(2);
    schema.components.forEach((component, place) => {
      if (Object.hasOwn(components, component.id)) {
        bits[place >> 5]! |= 0x8000_0000 >>> (place & 31);
      }
    });
    const [high, low] = [bits[0]!, bits[1]!];
    const start = state.push(id, bits, schema.layout.slots(high, low));
    schema.components.forEach((component, place) => {
      const offset = schema.layout.offset(high, low, place);
      components[component.id]?.forEach((value, field) => {
        const plan = schema.layout.parts[place]!.fields[field]!;
        setValue(plan, state.slots, start + offset + plan.slot, value);
      });
    });
  }
  return state;
}

function setValue(plan: FieldPlan, slots: Float64Array, slot: number, value: JsonValue): void {
  if (plan.wide) {
    const code = BigInt(value) - plan.exactMin;
    slots[slot] = Number(code >> 32n);
    slots[slot + 1] = Number(code & 0xffff_ffffn);
  } else {
    slots[slot] = Number(value);
  }
}

/** The bytes of a state: what must not change where nothing is applied. */
export function fingerprint(state: Snapshot): string {
  return JSON.stringify([state.tick, state.length, stateToJson(state)]);
}

/** Applies a packet of either kind to `into`. */
export function decode(
  decoder: Decoder,
  baseline: Snapshot | undefined,
  packet: Uint8Array,
  into: Snapshot,
): void {
  if (baseline === undefined) {
    decoder.full(packet, into);
  } else {
    decoder.delta(baseline, packet, into);
  }
}

/** A strict and a lenient decoder. */
export function decoders(schema: Schema, limits?: Limits): { strict: Decoder; lenient: Decoder } {
  const options: ReadOptions = limits === undefined ? {} : { limits };
  return {
    strict: new Decoder(schema, options),
    lenient: new Decoder(schema, { ...options, strictness: "lenient" }),
  };
}
