// The look of the board: its layout, in whole pixels of the screen, so that every line is crisp; and the pictures of
// squares, digits and bevels.

import type { Theme } from "../../model.js";
import { FACES, type Face } from "./columns.js";

export interface BoardLayout {
  /** The width of a square. */
  readonly cell: number;
  /** The first square's corner. */
  readonly x: number;
  readonly y: number;
  /** The frame around all of it. */
  readonly frame: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  /** The counters' part of it. */
  readonly head: { readonly y: number; readonly h: number };
  /** The width of the frame's edges. */
  readonly edge: number;
}

/** The largest squares with which a board and its counters fit. */
export function layout(width: number, height: number, ratio: number, cols: number, rows: number): BoardLayout {
  const pad = Math.round(6 * ratio);
  const edge = Math.max(2, Math.round(3 * ratio));
  const gap = 2 * edge;
  const head = Math.round(Math.min(44, Math.max(28, height / ratio / 11)) * ratio);
  const [wide, high] = [width - 2 * pad - 4 * edge, height - 2 * pad - head - 3 * gap];
  // No square is so large that its picture says less than a smaller one's.
  const cell = Math.max(2, Math.min(Math.floor(wide / cols), Math.floor(high / rows), Math.round(64 * ratio)));
  const frame = { w: cell * cols + 4 * edge, h: cell * rows + head + 3 * gap };
  const x = Math.max(0, Math.round((width - frame.w) / 2));
  const y = Math.max(0, Math.min(Math.round((height - frame.h) / 2), Math.round(40 * ratio)));
  return {
    cell,
    edge,
    x: x + 2 * edge,
    y: y + head + 2 * gap,
    frame: { x, y, ...frame },
    head: { y: y + gap, h: head },
  };
}

/** The square at a pixel of the screen; `undefined` beside the board. */
export function squareAt(
  { cell, x, y }: BoardLayout,
  cols: number,
  rows: number,
  at: readonly [x: number, y: number],
): readonly [col: number, row: number] | undefined {
  const [col, row] = [Math.floor((at[0] - x) / cell), Math.floor((at[1] - y) / cell)];
  return col >= 0 && row >= 0 && col < cols && row < rows ? [col, row] : undefined;
}

interface Palette {
  readonly face: string;
  readonly light: string;
  readonly shade: string;
  readonly open: string;
  readonly line: string;
  readonly ink: string;
  readonly flag: string;
  readonly blast: string;
  readonly numbers: readonly string[];
}

const LIGHT: Palette = {
  face: "#c6c6c6",
  light: "#ffffff",
  shade: "#808080",
  open: "#c0c0c0",
  line: "#9a9a9a",
  ink: "#000000",
  flag: "#e00000",
  blast: "#ff2a2a",
  numbers: ["", "#0000ff", "#007b00", "#ff0000", "#00007b", "#7b0000", "#007b7b", "#000000", "#6b6b6b"],
};

const DARK: Palette = {
  face: "#46505d",
  light: "#6d7988",
  shade: "#262c35",
  open: "#2b323c",
  line: "#1d2229",
  ink: "#eef2f7",
  flag: "#ff5c5c",
  blast: "#d8303a",
  numbers: ["", "#6db3ff", "#69cf7d", "#ff7f7f", "#b49bff", "#e0a05a", "#53cfcf", "#ffffff", "#a3adba"],
};

export function palette(theme: Theme): Palette {
  return theme === "dark" ? DARK : LIGHT;
}

/** A raised (or, the other way round, sunken) edge within a rectangle. */
export function bevel(
  to: CanvasRenderingContext2D,
  x: number,
  y: number,
  w: number,
  h: number,
  edge: number,
  light: string,
  shade: string,
): void {
  to.fillStyle = light;
  to.beginPath();
  to.moveTo(x, y);
  to.lineTo(x + w, y);
  to.lineTo(x + w - edge, y + edge);
  to.lineTo(x + edge, y + edge);
  to.lineTo(x + edge, y + h - edge);
  to.lineTo(x, y + h);
  to.fill();
  to.fillStyle = shade;
  to.beginPath();
  to.moveTo(x + w, y + h);
  to.lineTo(x, y + h);
  to.lineTo(x + edge, y + h - edge);
  to.lineTo(x + w - edge, y + h - edge);
  to.lineTo(x + w - edge, y + edge);
  to.lineTo(x + w, y);
  to.fill();
}

function flag(to: CanvasRenderingContext2D, size: number, colours: Palette): void {
  const u = size / 16;
  to.fillStyle = colours.ink;
  to.fillRect(4 * u, 11.6 * u, 8 * u, 1.6 * u);
  to.fillRect(5.6 * u, 10.4 * u, 4.8 * u, 1.4 * u);
  to.fillRect(7.6 * u, 3.2 * u, 1.3 * u, 8 * u);
  to.fillStyle = colours.flag;
  to.beginPath();
  to.moveTo(8.9 * u, 2.8 * u);
  to.lineTo(3.4 * u, 5.6 * u);
  to.lineTo(8.9 * u, 8.4 * u);
  to.fill();
}

function mine(to: CanvasRenderingContext2D, size: number): void {
  const [c, r] = [size / 2, size * 0.27];
  to.strokeStyle = to.fillStyle = "#000000";
  to.lineWidth = Math.max(1, size / 14);
  to.beginPath();
  for (let spike = 0; spike < 4; spike++) {
    const [x, y] = [Math.cos((spike * Math.PI) / 4) * r * 1.45, Math.sin((spike * Math.PI) / 4) * r * 1.45];
    to.moveTo(c - x, c - y);
    to.lineTo(c + x, c + y);
  }
  to.stroke();
  to.beginPath();
  to.arc(c, c, r, 0, 2 * Math.PI);
  to.fill();
  to.fillStyle = "#ffffff";
  to.beginPath();
  to.arc(c - r * 0.35, c - r * 0.35, r * 0.26, 0, 2 * Math.PI);
  to.fill();
}

function glyph(to: CanvasRenderingContext2D, size: number, text: string, colour: string): void {
  to.fillStyle = colour;
  to.font = `800 ${Math.round(size * 0.74)}px Verdana, 'DejaVu Sans', Arial, sans-serif`;
  to.textAlign = "center";
  to.textBaseline = "alphabetic";
  const box = to.measureText(text);
  const up = (box.actualBoundingBoxAscent - box.actualBoundingBoxDescent) / 2;
  to.fillText(text, size / 2, size / 2 + up);
}

function closed(to: CanvasRenderingContext2D, size: number, colours: Palette): void {
  to.fillStyle = colours.face;
  to.fillRect(0, 0, size, size);
  bevel(to, 0, 0, size, size, Math.max(1, Math.round(size / 9)), colours.light, colours.shade);
}

function sunken(to: CanvasRenderingContext2D, size: number, colours: Palette, fill: string): void {
  const line = Math.max(1, Math.round(size / 20));
  to.fillStyle = colours.line;
  to.fillRect(0, 0, size, size);
  to.fillStyle = fill;
  to.fillRect(line, line, size - line, size - line);
}

function square(to: CanvasRenderingContext2D, size: number, face: Face, colours: Palette): void {
  if (face.look === "closed" || face.look === "flag" || face.look === "question") {
    closed(to, size, colours);
  } else {
    sunken(to, size, colours, face.look === "blast" ? colours.blast : colours.open);
  }
  switch (face.look) {
    case "flag":
      flag(to, size, colours);
      break;
    case "question":
    case "pressed-question":
      glyph(to, size, "?", colours.ink);
      break;
    case "blast":
      mine(to, size);
      break;
    case "unknown":
      glyph(to, size, "·", colours.ink);
      break;
    case "open":
      if (face.number > 0) {
        glyph(to, size, String(face.number), colours.numbers[face.number] ?? colours.ink);
      } else if (face.number < 0) {
        glyph(to, size, "·", colours.ink);
      }
      break;
    default:
  }
}

/** The pictures of all faces beside each other, each so many pixels of the screen wide. */
export function pictures(size: number, theme: Theme): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = size * FACES.length;
  canvas.height = size;
  const to = canvas.getContext("2d");
  if (to !== null) {
    const colours = palette(theme);
    FACES.forEach((face, place) => {
      to.setTransform(1, 0, 0, 1, place * size, 0);
      square(to, size, face, colours);
    });
  }
  return canvas;
}

// The bars of each digit that are lit, of seven: top, upper left, upper right, middle, lower left, lower
// right, bottom.
const BARS: Readonly<Record<string, readonly number[]>> = {
  "0": [0, 1, 2, 4, 5, 6],
  "1": [2, 5],
  "2": [0, 2, 3, 4, 6],
  "3": [0, 2, 3, 5, 6],
  "4": [1, 2, 3, 5],
  "5": [0, 1, 3, 5, 6],
  "6": [0, 1, 3, 4, 5, 6],
  "7": [0, 2, 5],
  "8": [0, 1, 2, 3, 4, 5, 6],
  "9": [0, 1, 2, 3, 5, 6],
  "-": [3],
};

/** Three digits of a counter, as they fit: 007, -12, 999. */
export function digits(value: number): string {
  if (!Number.isFinite(value)) {
    return "---";
  }
  const whole = Math.max(-99, Math.min(999, Math.trunc(value)));
  return whole < 0 ? `-${String(-whole).padStart(2, "0")}` : String(whole).padStart(3, "0");
}

/** The width of a counter of this height. */
export function counterWidth(height: number): number {
  return Math.round(height * 1.72);
}

/** A counter of three digits. */
export function counter(to: CanvasRenderingContext2D, x: number, y: number, height: number, value: number): void {
  const width = counterWidth(height);
  to.fillStyle = "#1a0000";
  to.fillRect(x, y, width, height);
  const [high, wide] = [height * 0.78, height * 0.42];
  const thick = Math.max(1, height * 0.1);
  const top = y + (height - high) / 2;
  const text = digits(value);
  for (let place = 0; place < 3; place++) {
    const left = x + width * ((place + 0.5) / 3) - wide / 2;
    const lit = BARS[text[place] ?? ""] ?? [];
    for (let bar = 0; bar < 7; bar++) {
      to.fillStyle = lit.includes(bar) ? "#ff2f2f" : "#4a0d0d";
      const right = bar === 2 || bar === 5 ? wide - thick : 0;
      const flat = bar === 0 || bar === 3 || bar === 6;
      if (flat) {
        to.fillRect(left + thick * 0.7, top + ((high - thick) * bar) / 6, wide - thick * 1.4, thick);
      } else {
        const up = bar < 3 ? thick * 0.7 : high / 2 + thick * 0.3;
        to.fillRect(left + right, top + up, thick, high / 2 - thick);
      }
    }
  }
}
