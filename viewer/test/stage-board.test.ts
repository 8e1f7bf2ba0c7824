// The Minesweeper board: which recordings it suits, what squares show, where they are.

import assert from "node:assert/strict";
import { test } from "node:test";

import { mines } from "../src/stages/index.js";
import { FACES, boardColumns, differ, place, words } from "../src/stages/mines/columns.js";
import { digits, layout, squareAt } from "../src/stages/mines/paint.js";
import { cursorMix } from "../src/stages/mines/pointer.js";
import { recording, table } from "./stage-made.js";

const BOARD = table("board", "grid", "col! row! recorded:text rules:text", [30, 16]);
const CURSOR = table("cursor", "state", "x y left:bool");

test("a board with a cursor suits, anything less does not", () => {
  assert.equal(mines.suits(recording(BOARD, CURSOR)), 100);
  assert.equal(mines.suits(recording(BOARD)), 0);
  assert.equal(mines.suits(recording(CURSOR)), 0);
  assert.equal(mines.suits(recording(table("board", "grid", "col! row! heat", [3, 3]), CURSOR)), 0);
  assert.equal(mines.suits(recording(table("board", "grid", "x! y! recorded:text", [3, 3]), CURSOR)), 0);
  assert.equal(mines.suits(recording(BOARD, table("cursor", "state", "x? y?"))), 0);
});

test("columns are found whichever key comes first", () => {
  assert.deepEqual(boardColumns(recording(BOARD, CURSOR)), {
    board: BOARD,
    recorded: 2,
    rules: 3,
    across: 0,
    cursor: CURSOR,
  });
  const other = table("board", "grid", "row! col! rules:text", [16, 30]);
  assert.deepEqual(boardColumns(recording(other, CURSOR)), {
    board: other,
    recorded: -1,
    rules: 2,
    across: 1,
    cursor: CURSOR,
  });
});

test("faces are known by the names of the tables", () => {
  assert.equal(FACES[place("open_3")]?.number, 3);
  assert.equal(FACES[place("open_0")]?.number, 0);
  assert.equal(FACES[place("open_blast")]?.look, "blast");
  assert.equal(FACES[place("pressed_qm")]?.look, "pressed-question");
  for (const name of ["open_9", "toString", null, 3]) {
    assert.equal(FACES[place(name)]?.look, "unknown", String(name));
  }
  assert.equal(words("open_2"), "open, 2");
  assert.equal(words(null), "nothing");
  assert.equal(words("<b>"), "<b>");
});

test("the recording and the rules differ where both say something", () => {
  assert.ok(differ("open_1", "open_2"));
  assert.ok(!differ("open_1", "open_1"));
  assert.ok(!differ("open_1", null));
  assert.ok(!differ(undefined, "open_2"));
});

test("squares are whole pixels, and the board fits", () => {
  for (const [width, height, ratio] of [
    [1280, 760, 1],
    [720, 1400, 2],
    [300, 200, 1.25],
    [3840, 2000, 3],
  ] as const) {
    const at = layout(width, height, ratio, 30, 16);
    for (const number of [at.cell, at.x, at.y, at.frame.x, at.frame.y, at.frame.w, at.frame.h, at.head.h]) {
      assert.ok(Number.isInteger(number), `${width}×${height}: ${number}`);
    }
    assert.ok(at.frame.x + at.frame.w <= width && at.frame.y + at.frame.h <= height);
    assert.ok(at.cell >= 2);
    const last = [at.x + 29 * at.cell + 1, at.y + 15 * at.cell + 1] as const;
    assert.deepEqual(squareAt(at, 30, 16, last), [29, 15]);
    assert.equal(squareAt(at, 30, 16, [at.x - 1, at.y]), undefined);
    assert.equal(squareAt(at, 30, 16, [at.x + 30 * at.cell, at.y]), undefined);
  }
});

test("the cursor rests before it moves", () => {
  assert.equal(cursorMix(0.25, 8), 0.25);
  assert.equal(cursorMix(0.5, 4000), 0);
  assert.ok(Math.abs(cursorMix(0.995, 4000) - 0.5) < 1e-9);
  assert.equal(cursorMix(1, 4000), 1);
});

test("counters have three digits", () => {
  assert.deepEqual([0, 7, 99, 1234, -5, -123, Number.NaN].map(digits), [
    "000",
    "007",
    "099",
    "999",
    "-05",
    "-99",
    "---",
  ]);
});
