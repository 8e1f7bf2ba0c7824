// Tens of thousands of spoilt packets: the same verdict as the Rust decoder on each, to the last word.

import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";

import { type Decoder, type Limits, Schema, Snapshot, WireError } from "../src/wire/index.js";
import { type JsonState, decode, decoders, fingerprint, lines, stateFromJson, stateToJson, unhex } from "./support.js";

interface Scene {
  readonly schema: unknown;
  readonly schema_hash: string;
  readonly baseline: JsonState | null;
  readonly limits: Limits;
}

type Verdict =
  | { readonly state: JsonState }
  | { readonly error: string; readonly offset: number; readonly text: string };

interface Packet {
  readonly packet: string;
  readonly strict: Verdict;
  /** Where it differs from `strict`. */
  readonly lenient?: Verdict;
}

function verdict(decoder: Decoder, baseline: Snapshot | undefined, packet: Uint8Array, into: Snapshot): Verdict {
  try {
    decode(decoder, baseline, packet, into);
  } catch (error) {
    if (!(error instanceof WireError)) {
      throw error;
    }
    assert.equal(into.length, 0, "something was applied");
    return { error: error.code, offset: error.offset, text: error.message };
  }
  return { state: stateToJson(into) };
}

test("every spoilt packet comes out as it does in Rust", (context) => {
  let schema: Schema | undefined;
  let baseline: Snapshot | undefined;
  let before: string | undefined;
  let made: ReturnType<typeof decoders> | undefined;
  let into: Snapshot | undefined;
  let [packets, refused, lenientOnly] = [0, 0, 0];
  const codes = new Set<string>();
  const disagreements: string[] = [];
  const unchanged = (): void => {
    assert.equal(baseline && fingerprint(baseline), before, "a baseline was changed");
  };

  for (const line of lines<Scene | Packet>("spoilt.jsonl")) {
    if ("schema" in line) {
      unchanged();
      schema = Schema.from(line.schema);
      assert.equal(schema.hashText, line.schema_hash);
      baseline = line.baseline === null ? undefined : stateFromJson(schema, line.baseline);
      before = baseline && fingerprint(baseline);
      made = decoders(schema, line.limits);
      into = new Snapshot(schema);
      continue;
    }
    assert.ok(made !== undefined && into !== undefined);
    const packet = unhex(line.packet);
    packets += 1;
    const lenient = line.lenient ?? line.strict;
    for (const [decoder, expected] of [
      [made.strict, line.strict],
      [made.lenient, lenient],
    ] as const) {
      const found = verdict(decoder, baseline, packet, into);
      if (!isDeepStrictEqual(found, expected)) {
        disagreements.push(`${line.packet}\n  Rust ${JSON.stringify(expected)}\n  here ${JSON.stringify(found)}`);
      }
    }
    if ("error" in line.strict) {
      refused += 1;
      codes.add(line.strict.error);
      lenientOnly += "state" in lenient ? 1 : 0;
    }
  }
  unchanged();
  context.diagnostic(
    `${packets} packets: ${refused} refused for ${codes.size} rules, ${lenientOnly} of them read leniently`,
  );
  assert.ok(disagreements.length === 0, `${disagreements.length}:\n${disagreements.slice(0, 20).join("\n")}`);
  // A file that lacks most of it would prove nothing.
  const counts = `${packets} packets, ${refused} refused`;
  assert.ok(packets > 50_000 && refused > 20_000 && packets - refused > 10_000, counts);
  // All rules but those two that no packet breaks: what a caller holds, or gives, is not its own.
  assert.equal(codes.size, 28, [...codes].sort().join(", "));
});
