// When something is, as JSON has it.

import type { Moment } from "../model.js";
import { type Json, count, maybe, object, real } from "./check.js";

function tick(json: unknown): number | bigint | null {
  return maybe(json, (tick) => (typeof tick === "bigint" ? tick : count(tick, "a tick")));
}

/** A stamp with nanoseconds. */
export function stamp(json: unknown, what: string): Moment {
  const of = object(json, what);
  const ns = real(of["time_ns"]);
  return { step: count(of["step"], `the step of ${what}`), tick: tick(of["tick"]), timeMs: ns === null ? null : ns / 1e6 };
}

/** A stamp with milliseconds; null where it is of no moment. */
export function moment(of: Json, what: string): Moment | null {
  return maybe(of["step"], (step) => ({
    step: count(step, `the step of ${what}`),
    tick: tick(of["tick"]),
    timeMs: real(of["time_ms"]),
  }));
}
