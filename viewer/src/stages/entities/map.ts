// The map of entities: the geometry of the part that is shown, and points with their ways and names, on a grid of round
// numbers.

import { short } from "../../format.js";
import type { View } from "../../model.js";
import { Canvas, type Colours, FONT } from "../shared/canvas.js";
import type { Layer } from "./columns.js";
import { type Bounds, NAMED, type Points } from "./points.js";

type Axis = 0 | 1 | 2;

/** The axes that go across and up. */
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

export interface PointLook {
  readonly colour: (point: number) => string;
  readonly names: boolean;
  readonly chosen: number;
}

export class EntityMap {
  readonly canvas: Canvas;
  /** The part that the user has chosen to see; `undefined` is all of it. */
  own: Sheet | undefined;
  sides: Sides = [0, 1];
  private sheet: Sheet = { scale: 1, x: 0, y: 0, width: 1, height: 1, down: false };
  private points: Points | undefined;

  constructor(
    body: HTMLElement,
    moved: () => void,
    settled: () => void,
    looked: (point: number, chosen: boolean) => void,
  ) {
    this.canvas = new Canvas(body, "A map of the entities");
    const { element } = this.canvas;
    element.tabIndex = 0;
    const wheel = (event: WheelEvent): void => {
      event.preventDefault();
      this.own = zoomed(this.sheet, Math.exp(-event.deltaY * 0.0015), event.offsetX, event.offsetY);
      moved();
      settled();
    };
    element.addEventListener("wheel", wheel, { passive: false });
    const fingers = new Map<number, readonly [x: number, y: number]>();
    let dragged = 0;
    let before: Sheet | undefined;
    element.addEventListener("pointerdown", (event) => {
      element.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
      dragged = 0;
      before = this.own;
    });
    element.addEventListener("pointermove", (event) => {
      const last = fingers.get(event.pointerId);
      const now = [event.offsetX, event.offsetY] as const;
      if (last === undefined) {
        looked(this.under(...now), false);
        return;
      }
      const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
      fingers.set(event.pointerId, now);
      dragged += Math.hypot(now[0] - last[0], now[1] - last[1]);
      if (other === undefined) {
        this.own = panned(this.sheet, now[0] - last[0], now[1] - last[1]);
      } else {
        const far = (at: readonly [number, number]): number => Math.hypot(at[0] - other[0], at[1] - other[1]) || 1;
        this.own = zoomed(this.sheet, far(now) / far(last), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
      }
      this.sheet = this.own;
      moved();
    });
    const up = (event: PointerEvent): void => {
      fingers.delete(event.pointerId);
      if (event.type === "pointerup" && dragged < 5) {
        // A hand may tremble during a click, which does not move the map.
        this.own = before;
        looked(this.under(event.offsetX, event.offsetY), true);
      }
      settled();
    };
    element.addEventListener("pointerup", up);
    element.addEventListener("pointercancel", up);
    element.addEventListener("pointerleave", () => looked(-1, false));
  }

  /** The point near a pixel, -1 where there is none. */
  private under(px: number, py: number): number {
    const { points } = this;
    let [nearest, best] = [-1, 16];
    for (let point = 0; point < (points?.count ?? 0); point++) {
      const [x, y] = this.pixel(points as Points, point);
      const distance = Math.hypot(x - px, y - py);
      if (distance < best) {
        [nearest, best] = [point, distance];
      }
    }
    return nearest;
  }

  private pixel(points: Points, point: number): [x: number, y: number] {
    return toPixels(this.sheet, points.at[3 * point + this.sides[0]] ?? 0, points.at[3 * point + this.sides[1]] ?? 0);
  }

  draw(view: View, points: Points, layers: readonly Layer[], look: PointLook, colours: Colours): void {
    this.points = points;
    const { width, height } = this.canvas;
    const down = layers.every(({ place }) => place.unit === "px") || isFromAbove(this.sides, layers[0]?.place.up);
    this.sheet =
      this.own === undefined
        ? fitted(points.bounds, this.sides, width, height, down)
        : { ...this.own, width, height, down };
    const to = this.canvas.clear();
    this.grid(to, layers[0]?.place.unit ?? "", colours);
    this.ways(to, points, look);
    const radius = points.count > 1000 ? 2 : points.count > 200 ? 3.5 : 5.5;
    for (let point = 0; point < points.count; point++) {
      const [x, y] = this.pixel(points, point);
      to.fillStyle = look.colour(point);
      to.beginPath();
      to.arc(x, y, radius, 0, 2 * Math.PI);
      to.fill();
      if (points.ids[point] === look.chosen) {
        to.strokeStyle = colours.ink;
        to.lineWidth = 2;
        to.beginPath();
        to.arc(x, y, radius + 4, 0, 2 * Math.PI);
        to.stroke();
      }
    }
    if (look.names && points.count <= NAMED) {
      this.names(to, view, points, radius, colours);
    }
  }

  private grid(to: CanvasRenderingContext2D, unit: string, colours: Colours): void {
    const { width, height } = this.canvas;
    const step = round(90 / this.sheet.scale);
    const [left, top] = toUnits(this.sheet, 0, 0);
    const [right, bottom] = toUnits(this.sheet, width, height);
    to.lineWidth = 1;
    to.font = `11px ${FONT}`;
    to.fillStyle = colours.faint;
    const line = (value: number, upright: boolean): void => {
      const [x, y] = toPixels(this.sheet, upright ? value : left, upright ? top : value);
      to.strokeStyle = Math.abs(value) < step / 2 ? colours.line : colours.grid;
      to.beginPath();
      to.moveTo(upright ? Math.round(x) + 0.5 : 0, upright ? 0 : Math.round(y) + 0.5);
      to.lineTo(upright ? Math.round(x) + 0.5 : width, upright ? height : Math.round(y) + 0.5);
      to.stroke();
      to.textAlign = "left";
      to.textBaseline = "bottom";
      to.fillText(short(Number(value.toPrecision(6))), upright ? x + 3 : 4, upright ? height - 3 : y - 2);
    };
    for (let x = Math.ceil(left / step) * step; x <= right; x += step) {
      line(x, true);
    }
    for (let y = Math.ceil(Math.min(top, bottom) / step) * step; y <= Math.max(top, bottom); y += step) {
      line(y, false);
    }
    const names = ["x", "y", "z"];
    to.textAlign = "right";
    to.fillStyle = colours.ink;
    to.font = `600 12px ${FONT}`;
    const said = unit === "" ? "" : ` [${unit}]`;
    to.fillText(`${names[this.sides[0]] ?? ""} →${said}`, width - 6, height - 16);
    to.textAlign = "left";
    to.textBaseline = "top";
    to.fillText(`${names[this.sides[1]] ?? ""} ${this.sheet.down ? "↓" : "↑"}${said}`, 6, 6);
  }

  private ways(to: CanvasRenderingContext2D, points: Points, look: PointLook): void {
    to.lineWidth = 1.6;
    to.lineJoin = "round";
    to.globalAlpha = 0.45;
    points.ways.forEach((way, point) => {
      to.strokeStyle = look.colour(point);
      to.beginPath();
      for (const place of way) {
        to.lineTo(...toPixels(this.sheet, place[this.sides[0]] ?? 0, place[this.sides[1]] ?? 0));
      }
      to.lineTo(...this.pixel(points, point));
      to.stroke();
    });
    to.globalAlpha = 1;
  }

  private names(to: CanvasRenderingContext2D, view: View, points: Points, radius: number, colours: Colours): void {
    to.font = `12px ${FONT}`;
    to.textAlign = "center";
    to.textBaseline = "bottom";
    to.lineJoin = "round";
    to.lineWidth = 3;
    to.strokeStyle = colours.back;
    to.fillStyle = colours.ink;
    for (let point = 0; point < points.count; point++) {
      const [x, y] = this.pixel(points, point);
      const name = points.name(view, point);
      to.strokeText(name, x, y - radius - 3);
      to.fillText(name, x, y - radius - 3);
    }
  }
}
