// Packets come out as they do in Rust: the conformance cases of crates/delta/vectors, used as their README says, and
// tens of thousands of spoilt packets, to the last word of a refusal.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";

import { type Decoder, type Limits, Schema, Snapshot, WireError, parseJson } from "../src/wire/index.js";
import { type JsonState, decode, decoders, fingerprint, lines } from "./support.js";
import { read, stateFromJson, stateToJson, unhex } from "./support.js";

interface Case {
  readonly name: string;
  readonly why: string;
  readonly schema: unknown;
  readonly schema_hash: string;
  readonly baseline: JsonState | null;
  readonly packet: string;
  readonly state?: JsonState;
  readonly error?: string;
  readonly offset?: number;
  readonly lenient?: JsonState;
}

for (const [file, count] of [
  ["full.json", 28],
  ["delta.json", 22],
  ["errors.json", 56],
] as const) {
  describe(file, () => {
    const cases = parseJson(read(`crates/delta/vectors/${file}`)) as Case[];
    test(`has ${count} cases or more`, () => assert.ok(cases.length >= count));
    for (const found of cases) {
      test(`${found.name}: ${found.why}`, () => run(found));
    }
  });
}

function run(found: Case): void {
  const schema = Schema.from(found.schema);
  assert.equal(schema.hashText, found.schema_hash);
  const baseline = found.baseline === null ? undefined : stateFromJson(schema, found.baseline);
  const before = baseline && fingerprint(baseline);
  const packet = unhex(found.packet);
  const { strict, lenient } = decoders(schema);
  const into = new Snapshot(schema);

  if (found.error === undefined) {
    for (const decoder of [strict, lenient]) {
      decode(decoder, baseline, packet, into);
      assert.deepEqual(stateToJson(into), found.state);
    }
  } else {
    const { error, offset } = found;
    // What was there before must not be there afterwards.
    into.push(7, new Uint32Array(2), 0);
    assert.throws(() => decode(strict, baseline, packet, into), (thrown: unknown) => {
      assert.ok(thrown instanceof WireError);
      assert.deepEqual([thrown.code, thrown.offset], [error, offset]);
      return true;
    });
    assert.equal(into.length, 0);
    if (found.lenient === undefined) {
      assert.throws(() => decode(lenient, baseline, packet, into), WireError);
    } else {
      decode(lenient, baseline, packet, into);
      assert.deepEqual(stateToJson(into), found.lenient);
    }
  }
  assert.equal(baseline && fingerprint(baseline), before);
}

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
  // All rules but the one that no packet breaks, because it is about the state that a caller gives.
  assert.equal(codes.size, 28, [...codes].sort().join(", "));
});
