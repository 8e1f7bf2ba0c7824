// Published files are checked before they are used.

import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { test } from "node:test";

import { Damaged } from "../src/source/check.js";
import { Embedded, gunzip, records } from "../src/source/files.js";
import { library, published, recordingId } from "../src/source/published.js";

const ENTRY = {
  id: "a.rmv",
  name: "a.rmv",
  format: "rmv",
  duration_ms: 5,
  steps: 2,
  verdict: "pass",
  tables: ["t"],
  live: false,
  details: {},
};

test("a library is read; later members are passed over", () => {
  const text = JSON.stringify({
    version: 1,
    recordings: [{ ...ENTRY, verdict: null, duration_ms: "inf", more: 1 }],
    more: 2,
  });
  const [entry] = library(text);
  assert.equal(entry!.id, "a.rmv");
  assert.equal(entry!.verdict, null);
  assert.equal(entry!.durationMs, Infinity);
});

test("files that break a rule are refused with a sentence", () => {
  const refused = (change: object, sentence: RegExp): void => {
    const text = JSON.stringify({ version: 1, recordings: [{ ...ENTRY, ...change }] });
    assert.throws(
      () => library(text),
      (error: unknown) => error instanceof Damaged && sentence.test(error.message),
    );
  };
  refused({ id: "../a" }, /is no id/);
  refused({ id: ".." }, /is no id/);
  refused({ id: "a/b" }, /is no id/);
  refused({ name: 5 }, /is no text/);
  refused({ verdict: "fine" }, /none of pass, warn, fail/);
  refused({ steps: -1 }, /is no number from 0/);
  refused({ steps: 1.5 }, /is no number from 0/);
  assert.throws(() => library("{"), /no JSON/);
  assert.throws(() => library('{"version":2,"recordings":[]}'), /version 2/);
  assert.throws(() => published("[]"), /no object/);
  assert.equal(recordingId("a-B_1.rmv"), "a-B_1.rmv");
});

test("records end where they say, or the rest is refused", () => {
  const bytes = Uint8Array.from([1, 2, 0, 0, 0, 7, 8, 9, 0, 0, 0, 0]);
  const found: number[][] = [];
  records(bytes, "it", (kind, start, end) => found.push([kind, start, end]));
  assert.deepEqual(found, [
    [1, 5, 7],
    [9, 12, 12],
  ]);
  for (let cut = 1; cut < bytes.length; cut += 1) {
    if (cut !== 7) {
      assert.throws(() => records(bytes.subarray(0, cut), "it", () => {}), Damaged);
    }
  }
  const huge = Uint8Array.from([1, 255, 255, 255, 255, 0]);
  assert.throws(() => records(huge, "it", () => {}), /claims a record of 4294967295 bytes, 1 are left/);
});

test("compressed data come back, and no more than the limit", async () => {
  const bytes = new Uint8Array(100_000).map((_, at) => at % 251);
  const packed = new Uint8Array(gzipSync(bytes));
  assert.deepEqual(await gunzip(packed, "it"), bytes);
  await assert.rejects(gunzip(packed, "it", 99_999), /more than 99999 bytes/);
  await assert.rejects(gunzip(packed.subarray(0, 50), "it"), /it is damaged/);
  const flipped = packed.slice();
  flipped[flipped.length - 6]! ^= 1;
  await assert.rejects(gunzip(flipped, "it"), /it is damaged/);
});

test("files in the page are found by their names", async () => {
  const element = (name: string, textContent: string): Element =>
    ({ getAttribute: () => name, textContent }) as unknown as Element;
  const files = new Embedded([
    element("library.json", "{}"),
    element("r/a/b.seg", "AQID\n"),
    element("r/a/c.seg", "*"),
  ]);
  assert.equal(await files.text("library.json"), "{}");
  assert.deepEqual(await files.bytes("r/a/b.seg"), Uint8Array.from([1, 2, 3]));
  await assert.rejects(files.bytes("r/a/c.seg"), /damaged/);
  await assert.rejects(files.text("r/a/recording.json"), /not in this page/);
});
