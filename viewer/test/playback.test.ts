// Parts of the page without a browser: the playhead, links, how values are written, searches, markers.

import assert from "node:assert/strict";
import { test } from "node:test";

import { clock, valueText } from "../src/format.js";
import type { ColumnDef, Kind, StageDef } from "../src/model.js";
import { NOWHERE, formatAddress, parseAddress } from "../src/page/address.js";
import { found } from "../src/page/library.js";
import { Marked, type Placed, listed } from "../src/page/marked.js";
import { Playhead } from "../src/play/playhead.js";
import type { Marker } from "../src/source/published.js";
import { suitable } from "../src/stages/index.js";
import { compareKeys } from "../src/tables/labels.js";
import { recording, table } from "./stage-made.js";

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
  assert.deepEqual(parseAddress(""), NOWHERE);
  assert.deepEqual(parseAddress("#t=abc&loop=5~1"), NOWHERE);
  assert.deepEqual(parseAddress(formatAddress(NOWHERE)), NOWHERE);
});

function column(kind: Kind, precision: number | null = null): ColumnDef {
  return { ...table("t", "state", `c:${kind}`).columns[0]!, precision };
}

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
  assert.deepEqual(
    suitable(recording(), [stage("a", 0), stage("b", 0.5), stage("c", 0.9)]).map(({ id }) => id),
    ["c", "b"],
  );
  assert.equal(suitable(recording()).at(-1)!.id, "table");
});

function placed(at: number, source = "throws", more: Partial<Placed & Marker> = {}): Placed {
  const { pinned = true, kind = "event", count = 1 } = more;
  return { at, pinned, marker: { kind, source, text: `${source} at ${at}`, count, moment: null } };
}

test("pins lie apart, and stand for all that lies there", () => {
  const all = [
    ...Array.from({ length: 100_000 }, (_, at) => placed((at * 7919) % 100_000)),
    placed(50_000, "rule", { kind: "error" }),
    ...Array.from({ length: 1000 }, (_, at) => placed(100 * at, "steps", { pinned: false, count: 3 })),
  ];
  const marked = new Marked(all);
  const x = (at: number): number => 10 + (at / 100_000) * 1000;
  const pins = marked.pins(x, 4);
  assert.ok(pins.length <= 252, `${pins.length}`);
  assert.equal(
    pins.reduce((sum, { count }) => sum + count, 0),
    100_001,
  );
  assert.equal(pins.at(-1)!.kind, "error", "what is worse is above");
  const strip = marked.strip(x, 1020);
  const sum = strip.reduce((sum, count) => sum + count, 0);
  assert.ok(Math.abs(sum - 3000) < 1e-6, `${sum}`);
  assert.ok(
    strip.subarray(10, 1009).every((count) => count > 0),
    "what stands for several lies up to the next",
  );
  assert.deepEqual([marked.next(10, 1), marked.next(10, -1), marked.next(10.5, 1)], [11, 9, 11]);
  assert.deepEqual([marked.next(99_999, 1), marked.next(0, -1)], [Infinity, -Infinity]);
  assert.deepEqual(new Marked([]).next(0, 1), Infinity);
  assert.equal(marked.within(100, 110).length, 11 + 1);
  // Single ones are where they are.
  assert.deepEqual(
    new Marked([placed(5), placed(3)]).pins((at) => 100 * at, 4).map(({ x, count }) => [x, count]),
    [
      [300, 1],
      [500, 1],
    ],
  );
});

test("what lies near is listed one by one, or counted by kind", () => {
  const texts = (near: Placed[]): string[] => listed(near, 2).map(({ text }) => text);
  assert.deepEqual(texts([placed(1), placed(2), placed(9, "goals", { count: 3 })]), [
    "throws at 2",
    "throws at 1",
    "× 3, at first goals at 9",
  ]);
  const many = Array.from({ length: 12 }, (_, at) => placed(at));
  assert.deepEqual(texts([...many, placed(1, "rule", { kind: "error" })]), ["rule × 1", "throws × 12"]);
  assert.deepEqual(texts([placed(1), placed(2, "steps", { pinned: false, count: 2000 })]), [
    "throws at 1",
    "steps × 2,000",
  ]);
  const kinds = Array.from({ length: 8 }, (_, at) => placed(at, `table ${at}`));
  assert.equal(texts(kinds).at(-1), "and 3 more kinds");
});
