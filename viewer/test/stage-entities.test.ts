// Entities: which columns are positions, what is in view, who jumped.

import assert from "node:assert/strict";
import { test } from "node:test";

import { layers } from "../src/stages/entities/columns.js";
import { fitted, isFromAbove, panned, round, toPixels, toUnits, zoomed } from "../src/stages/entities/map.js";
import { Points, size } from "../src/stages/entities/points.js";
import { entities, suitable } from "../src/stages/index.js";
import { rowOf } from "../src/stages/shared/motion.js";
import { frame, recording, rows, table, view } from "./stage-made.js";

const SHIPS = table("ship", "state", "entity! x@m y@m z@m vx vy vz hull");

test("no plane is seen in a mirror", () => {
  // Of right-handed axes, seen from above: where y is the height, z goes down as x goes right.
  assert.ok(isFromAbove([0, 2], "y"));
  for (const [sides, up] of [
    [[0, 1], "z"],
    [[1, 2], "x"],
    [[0, 2], "z"],
    [[0, 1], "y"],
    [[1, 2], "y"],
  ] as const) {
    assert.ok(!isFromAbove(sides, up));
  }
});

test("positions are columns of two or three axes in one unit", () => {
  const place = (columns: string): unknown => {
    const { x, y, z } = layers(recording(table("t", "state", columns)))[0]?.place ?? {};
    return x === undefined ? undefined : [x, y, z];
  };
  assert.deepEqual(place("entity! x@m y@m z@m"), [1, 2, 3]);
  assert.deepEqual(place("x@px y@px left:bool"), [0, 1, -1]);
  assert.deepEqual(place("id! pos_x pos_y"), [1, 2, -1]);
  assert.deepEqual(place("head_forward_x head_forward_y head_forward_z head_x head_y head_z"), [3, 4, 5]);
  assert.deepEqual(place("head_x head_y position_x position_y"), [2, 3, -1]);
  assert.deepEqual(place("x_start y_start x y"), [2, 3, -1]);
  assert.deepEqual(place("x@m y@m z@s"), [0, 1, -1]);
  assert.deepEqual(place("id! lat@deg lon@deg"), [2, 1, -1]);
  for (const none of ["x@m y@s", "velocity_x velocity_y", "x@m/s y@m/s", "x:text y:text", "x y?", "x! y!", "a b"]) {
    assert.equal(place(none), undefined, none);
  }
  assert.equal(layers(recording(table("t", "events", "x y"))).length, 0);
});

test("names and kinds are texts", () => {
  const [layer] = layers(recording(table("t", "state", "id! x y name:text team:text")));
  assert.deepEqual([layer?.name, layer?.kind], [3, 4]);
  assert.deepEqual([layers(recording(SHIPS))[0]?.name, layers(recording(SHIPS))[0]?.kind], [-1, -1]);
});

test("stages that know more come first", () => {
  const board = table("board", "grid", "col! row! recorded:text", [2, 2]);
  const cursor = table("cursor", "state", "x@px y@px");
  assert.deepEqual(
    suitable(recording(board, cursor))
      .map(({ id }) => id)
      .slice(0, 2),
    ["board", "entities"],
  );
  assert.equal(suitable(recording(SHIPS))[0]?.id, "entities");
  assert.equal(entities.suits(recording(table("t", "state", "hull"))), 0);
});

test("points are between two frames, unless they jump", () => {
  const ship = (x: number): number[] => [0, x, 0, 0, 0, 0, 0, 100];
  const points = new Points(layers(recording(SHIPS)));
  const at = (): number[] => Array.from({ length: points.count }, (_, point) => points.at[3 * point] ?? Number.NaN);
  points.update(view(frame(0, rows(SHIPS, [1, 2], [ship(0), ship(100)])), null, 0), false);
  assert.deepEqual(at(), [0, 100]);
  assert.equal(size(points.bounds), 100);
  const next = frame(100, rows(SHIPS, [2, 1], [ship(50), ship(4)]));
  points.update(view(frame(50, rows(SHIPS, [1, 2], [ship(0), ship(100)])), next, 0.5), false);
  assert.deepEqual(at(), [2, 100]);
  points.update(view(frame(60, rows(SHIPS, [3, 4], [ship(Number.NaN), ship(7)])), null, 0), false);
  assert.deepEqual(at(), [7]);
});

test("all that has been seen is in view, and zooming keeps its place", () => {
  const bounds = { least: [-10, 0, 5] as [number, number, number], most: [30, 20, 5] as [number, number, number] };
  for (const down of [false, true]) {
    const sheet = fitted(bounds, [0, 1], 800, 600, down);
    for (const [x, y] of [
      [-10, 0],
      [30, 20],
    ] as const) {
      const [px, py] = toPixels(sheet, x, y);
      assert.ok(px >= 0 && px <= 800 && py >= 0 && py <= 600);
      const [ux, uy] = toUnits(sheet, px, py);
      assert.ok(Math.abs(ux - x) < 1e-9 && Math.abs(uy - y) < 1e-9);
    }
    const under = toUnits(sheet, 123, 456);
    const near = zoomed(sheet, 3, 123, 456);
    assert.ok(toUnits(near, 123, 456).every((value, at) => Math.abs(value - (under[at] ?? 0)) < 1e-9));
    const moved = toUnits(panned(sheet, 10, 20), 133, 476);
    assert.ok(moved.every((value, at) => Math.abs(value - (under[at] ?? 0)) < 1e-9));
  }
  assert.equal(fitted({ least: [3, 4, 0], most: [3, 4, 0] }, [0, 1], 100, 100, false).scale, 40);
  assert.equal(
    fitted({ least: [Infinity, Infinity, Infinity], most: [-Infinity, -Infinity, -Infinity] }, [0, 1], 100, 100, false)
      .scale,
    1,
  );
  assert.deepEqual([0.7, 3, 14, 40, 80, 0, Number.NaN].map(round), [0.5, 2, 10, 50, 100, 1, 1]);
});

test("rows are found wherever they went", () => {
  const ids = [4, 7, 9, 12, 1];
  const held = rows(
    SHIPS,
    ids,
    ids.map(() => []),
  );
  for (const near of [0, 2, 4, 9, -3]) {
    ids.forEach((id, row) => assert.equal(rowOf(held, id, near), row));
    assert.equal(rowOf(held, 5, near), -1);
  }
  assert.equal(rowOf(rows(SHIPS, [], []), 1, 0), -1);
});
