// Texts that are schemas, and texts that are none.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Schema, SchemaError, parseJson } from "../src/wire/index.js";
import { lines } from "./support.js";

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
