// From numbers to colours: the range, and the colours from one end of it to the other.

import { lerp } from "../shared/motion.js";

export interface Range {
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
export function range(least: number, most: number): Range {
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
const TWO_SIDED: Readonly<Record<"dark" | "light", readonly Lab[]>> = {
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

/** Where a colour is taken from, for a place in the range from 0 to 1: by the root, small values show. */
export function bent(place: number, sided: boolean): number {
  const side = 2 * place - 1;
  return sided ? 0.5 + (Math.sign(side) * Math.sqrt(Math.abs(side))) / 2 : Math.sqrt(place);
}

/** The colours of a range, as pixels: red in the lowest byte. */
export function ramp(sided: boolean, theme: "dark" | "light", root = false): Uint32Array {
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
