// The geometry of a map: the part that is shown, and lines at round numbers.

import type { Bounds } from "./points.js";

export type Axis = 0 | 1 | 2;

/** Which axes go across and up. */
export type Sides = readonly [across: Axis, up: Axis];

/** From units to pixels. */
export interface Sheet {
  readonly scale: number;
  /** The position in the middle of the picture. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Whether numbers grow downwards, as those of screens do. */
  readonly down: boolean;
}

/** Whether a plane is the ground, seen from above. Its second axis then grows downwards, so that it is not mirrored. */
export function isFromAbove([across, up]: Sides, height: "x" | "y" | "z" | undefined): boolean {
  return height === "y" && across === 0 && up === 2;
}

/** The whole extent, and a little around it. */
export function fitted(
  { least, most }: Bounds,
  [across, up]: Sides,
  width: number,
  height: number,
  down: boolean,
): Sheet {
  const [w, h] = [most[across] - least[across], most[up] - least[up]];
  if (!(w >= 0 && h >= 0)) {
    return { scale: 1, x: 0, y: 0, width, height, down };
  }
  const pad = 44;
  const fit = Math.min((width - 2 * pad) / (w || 1e-9), (height - 2 * pad) / (h || 1e-9));
  // A single point must not be magnified without end.
  const scale = w === 0 && h === 0 ? 40 : Math.max(1e-9, fit);
  return { scale, x: least[across] + w / 2, y: least[up] + h / 2, width, height, down };
}

export function toPixels(sheet: Sheet, x: number, y: number): [x: number, y: number] {
  const sign = sheet.down ? 1 : -1;
  return [sheet.width / 2 + (x - sheet.x) * sheet.scale, sheet.height / 2 + sign * (y - sheet.y) * sheet.scale];
}

export function toUnits(sheet: Sheet, px: number, py: number): [x: number, y: number] {
  const sign = sheet.down ? 1 : -1;
  return [sheet.x + (px - sheet.width / 2) / sheet.scale, sheet.y + (sign * (py - sheet.height / 2)) / sheet.scale];
}

/** Magnifies by a factor; the position at a pixel stays there. */
export function zoomed(sheet: Sheet, factor: number, px: number, py: number): Sheet {
  const [x, y] = toUnits(sheet, px, py);
  const scale = sheet.scale * factor;
  const sign = sheet.down ? 1 : -1;
  return { ...sheet, scale, x: x - (px - sheet.width / 2) / scale, y: y - (sign * (py - sheet.height / 2)) / scale };
}

export function panned(sheet: Sheet, dx: number, dy: number): Sheet {
  const sign = sheet.down ? 1 : -1;
  return { ...sheet, x: sheet.x - dx / sheet.scale, y: sheet.y - (sign * dy) / sheet.scale };
}

/** A round number of units that is about so many: 1, 2 or 5 times a power of ten. */
export function round(about: number): number {
  if (!(about > 0) || !Number.isFinite(about)) {
    return 1;
  }
  const power = 10 ** Math.floor(Math.log10(about));
  const left = about / power;
  return power * (left < 1.5 ? 1 : left < 3.5 ? 2 : left < 7.5 ? 5 : 10);
}
