// Reads JSON from elsewhere: every value is checked before it is used.

import type { Moment } from "../model.js";

/** An error in a published file, as a sentence. */
export class Damaged extends Error {
  constructor(message: string) {
    super(message);
    this.name = "Damaged";
  }
}

/** The message of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export type Json = Readonly<Record<string, unknown>>;

export function object(json: unknown, what: string): Json {
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    throw new Damaged(`${what} is no object`);
  }
  return json as Json;
}

export function list(json: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(json)) {
    throw new Damaged(`${what} is no list`);
  }
  return json as readonly unknown[];
}

export function text(json: unknown, what: string): string {
  if (typeof json !== "string") {
    throw new Damaged(`${what} is no text`);
  }
  return json;
}

/** A whole number from 0 on, small enough to be exact. */
export function count(json: unknown, what: string, max = Number.MAX_SAFE_INTEGER): number {
  if (typeof json !== "number" || !Number.isSafeInteger(json) || json < 0 || json > max) {
    throw new Damaged(`${what} is no number from 0 to ${max}`);
  }
  return json;
}

export function whole(json: unknown, what: string): number {
  if (typeof json !== "number" || !Number.isSafeInteger(json)) {
    throw new Damaged(`${what} is no whole number`);
  }
  return json;
}

/** The value as `read` reads it; null where it is missing or null. */
export function maybe<T>(json: unknown, read: (json: unknown) => T): T | null {
  return json === undefined || json === null ? null : read(json);
}

/** One of these texts. */
export function oneOf<T extends string>(json: unknown, all: readonly T[], what: string): T {
  const found = all.find((one) => one === json);
  if (found === undefined) {
    throw new Damaged(`${what} is none of ${all.join(", ")}`);
  }
  return found;
}

/** A number that JSON may have had to write as text. */
export function real(json: unknown): number | null {
  switch (json) {
    case "NaN":
      return NaN;
    case "inf":
      return Infinity;
    case "-inf":
      return -Infinity;
    default:
      return typeof json === "number" ? json : typeof json === "bigint" ? Number(json) : null;
  }
}

/** Checks that the version of a file is the one that this page knows. */
export function versioned(json: Json, what: string): void {
  if (json["version"] !== 1) {
    throw new Damaged(`${what} is of version ${String(json["version"])}, this page reads version 1`);
  }
}

function tick(json: unknown): number | bigint | null {
  return maybe(json, (tick) => (typeof tick === "bigint" ? tick : count(tick, "a tick")));
}

/** A stamp with nanoseconds. */
export function stamp(json: unknown, what: string): Moment {
  const of = object(json, what);
  const ns = real(of["time_ns"]);
  return {
    step: count(of["step"], `the step of ${what}`),
    tick: tick(of["tick"]),
    timeMs: ns === null ? null : ns / 1e6,
  };
}

/** A stamp with milliseconds; null where there is none. */
export function moment(of: Json, what: string): Moment | null {
  return maybe(of["step"], (step) => ({
    step: count(step, `the step of ${what}`),
    tick: tick(of["tick"]),
    timeMs: real(of["time_ms"]),
  }));
}
