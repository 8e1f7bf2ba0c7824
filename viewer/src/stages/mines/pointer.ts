// The player's hand: the cursor, where it has been, which buttons are down, and the clicks.

import type { EventRow } from "../../model.js";

const BUTTON_COLOURS = { left: "#2f9bff", right: "#ff9d2e", middle: "#37c871" } as const;
type Button = keyof typeof BUTTON_COLOURS;
const BUTTONS: readonly (readonly [action: string, button: Button])[] = [
  ["lmb", "left"],
  ["rmb", "right"],
  ["mmb", "middle"],
];

/** The button that an event presses; `undefined` of others. */
export function pressed({ row }: EventRow): Button | undefined {
  const action = row["action"];
  return BUTTONS.find(([short]) => action === `${short}_down`)?.[1];
}

/**
 * The position of the cursor between two events, 0 to 1. A hand moves while events come, and rests in the pauses
 * between them.
 */
export function cursorMix(mix: number, gapMs: number): number {
  const moving = 40;
  return gapMs <= moving ? mix : Math.max(0, 1 - ((1 - mix) * gapMs) / moving);
}

/** The trail of the cursor: its points in order, the newest last. */
export function drawTrail(to: CanvasRenderingContext2D, points: Float64Array, length: number, ratio: number): void {
  to.lineCap = to.lineJoin = "round";
  to.strokeStyle = "#ff3fa4";
  // In a few strokes that fade: one for each piece would show its joints.
  const strokes = 8;
  for (let stroke = 0; stroke < strokes; stroke++) {
    const from = Math.floor((length * stroke) / strokes);
    const end = Math.min(length - 1, Math.floor((length * (stroke + 1)) / strokes));
    if (end <= from) {
      continue;
    }
    to.globalAlpha = 0.12 + (0.68 * (stroke + 1)) / strokes;
    to.lineWidth = (1 + stroke / strokes) * ratio;
    to.beginPath();
    to.moveTo(points[2 * from] ?? 0, points[2 * from + 1] ?? 0);
    for (let at = from + 1; at <= end; at++) {
      to.lineTo(points[2 * at] ?? 0, points[2 * at + 1] ?? 0);
    }
    to.stroke();
  }
  to.globalAlpha = 1;
}

/** A click's ring; `age` goes from 0 to 1. */
export function drawRing(
  to: CanvasRenderingContext2D,
  x: number,
  y: number,
  age: number,
  button: Button,
  still: boolean,
  ratio: number,
): void {
  to.strokeStyle = BUTTON_COLOURS[button];
  to.globalAlpha = 1 - age;
  to.lineWidth = 2.5 * ratio;
  to.beginPath();
  to.arc(x, y, (still ? 12 : 4 + 16 * age) * ratio, 0, 2 * Math.PI);
  to.stroke();
  to.globalAlpha = 1;
}

const ARROW: readonly (readonly [number, number])[] = [
  [0, 0],
  [0, 16],
  [3.8, 12.4],
  [6.4, 18.4],
  [8.8, 17.4],
  [6.3, 11.6],
  [11.4, 11.4],
];

/** The cursor's arrow, and beside it a mouse whose pressed buttons are lit. */
export function drawPointer(
  to: CanvasRenderingContext2D,
  x: number,
  y: number,
  held: Readonly<Record<Button, boolean>>,
  ratio: number,
): void {
  to.beginPath();
  ARROW.forEach(([dx, dy], at) => (at === 0 ? to.moveTo(x, y) : to.lineTo(x + dx * ratio, y + dy * ratio)));
  to.closePath();
  to.lineJoin = "round";
  to.lineWidth = 1.4 * ratio;
  to.strokeStyle = "#000000";
  to.fillStyle = "#ffffff";
  to.fill();
  to.stroke();
  const [w, h] = [13 * ratio, 18 * ratio];
  const [left, top] = [x + 15 * ratio, y + 8 * ratio];
  to.beginPath();
  to.roundRect(left, top, w, h, w / 2.2);
  to.fillStyle = "#f7f7f7";
  to.fill();
  to.save();
  to.clip();
  const half = w / 2;
  if (held.left) {
    to.fillStyle = BUTTON_COLOURS.left;
    to.fillRect(left, top, half, h * 0.45);
  }
  if (held.right) {
    to.fillStyle = BUTTON_COLOURS.right;
    to.fillRect(left + half, top, half, h * 0.45);
  }
  to.restore();
  to.beginPath();
  to.roundRect(left, top, w, h, w / 2.2);
  to.moveTo(left, top + h * 0.45);
  to.lineTo(left + w, top + h * 0.45);
  to.moveTo(left + half, top);
  to.lineTo(left + half, top + h * 0.45);
  to.lineWidth = 1.2 * ratio;
  to.strokeStyle = "#202020";
  to.stroke();
  if (held.middle) {
    to.fillStyle = BUTTON_COLOURS.middle;
    to.fillRect(left + half - 2 * ratio, top + 2 * ratio, 4 * ratio, h * 0.35);
  }
}

/** The mood of the face between the counters. */
export type Mood = "play" | "hold" | "won" | "lost";

export function drawMood(to: CanvasRenderingContext2D, x: number, y: number, size: number, mood: Mood): void {
  const [cx, cy, r] = [x + size / 2, y + size / 2, size * 0.34];
  to.lineWidth = Math.max(1, size / 22);
  to.strokeStyle = "#000000";
  to.fillStyle = "#ffdc2e";
  to.beginPath();
  to.arc(cx, cy, r, 0, 2 * Math.PI);
  to.fill();
  to.stroke();
  to.fillStyle = "#000000";
  const eye = (side: number): void => {
    const ex = cx + side * r * 0.38;
    const ey = cy - r * 0.22;
    if (mood === "lost") {
      const d = r * 0.15;
      to.beginPath();
      to.moveTo(ex - d, ey - d);
      to.lineTo(ex + d, ey + d);
      to.moveTo(ex + d, ey - d);
      to.lineTo(ex - d, ey + d);
      to.stroke();
      return;
    }
    to.beginPath();
    to.arc(ex, ey, mood === "won" ? r * 0.27 : r * 0.13, 0, 2 * Math.PI);
    to.fill();
  };
  eye(-1);
  eye(1);
  to.beginPath();
  if (mood === "won") {
    to.moveTo(cx - r * 0.95, cy - r * 0.3);
    to.lineTo(cx + r * 0.95, cy - r * 0.3);
    to.stroke();
    to.beginPath();
  }
  if (mood === "hold") {
    to.arc(cx, cy + r * 0.42, r * 0.2, 0, 2 * Math.PI);
  } else if (mood === "lost") {
    to.arc(cx, cy + r * 0.85, r * 0.45, Math.PI * 1.2, Math.PI * 1.8);
  } else {
    to.arc(cx, cy + r * 0.08, r * 0.52, Math.PI * 0.15, Math.PI * 0.85);
  }
  to.stroke();
}
