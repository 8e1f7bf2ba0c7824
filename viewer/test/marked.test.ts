// The markers on the timeline: no more than there is room for, and none is lost.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Marked, type Placed, listed } from "../src/page/marked.js";
import type { Marker } from "../src/source/published.js";

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
