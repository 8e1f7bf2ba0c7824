// Schemas, and the states of one: a thousand ships over a hundred ticks, and what is read out of them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { blake3 } from "../src/wire/blake3.js";
import { Decoder, NO_LIMITS, Snapshot, WireError, fixedPoint } from "../src/wire/index.js";
import { Schema, SchemaError, parseJson } from "../src/wire/index.js";
import { lines, unhex } from "./support.js";

interface Tick {
  readonly packet: string;
  readonly hash: string;
}

const [first, ...rest] = lines<{ schema: unknown } | Tick>("arena.jsonl");
assert.ok(first !== undefined && "schema" in first);
const SCHEMA = Schema.from(first.schema);
const TICKS = rest.filter((line): line is Tick => "packet" in line);

/** A line for each component of each entity: `id component: value value …`. */
function stateText(state: Snapshot): string {
  let text = `tick ${state.tick}\n`;
  for (let row = 0; row < state.length; row += 1) {
    SCHEMA.components.forEach(({ id, fields }, place) => {
      if (state.has(row, place)) {
        const values = fields.map((_, field) => ` ${state.value(row, place, field)}`);
        text += `${state.ids[row]} ${id}:${values.join("")}\n`;
      }
    });
  }
  return text;
}

function hash(state: Snapshot): string {
  return Buffer.from(blake3(Buffer.from(stateText(state)))).toString("hex");
}

/** The state of each tick, by two states in turn. */
function* replay(): Generator<Snapshot> {
  const decoder = new Decoder(SCHEMA, { limits: NO_LIMITS });
  let [held, next] = [new Snapshot(SCHEMA), new Snapshot(SCHEMA)];
  for (const [at, { packet }] of TICKS.entries()) {
    if (at === 0) {
      decoder.full(unhex(packet), next);
    } else {
      decoder.delta(held, unhex(packet), next);
    }
    [held, next] = [next, held];
    yield held;
  }
}

test("a thousand ships over a hundred ticks: each state is Rust's", () => {
  assert.equal(TICKS.length, 100);
  let at = 0;
  for (const state of replay()) {
    assert.equal(hash(state), TICKS[at]!.hash, `tick ${state.tick}`);
    at += 1;
  }
  assert.equal(at, 100);
});

test("a value is undefined where there is none", () => {
  const [state] = replay();
  assert.ok(state !== undefined);
  assert.equal(state.row(state.ids[3]!), 3);
  assert.deepEqual([state.row(0), state.row(4_294_967_295)], [-1, -1]);
  assert.notEqual(state.value(3, 0, 0), undefined);
  for (const [row, component, field] of [
    [state.length, 0, 0],
    [-1, 0, 0],
    [0, -1, 0],
    [0, 9, 0],
    [0, 0, 9],
  ] as const) {
    assert.equal(state.value(row, component, field), undefined);
  }
});

test("states of another schema, and the baseline itself, are refused", () => {
  const other = Schema.parse('{"components":[]}');
  const decoder = new Decoder(SCHEMA);
  const baseline = new Snapshot(other);
  baseline.tick = 1;
  const into = new Snapshot(other);
  const delta = unhex(TICKS[1]!.packet);
  assert.throws(() => decoder.delta(baseline, delta, into), (error: unknown) => {
    assert.ok(error instanceof WireError);
    assert.equal(error.code, "delta.baseline-schema");
    assert.equal(
      error.message,
      `byte 20: the state given has schema ${other.hashText}, ours is ${SCHEMA.hashText}`,
    );
    return true;
  });
  assert.throws(() => decoder.delta(baseline, delta, baseline), TypeError);
  // A state that is written to takes the schema of the packet.
  decoder.full(unhex(TICKS[0]!.packet), into);
  assert.equal(hash(into), TICKS[0]!.hash);
});

test("texts are schemas where Rust says so, with the same hash", (context) => {
  let [schemas, none] = [0, 0];
  const disagreements: string[] = [];
  for (const { text, hash } of lines<{ text: string; hash: string | null }>("schemas.jsonl")) {
    let found = null;
    let why = "";
    try {
      found = Schema.parse(text).hashText;
      schemas += 1;
    } catch (error) {
      assert.ok(error instanceof SchemaError, String(error));
      why = error.message;
      none += 1;
    }
    if (found !== hash) {
      disagreements.push(`Rust ${hash}, here ${found} ${why}: ${text.slice(0, 600)}`);
    }
  }
  context.diagnostic(`${schemas} schemas, ${none} texts that are none`);
  assert.ok(disagreements.length === 0, `${disagreements.length}:\n${disagreements.slice(0, 10).join("\n")}`);
  assert.ok(schemas > 500 && none > 500, `${schemas} schemas, ${none} others`);
});

test("integers keep all their digits, and texts that look like them stay texts", () => {
  const text = String.raw`{"a":9223372036854775807,"b":[-9223372036854775808,9007199254740991,1e3,"12345678901234567890"],"c":"\u0000123","d":"\\\"9223372036854775807"}`;
  assert.deepEqual(parseJson(text), {
    a: 9223372036854775807n,
    b: [-9223372036854775808n, 9007199254740991, 1000, "12345678901234567890"],
    c: "\u0000123",
    d: String.raw`\"9223372036854775807`,
  });
  for (const text of ["", "{", "0123456789012345678901", "[12345678901234567890abc]", "1234567890123456789-"]) {
    assert.throws(() => parseJson(text), SyntaxError, text);
  }
});

test("the error of a schema is reported", () => {
  const field = (field: string): string => `{"components":[{"id":1,"fields":[${field}]}]}`;
  for (const [text, why] of [
    ["[]", "the schema is no object"],
    ["{", "no JSON"],
    ['{"components":{}}', "the components are no array"],
    [field('{"id":1}'), 'a field of component 1 has no "codec"'],
    [field('{"id":1,"codec":"Bool","unit":"m"}'), 'a field of component 1 has an unknown key, "unit"'],
    [field('{"id":2,"codec":{"UInt":{"bits":65}}}'), "field 2 of component 1 has 65 bits, 1 to 64 are possible"],
    [field('{"id":2,"codec":"Float"}'), 'the codec of field 2 of component 1 is "Float", which is not known'],
    [field('{"id":2,"codec":{"Int":[9223372036854775807]}}'), 'is {"Int":["9223372036854775807"]}, which is not known'],
    [field('{"id":2,"codec":"Bool","change":null}'), "the change of field 2 of component 1 is null"],
    [
      field('{"id":1,"codec":{"FixedPoint":{"min_q":9223372036854775808,"max_q":1,"scale":1}}}'),
      "the smallest value of field 1 of component 1 is 9223372036854775808, not an integer of 64 bits",
    ],
    [field('{"id":1,"codec":"Bool"},{"id":1,"codec":"Bool"}'), "two fields of component 1 have the id 1"],
  ] as const) {
    assert.throws(() => Schema.parse(text), (error: unknown) => {
      assert.ok(error instanceof SchemaError);
      assert.ok(error.message.includes(why), `${error.message} does not say ${why}`);
      return true;
    });
  }
});

test("numbers of fixed point have the same bits as Rust's", () => {
  interface Fixed {
    readonly quantised: string;
    readonly scale: number;
    readonly bits: string;
  }
  // The other lines are rotations, which the page does not draw.
  const cases = lines<Fixed | { rotation: number }>("numbers.jsonl").filter((line): line is Fixed => "scale" in line);
  const view = new DataView(new ArrayBuffer(8));
  for (const { quantised, scale, bits } of cases) {
    const exact = BigInt(quantised);
    view.setFloat64(0, fixedPoint(exact, scale));
    assert.equal(view.getBigUint64(0).toString(16).padStart(16, "0"), bits, `${quantised} / ${scale}`);
    if (Number.isSafeInteger(Number(exact))) {
      assert.equal(fixedPoint(Number(exact), scale), fixedPoint(exact, scale));
    }
  }
  assert.equal(cases.length, 4000);
});
