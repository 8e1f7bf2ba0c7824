// Arrows: the directions of vectors over their lengths.

import { type Placing, type Slice, middle } from "./plane.js";

/** Pixels of the page between arrows, at least: where cells are smaller some have none. */
const APART = 13;

/** The longest of the vectors of a slice. */
export function longest(
  [across, down]: readonly [Float64Array, Float64Array],
  { wide, high, base, right, below }: Slice,
): number {
  let most = 0;
  for (let y = 0; y < high; y++) {
    for (let x = 0; x < wide; x++) {
      const cell = base + x * right + y * below;
      const length = Math.hypot(across[cell] ?? 0, down[cell] ?? 0);
      most = length > most && length < Infinity ? length : most;
    }
  }
  return most;
}

export function drawVectors(
  to: CanvasRenderingContext2D,
  vectors: readonly [Float64Array, Float64Array],
  slice: Slice,
  at: Placing,
  ratio: number,
  root: boolean,
): void {
  const most = longest(vectors, slice);
  if (most === 0) {
    return;
  }
  const every = Math.max(1, Math.ceil((APART * ratio) / at.size));
  const reach = 0.42 * at.size * every;
  to.beginPath();
  for (let y = Math.floor(every / 2); y < slice.high; y += every) {
    for (let x = Math.floor(every / 2); x < slice.wide; x += every) {
      const cell = slice.base + x * slice.right + y * slice.below;
      const [vx, vy] = [vectors[0][cell] ?? 0, vectors[1][cell] ?? 0];
      const part = Math.hypot(vx, vy) / most;
      const length = reach * (root ? Math.sqrt(part) : part);
      if (!(length > ratio) || !(part <= 1)) {
        continue;
      }
      const [dx, dy] = [(vx / (part * most)) * length, (vy / (part * most)) * length];
      const [mx, my] = middle(at, x, y);
      const [ex, ey] = [mx + dx, my + dy];
      const head = Math.min(length, 4 * ratio) / length;
      to.moveTo(mx - dx, my - dy);
      to.lineTo(ex, ey);
      to.lineTo(ex - (dx + 0.7 * dy) * head, ey - (dy - 0.7 * dx) * head);
      to.moveTo(ex, ey);
      to.lineTo(ex - (dx - 0.7 * dy) * head, ey - (dy + 0.7 * dx) * head);
    }
  }
  // Light on dark: on every colour one of the two is seen.
  to.lineJoin = to.lineCap = "round";
  for (const [colour, wide] of [
    ["#000000a0", 3.4],
    ["#ffffff", 1.3],
  ] as const) {
    to.strokeStyle = colour;
    to.lineWidth = Math.max(1, wide * ratio);
    to.stroke();
  }
}
