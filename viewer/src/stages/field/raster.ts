// Paints numbers as pixels, in one pass over them.

import type { Placing, Slice } from "./plane.js";
import { cellAt } from "./plane.js";
import type { Range } from "./scale.js";
import { STEPS } from "./scale.js";

/** Paints the numbers of a slice, a pixel each. Where there is none, the pixel stays empty. */
export function paint(
  numbers: ArrayLike<number>,
  { wide, high, base, right, below }: Slice,
  { least, most }: Range,
  colours: Uint32Array,
  into: Uint32Array,
): void {
  const scale = most > least ? (STEPS - 1) / (most - least) : 0;
  let pixel = 0;
  for (let y = 0; y < high; y++) {
    let cell = base + y * below;
    for (let x = 0; x < wide; x++, cell += right) {
      const number = numbers[cell] ?? Number.NaN;
      // Numbers beyond an end have the colour of the end.
      const step = number <= least ? 0 : number >= most ? STEPS - 1 : (number - least) * scale + 0.5;
      into[pixel++] = number === number ? (colours[step | 0] ?? 0) : 0;
    }
  }
}

/** The cell of a slice that each pixel of a box shows, -1 for none. Made once for a size. */
export function spread(at: Placing, slice: Slice, width: number, height: number): Int32Array {
  const cells = new Int32Array(width * height).fill(-1);
  const origin = { ...at, x: 0, y: 0 };
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const cell = cellAt(origin, slice, x + 0.5, y + 0.5);
      if (cell !== undefined) {
        cells[y * width + x] = cell[1] * slice.wide + cell[0];
      }
    }
  }
  return cells;
}

/** Paints every pixel of a box with the colour of its cell. */
export function paintSpread(cells: Int32Array, colours: Uint32Array, into: Uint32Array): void {
  for (let pixel = 0; pixel < cells.length; pixel++) {
    const cell = cells[pixel] ?? -1;
    into[pixel] = cell < 0 ? 0 : (colours[cell] ?? 0);
  }
}

/** The values of a strip in the last so many steps, the newest last. */
export class History {
  readonly rows: Float64Array[] = [];
  private readonly steps: number[] = [];
  private readonly most: number;

  constructor(most: number) {
    this.most = most;
  }

  /** Adds the strip's values at a step. Skipped steps get the same values. */
  add(step: number, numbers: Float64Array): void {
    while (this.steps.length > 0 && (this.steps.at(-1) ?? 0) >= step) {
      this.steps.pop();
      this.rows.pop();
    }
    const last = this.steps.at(-1);
    if (last !== undefined && step - last > this.most) {
      this.clear();
    }
    const row = numbers.slice();
    for (let at = this.steps.length > 0 ? (this.steps.at(-1) ?? step) + 1 : step; at <= step; at++) {
      this.steps.push(at);
      this.rows.push(row);
    }
    this.steps.splice(0, this.steps.length - this.most);
    this.rows.splice(0, this.rows.length - this.most);
  }

  clear(): void {
    this.steps.length = this.rows.length = 0;
  }
}
