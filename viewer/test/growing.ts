// A live recording, made from a complete one: the messages that a server sends, by crates/live/LAYOUT.md.

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

import { records } from "../src/source/records.js";
import { SITE } from "./recordings.js";

/** The description of a segment in recording.json. */
export interface Info {
  readonly file: string;
  readonly packets: number;
  readonly from: { readonly step: number; readonly time_ns: number | null };
  readonly to: { readonly step: number; readonly time_ns: number | null };
}

interface Whole {
  readonly segments: readonly Info[];
  readonly description: {
    readonly made_of: object;
    readonly tables: readonly object[];
    readonly [member: string]: unknown;
  };
  readonly [member: string]: unknown;
}

/** A published recording, taken apart. */
export class Growing {
  readonly whole: Whole;
  /** The records of each segment, one after the other. */
  readonly records: readonly (readonly Buffer[])[];

  constructor(id: string) {
    const folder = `${SITE}/r/${id}`;
    this.whole = JSON.parse(readFileSync(`${folder}/recording.json`, "utf8")) as Whole;
    this.records = this.whole.segments.map(({ file }) => {
      const bytes = gunzipSync(readFileSync(`${folder}/${file}`));
      const found: Buffer[] = [];
      records(bytes, file, (_, start, end) => found.push(bytes.subarray(start - 5, end)));
      return found;
    });
  }

  /** recording.json while there are so many segments. */
  json(segments: number, live = true): Buffer {
    const { whole } = this;
    const last = whole.segments[segments - 1]?.to ?? null;
    const { made_of, tables } = whole.description;
    // At the start the recording was empty, and its clock was not known.
    const counted = live ? tables.map((table) => ({ ...table, rows: 0 })) : tables;
    const clock = segments === 0 ? { ticks: false, times: false, first: null } : {};
    const description = { ...whole.description, made_of: { ...made_of, ...clock, last }, tables: counted };
    const of = live
      ? { ...whole, live, socket: "live", verdict: null, findings: [], markers: [] }
      : { ...whole, live, socket: null };
    return Buffer.from(JSON.stringify({ ...of, description, segments: whole.segments.slice(0, segments) }));
  }

  /** The first message of the socket to a client with so many segments; all but the last of them stay. */
  begin(segments: number): string {
    const keep = Math.max(0, segments - 1);
    return JSON.stringify({
      kind: "begin",
      version: 1,
      keep,
      segments: this.whole.segments.slice(keep, segments),
    });
  }

  segment(index: number): string {
    return JSON.stringify({ kind: "segment", segment: this.whole.segments[index] });
  }

  /** Milliseconds, of a stamp. */
  static ms({ time_ns }: Info["to"]): number {
    return (time_ns ?? 0) / 1e6;
  }
}
