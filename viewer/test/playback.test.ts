// The playhead, links, and how values are written.

import assert from "node:assert/strict";
import { test } from "node:test";

import type { ColumnDef, Kind, Recording, StageDef } from "../src/model.js";
import { formatAddress, parseAddress } from "../src/page/address.js";
import { clock, valueText } from "../src/page/format.js";
import { found } from "../src/page/library.js";
import { Playhead } from "../src/play/playhead.js";
import { suitable } from "../src/stages/index.js";
import { compareKeys } from "../src/tables/labels.js";

test("it plays at its speed, and stops at the end", () => {
  const head = new Playhead(1000, 2000, true);
  head.elapsed(100);
  assert.equal(head.at, 1000);
  head.play();
  head.elapsed(100);
  assert.equal(head.at, 1100);
  head.faster(1);
  head.elapsed(100);
  assert.equal([head.speed, head.at].join(), "2,1300");
  // A page in the background does not jump on.
  head.elapsed(60_000);
  assert.equal(head.at, 1800);
  head.elapsed(200);
  assert.deepEqual([head.at, head.playing], [2000, false]);
  head.play();
  assert.deepEqual([head.at, head.playing], [1000, true]);
});

test("a live recording has no end", () => {
  const head = new Playhead(0, 100, true);
  head.live = true;
  head.seek(100);
  head.play();
  head.elapsed(50);
  assert.deepEqual([head.at, head.playing, head.following], [100, true, true]);
  head.to = 140;
  head.followed(120);
  assert.equal(head.at, 120);
});

test("a loop goes round", () => {
  const head = new Playhead(0, 1000, true);
  head.loop = { from: 200, to: 300 };
  head.seek(280);
  head.play();
  head.elapsed(50);
  assert.deepEqual([head.at, head.playing], [230, true]);
});

test("steps go by where there are no times; one never leaves the recording", () => {
  const head = new Playhead(0, 100, false);
  head.play();
  head.elapsed(100);
  assert.equal(head.at, 2);
  head.seek(1e9);
  assert.equal(head.at, 100);
  head.seek(NaN);
  assert.equal(head.at, 0);
  for (let by = 0; by < 20; by += 1) {
    head.faster(1);
  }
  assert.equal(head.speed, 16);
  for (let by = 0; by < 20; by += 1) {
    head.faster(-1);
  }
  assert.equal(head.speed, 0.25);
});

test("a link comes back as it was, and a broken one says nothing", () => {
  const address = {
    recording: "a.rmv",
    at: 1234.567,
    stage: "arena",
    saved: "x=1&y=#2",
    beside: "b.rmv",
    loop: { from: 1, to: 2.5 },
  };
  assert.deepEqual(parseAddress(formatAddress(address)), address);
  const nothing = { recording: null, at: null, stage: null, saved: null, beside: null, loop: null };
  assert.deepEqual(parseAddress(""), nothing);
  assert.deepEqual(parseAddress("#t=abc&loop=5~1"), nothing);
  assert.deepEqual(parseAddress(formatAddress(nothing)), nothing);
});

const column = (kind: Kind, precision: number | null = null): ColumnDef => ({
  name: "c",
  kind,
  unit: "",
  precision,
  key: false,
  notRecorded: false,
  doc: "",
});

test("values are written as people read them", () => {
  assert.equal(valueText(null, column("int")), "–");
  assert.equal(valueText(true, column("bool")), "yes");
  assert.equal(valueText(2n ** 63n, column("uint")), "9223372036854775808");
  assert.equal(valueText(Math.fround(0.1), column("float32")), "0.1");
  assert.equal(valueText(Math.fround(2.0488281), column("float32")), "2.0488281");
  assert.equal(valueText(0.1 + 0.2, column("float64")), "0.30000000000000004");
  assert.equal(valueText(1.23456, column("float64", 0.01)), "1.23");
  assert.equal(valueText(0, column("float32", 0.01)), "0.00");
  assert.equal(valueText(2, column("float32")), "2");
  assert.equal(valueText(NaN, column("float32")), "NaN");
  assert.equal(
    [clock(0), clock(61_230), clock(3_600_000, 0), clock(-500)].join(" "),
    "0:00.00 1:01.23 1:00:00 −0:00.50",
  );
});

test("keys stand in order", () => {
  const keys = [
    [10, "b"],
    [2, "b"],
    [null, "z"],
    [2, "a"],
  ];
  assert.deepEqual(keys.sort(compareKeys), [
    [null, "z"],
    [2, "a"],
    [2, "b"],
    [10, "b"],
  ]);
});

test("a search finds what has all its words", () => {
  const entry = {
    id: "a",
    name: "Final.rmv",
    format: "rmv",
    durationMs: 1,
    steps: 1,
    verdict: "pass" as const,
    tables: ["board"],
    live: false,
    details: { player: { name: "Ann" } },
  };
  const entries = [entry, { ...entry, id: "b", name: "other.murk", format: "murk", details: {} }];
  const ids = (search: string): string =>
    found(entries, search)
      .map(({ id }) => id)
      .join();
  assert.equal(ids(""), "a,b");
  assert.equal(ids("ANN final"), "a");
  assert.equal(ids("ann murk"), "");
});

test("the stage that suits best comes first, and tables suit all", () => {
  const stage = (id: string, suits: number): StageDef => ({
    id,
    title: id,
    suits: () => suits,
    load: () => Promise.reject(new Error(id)),
  });
  const recording: Recording = { name: "", format: "", tables: [], times: true, findings: [], facts: () => [] };
  assert.deepEqual(
    suitable(recording, [stage("a", 0), stage("b", 0.5), stage("c", 0.9)]).map(({ id }) => id),
    ["c", "b"],
  );
  assert.equal(suitable(recording).at(-1)!.id, "table");
});
