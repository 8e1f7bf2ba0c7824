// Fields: which tables they are, how cells lie, which colour a number has, what is compared.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Values, comparable, components, differing, fields, liveliest } from "../src/stages/field/columns.js";
import { History, longest, paint, paintSpread, spread } from "../src/stages/field/paint.js";
import { STEPS, bent, extent, ramp, range } from "../src/stages/field/paint.js";
import { cellAt, middle, placing, plane, slice, thinned } from "../src/stages/field/plane.js";
import { field } from "../src/stages/index.js";
import { grid, recording, table } from "./stage-made.js";

const HEAT = table("heat", "grid", "row! col! value", [2, 3]);

test("grids of numbers suit, others do not", () => {
  assert.equal(field.suits(recording(HEAT)), 80);
  assert.equal(field.suits(recording(table("board", "grid", "col! row! recorded:text", [2, 2]))), 0);
  assert.equal(field.suits(recording(table("heat", "grid", "row! col! value?", [2, 3]))), 0);
  assert.equal(field.suits(recording(table("heat", "state", "row! value"))), 0);
  const wind = { ...table("wind", "grid", "row! col! value_0 value_1", [2, 3]), rows: 99 };
  const calm = { ...HEAT, name: "calm", rows: 5 };
  assert.equal(liveliest(fields(recording(calm, wind, { ...HEAT, rows: 9 })))?.name, "heat");
});

test("planes come of the names of coordinates", () => {
  assert.deepEqual(plane(["i"]), { tiling: "strip", across: 0, down: -1, rest: [] });
  assert.deepEqual(plane(["row", "col"]), { tiling: "squares", across: 1, down: 0, rest: [] });
  assert.deepEqual(plane(["q", "r"]), { tiling: "hexes", across: 0, down: 1, rest: [] });
  assert.deepEqual(plane(["x", "y", "z"]), { tiling: "squares", across: 0, down: 1, rest: [2] });
  assert.deepEqual(plane(["i_0", "row_1", "col_1"]), { tiling: "squares", across: 2, down: 1, rest: [0] });
  assert.deepEqual(plane(["a", "b", "c", "d"]), { tiling: "squares", across: 3, down: 2, rest: [0, 1] });
});

test("slices take the cells that they should", () => {
  const shape = [2, 3, 4];
  const { wide, high, base, right, below } = slice(plane(["x", "y", "z"]), shape, [3]);
  const cells = Array.from(
    { length: wide * high },
    (_, at) => base + (at % wide) * right + Math.floor(at / wide) * below,
  );
  // Cell (x, y, z) is number 12 x + 4 y + z.
  assert.deepEqual(cells, [3, 15, 7, 19, 11, 23]);
  assert.equal(slice(plane(["x", "y", "z"]), shape, [99]).base, 3);
  assert.equal(slice(plane(["x", "y", "z"]), shape, []).base, 0);
});

test("the middle of each cell is in it, whatever the tiling", () => {
  for (const names of [
    ["row", "col"],
    ["q", "r"],
  ]) {
    const at = plane(names);
    const cells = slice(at, [5, 7], []);
    const where = placing(at.tiling, cells, { x: 10, y: 20, w: 400, h: 300 });
    assert.ok(where.x >= 10 && where.y >= 20 && where.x + where.w <= 411 && where.y + where.h <= 321, at.tiling);
    for (let y = 0; y < cells.high; y++) {
      for (let x = 0; x < cells.wide; x++) {
        assert.deepEqual(cellAt(where, cells, ...middle(where, x, y)), [x, y]);
      }
    }
    assert.equal(cellAt(where, cells, 0, 0), undefined);
    const shown = new Set(spread(where, cells, Math.ceil(where.w), Math.ceil(where.h)));
    assert.equal([...shown].filter((cell) => cell >= 0).length, cells.wide * cells.high, at.tiling);
  }
});

test("ranges are even on both sides of 0", () => {
  assert.deepEqual(extent([3, Number.NaN, -Infinity, 1, Infinity]), [1, 3]);
  assert.deepEqual(range(1, 3), { least: 1, most: 3, sided: false });
  assert.deepEqual(range(-1, 3), { least: -3, most: 3, sided: true });
  assert.deepEqual(range(5, 5), { least: 0, most: 5, sided: false });
  assert.deepEqual(range(-5, -5), { least: -5, most: 0, sided: false });
  assert.deepEqual(range(...extent([])), { least: 0, most: 1, sided: false });
  assert.equal(bent(0.25, false), 0.5);
  assert.deepEqual(
    [0, 0.375, 0.5, 1].map((place) => bent(place, true)),
    [0, 0.25, 0.5, 1],
  );
});

test("numbers get the colours of their place in the range", () => {
  const colours = ramp(false, "dark");
  const cells = slice(plane(["row", "col"]), [2, 3], []);
  const into = new Uint32Array(6).fill(7);
  paint([0, 5, 10, Number.NaN, -3, 99], cells, range(0, 10), colours, into);
  const [first, middle, last] = [colours[0], colours[STEPS / 2], colours[STEPS - 1]];
  assert.deepEqual([...into], [first, middle, last, 0, first, last]);
  const pixels = new Uint32Array(4);
  paintSpread(Int32Array.of(2, -1, 0, 3), into, pixels);
  assert.deepEqual([...pixels], [last, 0, first, 0]);
  // Brighter from end to end, and opaque.
  assert.ok(ramp(false, "light").every((pixel) => pixel >>> 24 === 255));
});

test("the past of a strip goes on, back, and over gaps", () => {
  const past = new History(4);
  const steps = (): number[] => past.rows.map((row) => row[0] ?? -1);
  past.add(10, Float64Array.of(10));
  past.add(12, Float64Array.of(12));
  assert.deepEqual(steps(), [10, 12, 12]);
  past.add(11, Float64Array.of(11));
  assert.deepEqual(steps(), [10, 11]);
  past.add(14, Float64Array.of(14));
  assert.deepEqual(steps(), [11, 14, 14, 14]);
  past.add(99, Float64Array.of(99));
  assert.deepEqual(steps(), [99]);
});

test("components, lengths and differences", () => {
  const wind = table("wind", "grid", "row! col! value_0 value_1", [1, 2]);
  assert.deepEqual(
    components(wind).map(({ name }) => name),
    ["value_0", "value_1", "|value|"],
  );
  const both = { ...grid(wind, 2, []), numbers: (at: number) => Float64Array.from(at === 2 ? [3, 6] : [4, 8]) };
  const length = components(wind)[2];
  assert.ok(length !== undefined);
  const values = new Values();
  assert.deepEqual([...values.of(both, length, undefined)], [5, 10]);
  const [value] = components(HEAT);
  assert.ok(value !== undefined);
  const [one, other] = [grid(HEAT, 2, [1, 2, 3, Infinity, 5, 6]), grid(HEAT, 2, [1, 1, 1, Infinity, 5, 7])];
  const differences = [...values.of(one, value, other)];
  assert.deepEqual(differences, [0, 1, 2, 0, 0, -1]);
  assert.equal(differing(differences), 3);
  assert.deepEqual([...values.of(one, value, undefined)], [1, 2, 3, Infinity, 5, 6]);
  assert.ok(comparable(one, other));
  assert.ok(!comparable(one, both) && !comparable(one, undefined));
});

test("of very long sides not every cell is painted", () => {
  const cells = slice(plane(["row", "col"]), [3, 10_000], []);
  const thin = thinned(cells, 4096);
  assert.deepEqual(thin, { wide: 3334, high: 3, base: 0, right: 3, below: 10_000 });
  assert.deepEqual(thinned(cells, 10_000), cells);
});

test("the longest vector is that of the slice", () => {
  const cells = slice(plane(["x", "y", "z"]), [1, 2, 2], [1]);
  assert.equal(longest([Float64Array.of(9, 3, 9, 1), Float64Array.of(9, 4, 9, Infinity)], cells), 5);
});
