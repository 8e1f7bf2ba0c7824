// The picture of a field: its cells, the scale of the colours, and the cell that is looked at.

import { short, withUnit } from "../../format.js";
import type { Theme } from "../../model.js";
import { Canvas, type Colours, FONT, colours } from "../shared/canvas.js";
import { History, type ColourRange, STEPS, css, drawVectors, paint, paintSpread, ramp, spread } from "./paint.js";
import { type Placing, type Plane, type Slice, cellAt, outline, placing, thinned } from "./plane.js";

/** The contents of the picture. */
interface Shown {
  readonly numbers: Float64Array;
  /** Goes up whenever the numbers may be others. */
  readonly version: number;
  readonly plane: Plane;
  readonly slice: Slice;
  readonly range: ColourRange;
  /** The least and the greatest number at this moment. */
  readonly ends: readonly [least: number, most: number];
  /** Whether colours go by the root of the numbers. */
  readonly root: boolean;
  readonly unit: string;
  readonly step: number;
  /** Of vectors: their numbers across and down. */
  readonly vectors: readonly [across: Float64Array, down: Float64Array] | undefined;
  readonly cell: readonly [x: number, y: number] | undefined;
  /** Cells whose values differ from the recorded ones. */
  readonly parted: readonly (readonly [x: number, y: number])[];
  readonly names: readonly string[];
}

/** The most cells along a side that are painted: no screen shows more. */
const MOST = 4096;
/** Steps that the past of a strip goes back. */
const PAST = 240;
/** Pixels of the page: around the picture, and below it for the scale. */
const PAD = 14;
const SCALE = 46;

export class HeatMap {
  range: ColourRange | undefined;
  private readonly canvas: Canvas;
  private readonly scratch = document.createElement("canvas");
  private image: ImageData | undefined;
  private pixels = new Uint32Array(0);
  /** Of hexes: which cell each pixel shows, and the colour of each cell. */
  private cells: Int32Array | undefined;
  private cellColours = new Uint32Array(0);
  private ramps: Uint32Array[] = [];
  private colours!: Colours;
  private readonly history = new History(PAST);
  private historyOf = "";
  private at: Placing | undefined;
  /** The cells of the slice that was placed: across, down. */
  private placed: readonly [number, number] = [0, 0];
  private shown: Shown | undefined;
  private painted = "";
  /** The cell that is looked at. */
  looked: readonly [x: number, y: number] | undefined;

  constructor(
    body: HTMLElement,
    theme: Theme,
    pointed: (cell: readonly [number, number] | undefined) => void,
  ) {
    const looked = (cell: readonly [number, number] | undefined): void => {
      this.looked = cell;
      pointed(cell);
    };
    this.canvas = new Canvas(body, "The field as a heat map; arrow keys go from cell to cell");
    this.paintWith(theme);
    const { element } = this.canvas;
    element.tabIndex = 0;
    const look = (event: PointerEvent): void => looked(this.under(event.offsetX, event.offsetY));
    element.addEventListener("pointermove", look);
    element.addEventListener("pointerdown", look);
    element.addEventListener("pointerleave", () => looked(undefined));
    element.addEventListener("keydown", (event) => {
      const to = this.step(event.key);
      if (to !== undefined) {
        event.preventDefault();
        event.stopPropagation();
        looked(to);
      }
    });
  }

  /** Takes the colours of a theme. */
  paintWith(theme: Theme): void {
    this.colours = colours(theme);
    this.ramps = [false, true].flatMap((sided) => [ramp(sided, theme), ramp(sided, theme, true)]);
    this.painted = "";
  }

  private ramp({ range, root }: Shown): Uint32Array {
    return this.ramps[(range.sided ? 2 : 0) + (root ? 1 : 0)] ?? new Uint32Array(STEPS);
  }

  resize(width: number, height: number): void {
    if (this.canvas.resize(width, height)) {
      this.at = undefined;
      this.cells = undefined;
      this.painted = "";
    }
  }

  /** Another field is shown from now on. */
  forget(): void {
    this.at = this.cells = this.range = undefined;
    this.painted = "";
  }

  empty(): void {
    this.shown = undefined;
    this.canvas.clear();
  }

  private under(x: number, y: number): readonly [number, number] | undefined {
    const { at, shown } = this;
    if (at === undefined || shown === undefined) {
      return undefined;
    }
    const { ratio } = this.canvas;
    const found = cellAt(at, { ...shown.slice, high: this.high(shown) }, x * ratio, y * ratio);
    return found !== undefined && at.tiling === "strip" ? [found[0], 0] : found;
  }

  private step(key: string): readonly [number, number] | undefined {
    const moves: Readonly<Record<string, readonly [number, number]>> = {
      ArrowLeft: [-1, 0],
      ArrowRight: [1, 0],
      ArrowUp: [0, -1],
      ArrowDown: [0, 1],
    };
    const [move, shown] = [moves[key], this.shown];
    if (move === undefined || shown === undefined) {
      return undefined;
    }
    // Keys come faster than pictures.
    const { slice } = shown;
    const cell = this.looked;
    const [x, y] = cell === undefined ? [0, 0] : [cell[0] + move[0], cell[1] + move[1]];
    return [Math.max(0, Math.min(slice.wide - 1, x)), Math.max(0, Math.min(slice.high - 1, y))];
  }

  /** The number of rows of the picture: of a strip, those of its past. */
  private high(shown: Shown): number {
    return shown.plane.tiling === "strip" ? PAST : shown.slice.high;
  }

  private place(shown: Shown): Placing {
    const { ratio, element } = this.canvas;
    const [pad, scale] = [PAD * ratio, SCALE * ratio];
    const box = { x: pad, y: pad, w: element.width - 2 * pad, h: element.height - pad - scale };
    if (shown.plane.tiling !== "strip") {
      return placing(shown.plane.tiling, shown.slice, box);
    }
    // The current values are above, the past is below; a row of it may be less than a pixel high.
    const curve = Math.round(box.h * 0.34);
    const { x, w } = box;
    return { tiling: "strip", x, y: box.y + curve + pad, w, h: box.h - curve - pad, size: w / shown.slice.wide };
  }

  draw(shown: Shown): void {
    this.shown = shown;
    this.range = shown.range;
    const { slice, range } = shown;
    const [wide, high] = this.placed;
    if (this.at === undefined || wide !== slice.wide || high !== slice.high) {
      // A field that is still being recorded may grow.
      this.at = this.place(shown);
      this.placed = [slice.wide, slice.high];
      this.cells = undefined;
    }
    const strip = shown.plane.tiling === "strip";
    if (strip) {
      this.remember(shown);
    }
    const { least, most, sided } = range;
    const state = [shown.version, slice.base, least, most, sided, shown.root, strip ? shown.step : 0].join();
    if (state !== this.painted) {
      this.painted = state;
      this.paint(shown, this.at);
    }
    const to = this.canvas.clear(1);
    this.copy(to, shown, this.at);
    if (strip) {
      this.drawCurve(to, shown, this.at);
    }
    if (shown.vectors !== undefined) {
      drawVectors(to, shown.vectors, shown.slice, this.at, this.canvas.ratio, shown.root);
    }
    this.drawCell(to, shown, this.at);
    this.drawScale(to, shown);
  }

  private remember(shown: Shown): void {
    const of = [shown.names, shown.slice.base, shown.unit].join();
    if (of !== this.historyOf) {
      this.historyOf = of;
      this.history.clear();
    }
    this.history.add(shown.step, shown.numbers);
  }

  /** The pixels of the picture: one for each cell, of hexes all of them. */
  private paint(shown: Shown, at: Placing): void {
    const { range } = shown;
    const colours = this.ramp(shown);
    const hexes = at.tiling === "hexes";
    const slice = hexes ? shown.slice : thinned(shown.slice, MOST);
    const wide = hexes ? Math.ceil(at.w) : slice.wide;
    const high = hexes ? Math.ceil(at.h) : at.tiling === "strip" ? PAST : slice.high;
    if (this.image === undefined || this.image.width !== wide || this.image.height !== high) {
      this.scratch.width = wide;
      this.scratch.height = high;
      this.image = new ImageData(wide, high);
      this.pixels = new Uint32Array(this.image.data.buffer);
      this.cells = undefined;
    }
    if (hexes) {
      const count = slice.wide * slice.high;
      if (this.cellColours.length !== count) {
        this.cellColours = new Uint32Array(count);
      }
      this.cells ??= spread(at, slice, wide, high);
      paint(shown.numbers, slice, range, colours, this.cellColours);
      paintSpread(this.cells, this.cellColours, this.pixels);
    } else if (at.tiling === "strip") {
      this.pixels.fill(0);
      const { rows } = this.history;
      rows.forEach((row, place) => {
        const line = (high - rows.length + place) * wide;
        paint(row, slice, range, colours, this.pixels.subarray(line, line + wide));
      });
    } else {
      paint(shown.numbers, slice, range, colours, this.pixels);
    }
    this.scratch.getContext("2d")?.putImageData(this.image, 0, 0);
  }

  private copy(to: CanvasRenderingContext2D, shown: Shown, at: Placing): void {
    to.imageSmoothingEnabled = at.tiling !== "hexes" && at.size < 1;
    if (at.tiling === "hexes") {
      to.drawImage(this.scratch, at.x, at.y);
      return;
    }
    to.drawImage(this.scratch, at.x, at.y, at.w, at.h);
    if (at.tiling === "squares") {
      to.strokeStyle = this.colours.line;
      to.lineWidth = Math.max(1, Math.round(this.canvas.ratio));
      to.strokeRect(at.x - 0.5, at.y - 0.5, at.w + 1, at.h + 1);
    }
    if (at.tiling === "strip") {
      const { ratio } = this.canvas;
      to.fillStyle = this.colours.faint;
      to.font = `${11 * ratio}px ${FONT}`;
      to.textBaseline = "top";
      const text = `${shown.names[0] ?? ""} →   the last ${PAST} steps, the newest at the bottom`;
      to.fillText(text, at.x + 4 * ratio, at.y - 13 * ratio);
    }
  }

  /** The current values, as a curve over the cells. */
  private drawCurve(to: CanvasRenderingContext2D, { numbers, slice, range }: Shown, at: Placing): void {
    const { ratio } = this.canvas;
    const [top, bottom] = [PAD * ratio, at.y - PAD * 1.6 * ratio];
    const span = range.most - range.least || 1;
    const y = (value: number): number =>
      bottom - ((Math.max(range.least, Math.min(range.most, value)) - range.least) / span) * (bottom - top);
    to.lineWidth = ratio;
    to.strokeStyle = this.colours.grid;
    to.beginPath();
    for (const value of [range.least, (range.least + range.most) / 2, range.most]) {
      to.moveTo(at.x, y(value));
      to.lineTo(at.x + at.w, y(value));
    }
    to.stroke();
    to.strokeStyle = this.colours.accent;
    to.lineWidth = 1.8 * ratio;
    to.lineJoin = "round";
    to.beginPath();
    let drawing = false;
    for (let x = 0; x < slice.wide; x++) {
      const value = numbers[slice.base + x * slice.right] ?? Number.NaN;
      if (value === value) {
        const px = at.x + (x + 0.5) * at.size;
        to[drawing ? "lineTo" : "moveTo"](px, y(value));
      }
      drawing = value === value;
    }
    to.stroke();
  }

  private drawCell(to: CanvasRenderingContext2D, shown: Shown, at: Placing): void {
    for (const cell of shown.parted) {
      this.ring(to, at, cell, this.colours.wrong, 3);
    }
    if (shown.cell !== undefined) {
      this.ring(to, at, shown.cell, "#ffffff", 2);
    }
  }

  private ring(
    to: CanvasRenderingContext2D,
    at: Placing,
    cell: readonly [x: number, y: number],
    colour: string,
    wide: number,
  ): void {
    const { ratio } = this.canvas;
    for (const [ink, width] of [
      ["#000000", wide + 2],
      [colour, wide],
    ] as const) {
      to.strokeStyle = ink;
      to.lineWidth = width * ratio;
      if (at.tiling === "strip") {
        to.strokeRect(at.x + cell[0] * at.size, PAD * ratio, at.size, at.y + at.h - PAD * ratio);
      } else {
        outline(to, at, ...cell);
      }
    }
  }

  /** The scale of the colours, its ends, its middle, and the range of the current values on it. */
  private drawScale(to: CanvasRenderingContext2D, shown: Shown): void {
    const { ratio, element } = this.canvas;
    const { range, unit, ends } = shown;
    const colours = this.ramp(shown);
    const width = Math.min(element.width - 2 * PAD * ratio, 360 * ratio);
    const [x, y, high] = [(element.width - width) / 2, element.height - (SCALE - 10) * ratio, 12 * ratio];
    const gradient = to.createLinearGradient(x, 0, x + width, 0);
    for (let stop = 0; stop <= 48; stop++) {
      gradient.addColorStop(stop / 48, css(colours[Math.round((stop / 48) * (STEPS - 1))] ?? 0));
    }
    to.fillStyle = gradient;
    to.fillRect(x, y, width, high);
    to.strokeStyle = this.colours.line;
    to.lineWidth = Math.max(1, ratio);
    to.strokeRect(x, y, width, high);
    to.fillStyle = this.colours.ink;
    to.font = `${11.5 * ratio}px ${FONT}`;
    to.textBaseline = "top";
    const text = (value: number, at: number, align: CanvasTextAlign): void => {
      to.textAlign = align;
      to.fillText(withUnit(short(value), unit), at, y + high + 4 * ratio);
    };
    text(range.least, x, "left");
    text(range.most, x + width, "right");
    text((range.least + range.most) / 2, x + width / 2, "center");
    to.textAlign = "left";
    const span = range.most - range.least || 1;
    for (const end of ends) {
      const place = x + Math.max(0, Math.min(1, (end - range.least) / span)) * width;
      to.beginPath();
      to.moveTo(place, y - ratio);
      to.lineTo(place - 4 * ratio, y - 7 * ratio);
      to.lineTo(place + 4 * ratio, y - 7 * ratio);
      to.fill();
    }
  }
}
