// From numbers to pixels: the range of a field, its colours, the cells in one pass over them, and arrows for vectors.

import type { Theme } from "../../model.js";
import { lerp } from "../shared/motion.js";
import { type Placing, type Slice, cellAt, middle } from "./plane.js";

export interface ColourRange {
  readonly least: number;
  readonly most: number;
  /** Whether there are two sides, with 0 in the middle. */
  readonly sided: boolean;
}

/** The least and the greatest number; NaN and infinite numbers do not count. */
export function extent(numbers: ArrayLike<number>): readonly [least: number, most: number] {
  let [least, most] = [Infinity, -Infinity];
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at] ?? Number.NaN;
    if (number < least && number > -Infinity) {
      least = number;
    }
    if (number > most && number < Infinity) {
      most = number;
    }
  }
  return [least, most];
}

/** The range from one number to another: alike on both sides of 0 where they are on both. */
export function range(least: number, most: number): ColourRange {
  if (!(least <= most)) {
    return { least: 0, most: 1, sided: false };
  }
  if (least < 0 && most > 0) {
    const size = Math.max(-least, most);
    return { least: -size, most: size, sided: true };
  }
  if (least === most) {
    // One value: it is at an end of the range.
    return least === 0
      ? { least: 0, most: 1, sided: false }
      : { least: Math.min(0, least), most: Math.max(0, most), sided: false };
  }
  return { least, most, sided: false };
}

/** A colour in OKLab: even steps look even. */
type Lab = readonly [l: number, a: number, b: number];

const ONE_SIDED: readonly Lab[] = [
  [0.17, 0.01, -0.06],
  [0.33, 0.07, -0.14],
  [0.5, 0.16, -0.06],
  [0.66, 0.14, 0.09],
  [0.81, 0.04, 0.15],
  [0.97, -0.03, 0.09],
];
/** Through 0, which looks like the ground: on a dark one the ends are bright, on a light one strong. */
const TWO_SIDED: Readonly<Record<Theme, readonly Lab[]>> = {
  dark: [
    [0.83, -0.06, -0.09],
    [0.6, -0.05, -0.17],
    [0.42, -0.01, -0.17],
    [0.22, 0, -0.01],
    [0.45, 0.14, 0.08],
    [0.62, 0.17, 0.11],
    [0.85, 0.06, 0.12],
  ],
  light: [
    [0.38, -0.01, -0.16],
    [0.6, -0.05, -0.15],
    [0.83, -0.04, -0.07],
    [0.97, 0, 0],
    [0.85, 0.06, 0.06],
    [0.62, 0.17, 0.1],
    [0.43, 0.15, 0.08],
  ],
};

/** The number of steps from one end of a range to the other: fine enough for roots near 0. */
export const STEPS = 4096;

/** Bends a place in the range, 0 to 1, by the root, so that small values show. */
export function bent(place: number, sided: boolean): number {
  const side = 2 * place - 1;
  return sided ? 0.5 + (Math.sign(side) * Math.sqrt(Math.abs(side))) / 2 : Math.sqrt(place);
}

/** The colours of a range, as pixels: red in the lowest byte. */
export function ramp(sided: boolean, theme: Theme, root = false): Uint32Array {
  const stops = sided ? TWO_SIDED[theme] : ONE_SIDED;
  const colours = new Uint32Array(STEPS);
  for (let at = 0; at < STEPS; at++) {
    const linear = at / (STEPS - 1);
    const place = (root ? bent(linear, sided) : linear) * (stops.length - 1);
    const from = Math.min(stops.length - 2, Math.floor(place));
    const mix = place - from;
    const [low, high] = [stops[from] ?? [0, 0, 0], stops[from + 1] ?? [0, 0, 0]];
    colours[at] = pixel([lerp(low[0], high[0], mix), lerp(low[1], high[1], mix), lerp(low[2], high[2], mix)]);
  }
  return colours;
}

/** An OKLab colour as a pixel (B. Ottosson's matrices). */
function pixel([light, a, b]: Lab): number {
  const l = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (light - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  const [red, green, blue] = linear.map((part) => {
    const within = Math.max(0, Math.min(1, part));
    return Math.round(255 * (within <= 0.0031308 ? 12.92 * within : 1.055 * within ** (1 / 2.4) - 0.055));
  });
  return ((255 << 24) | ((blue ?? 0) << 16) | ((green ?? 0) << 8) | (red ?? 0)) >>> 0;
}

/** A pixel as CSS has it. */
export function css(pixel: number): string {
  return `rgb(${pixel & 255} ${(pixel >> 8) & 255} ${(pixel >> 16) & 255})`;
}

/** Paints the numbers of a slice, a pixel each. Where there is none, the pixel stays empty. */
export function paint(
  numbers: ArrayLike<number>,
  { wide, high, base, right, below }: Slice,
  { least, most }: ColourRange,
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
