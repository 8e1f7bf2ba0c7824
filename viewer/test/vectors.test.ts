// The conformance cases of crates/delta/vectors, as their README says that they are to be used.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Schema, Snapshot, WireError, parseJson } from "../src/wire/index.js";
import { type JsonState, decode, decoders, fingerprint, read, stateFromJson, stateToJson, unhex } from "./support.js";

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
      assert.ok(into.sameEntities(stateFromJson(schema, found.state!)));
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
