// The map of entities: points with their ways and names, on a grid of round numbers.

import type { View } from "../../model.js";
import { Canvas } from "../shared/canvas.js";
import { short } from "../shared/tables.js";
import { type Colours, FONT } from "../shared/theme.js";
import type { Layer } from "./columns.js";
import { NAMED, type Points } from "./points.js";
import { type Sheet, type Sides, fitted, isFromAbove, panned, round, toPixels, toUnits, zoomed } from "./sheet.js";

export interface Look {
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
    element.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        this.own = zoomed(this.sheet, Math.exp(-event.deltaY * 0.0015), event.offsetX, event.offsetY);
        moved();
        settled();
      },
      { passive: false },
    );
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
      const others = [...fingers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
      const [other] = others;
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

  draw(view: View, points: Points, layers: readonly Layer[], look: Look, colours: Colours): void {
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

  private ways(to: CanvasRenderingContext2D, points: Points, look: Look): void {
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
