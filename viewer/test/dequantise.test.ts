// Real numbers: the same bits as Rust's, for thousands of quantised values.

import assert from "node:assert/strict";
import { test } from "node:test";

import { root } from "../src/wire/dequantise.js";
import { SmallestThree, fixedPoint } from "../src/wire/index.js";
import { lines } from "./support.js";

interface Fixed {
  readonly quantised: string;
  readonly scale: number;
  readonly bits: string;
}

interface Rotation {
  readonly rotation: number;
  readonly values: readonly [number, number, number, number];
  readonly bits: readonly string[];
}

const LINES = lines<Fixed | Rotation>("numbers.jsonl");

test("fixed point", () => {
  const cases = LINES.filter((line): line is Fixed => "scale" in line);
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

test("rotations as their smallest three", () => {
  const cases = LINES.filter((line): line is Rotation => "rotation" in line);
  const view = new DataView(new ArrayBuffer(16));
  const floats = new Float32Array(6);
  for (const { rotation, values, bits } of cases) {
    new SmallestThree(rotation).write(...values, floats, 1);
    floats.subarray(1, 5).forEach((part, at) => view.setFloat32(at * 4, part));
    const found = [0, 4, 8, 12].map((at) => view.getUint32(at).toString(16).padStart(8, "0"));
    assert.deepEqual(found, bits, `${values.join(", ")} of ${rotation} bits`);
  }
  assert.equal(cases.length, 23 * 800);
});

test("square roots are cut off, not rounded, as those of integers", () => {
  const one = 2n ** 52n;
  let rounded = 0;
  for (let at = 0; at < 20_000; at += 1) {
    // All over 0 to 2, and close to both ends and the middle.
    const value = [at / 10_000, 2 ** -52 * at, 1 - 2 ** -53 * at, 2 - 2 ** -52 * (at + 1)][at % 4]!;
    const square = BigInt(Math.trunc(value * 2 ** 52)) * one;
    const found = BigInt(root(value) * 2 ** 52);
    assert.ok(found * found <= square && (found + 1n) * (found + 1n) > square, `${value}`);
    rounded += Math.sqrt(value) === root(value) ? 0 : 1;
  }
  // `Math.sqrt` alone would not do.
  assert.ok(rounded > 1000, `${rounded}`);
});
