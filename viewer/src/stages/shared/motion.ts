// From one frame to the next: finds rows again, and interpolates, unless nothing could have moved so far.

import type { Frame, Rows } from "../../model.js";

export type Vec3 = [x: number, y: number, z: number];

/** The distance in metres that rounding can add between two equal positions. */
const SLACK = 1;

/** Whether something is too far from where it was to have moved there within so many milliseconds. */
export function teleports(from: Vec3, to: Vec3, ms: number, fastest: number): boolean {
  const distance = Math.hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
  return !(distance <= SLACK + (fastest * Math.max(ms, 0)) / 1000);
}

/** Between two numbers. */
export function lerp(from: number, to: number, mix: number): number {
  return from + (to - from) * mix;
}

/** Between two positions. */
export function between(from: Vec3, to: Vec3, mix: number, into: Vec3): Vec3 {
  into[0] = lerp(from[0], to[0], mix);
  into[1] = lerp(from[1], to[1], mix);
  into[2] = lerp(from[2], to[2], mix);
  return into;
}

/**
 * Between two directions: on the straight line, stretched to length 1. Opposite directions have nothing between
 * them: the result is the nearer one.
 */
export function turned(from: Vec3, to: Vec3, mix: number, into: Vec3): Vec3 {
  between(from, to, mix, into);
  const length = Math.hypot(into[0], into[1], into[2]);
  if (length < 1e-6) {
    const nearer = mix < 0.5 ? from : to;
    [into[0], into[1], into[2]] = nearer;
    return into;
  }
  into[0] /= length;
  into[1] /= length;
  into[2] /= length;
  return into;
}

/** The row of an entity, -1 where there is none. It is looked for around `near`: rows seldom move far. */
export function rowOf(rows: Rows, id: number, near: number): number {
  for (let by = 0; near - by >= 0 || near + by < rows.length; by++) {
    if (near + by < rows.length && rows.id(near + by) === id) {
      return near + by;
    }
    if (near - by >= 0 && near - by < rows.length && rows.id(near - by) === id) {
      return near - by;
    }
  }
  return -1;
}

/** Milliseconds, or steps, from one frame to another. */
export function span(before: Frame, after: Frame, times: boolean): number {
  return times ? (after.moment.timeMs ?? 0) - (before.moment.timeMs ?? 0) : after.moment.step - before.moment.step;
}
