// The arena from above: a map, with everybody on it and how high they are.

import type { Theme } from "../../model.js";
import { Canvas, FONT, colours } from "../shared/canvas.js";
import type { Vec3 } from "../shared/motion.js";
import type { Actor, Actors } from "./actors.js";
import { GOAL, HALF, arenaColours, hex, teamColour } from "./court.js";

const SCORE = 36;

/** The part that is shown: its middle, and half of its sides. */
interface Area {
  readonly x: number;
  readonly z: number;
  readonly across: number;
  readonly along: number;
}

const ARENA: Area = { x: 0, z: 0, across: HALF.width, along: HALF.length };

/** From metres to pixels: z goes along the longer side. */
interface Ground {
  readonly area: Area;
  readonly scale: number;
  readonly x: number;
  readonly y: number;
  readonly upright: boolean;
}

export function ground(width: number, height: number, area = ARENA): Ground {
  const upright = height > width;
  // The score stands at the top.
  const high = height - SCORE;
  const [along, across] = upright ? [high, width] : [width, high];
  const scale = Math.max(0.5, Math.min((along - 24) / (2 * area.along + 2), (across - 24) / (2 * area.across + 2)));
  return { area, scale, x: width / 2, y: SCORE + high / 2, upright };
}

/** Seen from above: blue is at the left, or at the bottom. */
export function onGround({ area, scale, x, y, upright }: Ground, place: ArrayLike<number>): [x: number, y: number] {
  const [px, pz] = [((place[0] ?? 0) - area.x) * scale, ((place[2] ?? 0) - area.z) * scale];
  return upright ? [x - px, y - pz] : [x + pz, y - px];
}

export class TopView {
  readonly canvas: Canvas;
  private readonly court: boolean;
  private area = ARENA;
  private readonly least: [x: number, z: number] = [Infinity, Infinity];
  private readonly most: [x: number, z: number] = [-Infinity, -Infinity];

  constructor(body: HTMLElement, court: boolean) {
    this.canvas = new Canvas(body, "The arena from above");
    this.court = court;
  }

  /** For an unknown place, the map covers everything seen so far. */
  widen({ least: [x, , z], most: [mx, , mz] }: { readonly least: Vec3; readonly most: Vec3 }): void {
    const { least, most } = this;
    [least[0], least[1], most[0], most[1]] = [
      Math.min(least[0], x),
      Math.min(least[1], z),
      Math.max(most[0], mx),
      Math.max(most[1], mz),
    ];
    const half = (axis: 0 | 1): number => Math.max(5, (most[axis] - least[axis]) / 2 + 2);
    this.area = { x: (least[0] + most[0]) / 2, z: (least[1] + most[1]) / 2, across: half(0), along: half(1) };
  }

  draw(actors: Actors, trail: readonly (readonly number[])[], theme: Theme, labels: boolean): void {
    const to = this.canvas.clear();
    const { width, height } = this.canvas;
    const at = ground(width, height, this.area);
    to.fillStyle = hex(arenaColours(theme).back);
    to.fillRect(0, 0, width, height);
    this.lines(to, at, theme);
    to.lineCap = "round";
    to.strokeStyle = colours(theme).ink;
    to.lineWidth = 2;
    for (let point = 1; point <= trail.length; point++) {
      const [from, end] = [trail[point - 1], trail[point] ?? actors.disc.at];
      if (from === undefined || Math.hypot((from[0] ?? 0) - (end[0] ?? 0), (from[2] ?? 0) - (end[2] ?? 0)) > 6) {
        continue;
      }
      to.globalAlpha = 0.6 * (point / trail.length) ** 2;
      to.beginPath();
      to.moveTo(...onGround(at, from));
      to.lineTo(...onGround(at, end));
      to.stroke();
    }
    to.globalAlpha = 1;
    const players = actors.players();
    for (const actor of players) {
      this.player(to, at, actor, theme);
    }
    if (actors.discHere) {
      const [x, y] = onGround(at, actors.disc.at);
      to.beginPath();
      to.arc(x, y, Math.max(4, 0.4 * at.scale), 0, 2 * Math.PI);
      to.fillStyle = theme === "dark" ? "#ffffff" : "#20262e";
      to.fill();
      to.strokeStyle = theme === "dark" ? "#0b0f16" : "#ffffff";
      to.lineWidth = 1.5;
      to.stroke();
    }
    for (const actor of labels ? players : []) {
      this.name(to, at, actor, theme);
    }
  }

  private lines(to: CanvasRenderingContext2D, at: Ground, theme: Theme): void {
    const shade = arenaColours(theme);
    const polygon = (points: readonly (readonly [number, number])[]): void => {
      to.beginPath();
      points.forEach(([x, z]) => to.lineTo(...onGround(at, [x, 0, z])));
      to.closePath();
    };
    const { x: mx, z: mz, across: w, along: l } = this.area;
    const end = w * 0.6;
    const walls = [
      [-w, -34],
      [-end, -l],
      [end, -l],
      [w, -34],
      [w, 34],
      [end, l],
      [-end, l],
      [-w, 34],
    ] as const;
    polygon(
      this.court
        ? walls
        : [
            [mx - w, mz - l],
            [mx + w, mz - l],
            [mx + w, mz + l],
            [mx - w, mz + l],
          ],
    );
    to.fillStyle = colours(theme).panel;
    to.fill();
    to.strokeStyle = hex(shade.line);
    to.lineWidth = 1.5;
    to.stroke();
    to.lineWidth = 1;
    to.beginPath();
    for (let z = Math.ceil((mz - l + 1) / 10) * 10; z < mz + l; z += 10) {
      to.moveTo(...onGround(at, [mx - w, 0, z]));
      to.lineTo(...onGround(at, [mx + w, 0, z]));
    }
    to.globalAlpha = 0.5;
    to.stroke();
    to.globalAlpha = 1;
    if (!this.court) {
      return;
    }
    const [cx, cy] = onGround(at, [0, 0, 0]);
    to.beginPath();
    to.arc(cx, cy, 3 * at.scale, 0, 2 * Math.PI);
    to.stroke();
    for (const side of [-1, 1] as const) {
      to.strokeStyle = hex(teamColour(side < 0 ? "blue" : "orange"));
      to.lineWidth = Math.max(3, 0.35 * at.scale);
      to.beginPath();
      to.moveTo(...onGround(at, [-GOAL.radius, 0, side * GOAL.z]));
      to.lineTo(...onGround(at, [GOAL.radius, 0, side * GOAL.z]));
      to.stroke();
    }
  }

  private player(to: CanvasRenderingContext2D, at: Ground, actor: Actor, theme: Theme): void {
    const { head } = actor.parts;
    const [x, y] = onGround(at, head.at);
    const [fx, fy] = onGround(at, [head.at[0] + head.forward[0], 0, head.at[2] + head.forward[2]]);
    const length = Math.hypot(fx - x, fy - y) || 1;
    const radius = size(at, actor);
    to.globalAlpha = actor.stunned ? 0.45 : 1;
    to.fillStyle = to.strokeStyle = hex(teamColour(actor.team));
    to.lineWidth = Math.max(2.5, radius / 2.4);
    to.beginPath();
    to.moveTo(x, y);
    to.lineTo(x + ((fx - x) / length) * radius * 1.75, y + ((fy - y) / length) * radius * 1.75);
    to.stroke();
    to.beginPath();
    to.arc(x, y, radius, 0, 2 * Math.PI);
    to.fill();
    if (actor.possession || actor.blocking) {
      to.beginPath();
      to.arc(x, y, radius + 3.5, 0, 2 * Math.PI);
      to.lineWidth = 2;
      to.strokeStyle = actor.possession ? colours(theme).ink : "#8fe3ff";
      to.stroke();
    }
    to.globalAlpha = 1;
  }

  private name(to: CanvasRenderingContext2D, at: Ground, actor: Actor, theme: Theme): void {
    const [x, y] = onGround(at, actor.parts.head.at);
    to.font = `600 12px ${FONT}`;
    to.textAlign = "center";
    to.textBaseline = "bottom";
    to.lineWidth = 3;
    to.lineJoin = "round";
    to.strokeStyle = colours(theme).panel;
    to.fillStyle = colours(theme).ink;
    const text = actor.stunned ? `${actor.name} · stunned` : actor.name;
    to.strokeText(text, x, y - size(at, actor) - 3);
    to.fillText(text, x, y - size(at, actor) - 3);
  }
}

/** The size of a player on the map: higher is nearer, and so larger. */
function size({ scale }: Ground, { parts: { head } }: Actor): number {
  return Math.max(5, 0.55 * scale) * (1 + head.at[1] / 40);
}
