// Published recordings for the tests, the values that the library has for them, and a live one made of a complete one.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

import { type Files, records } from "../src/source/files.js";
import { parseJson } from "../src/wire/index.js";

const HERE = new URL("../../recordings/", import.meta.url);

/** The folder that `gametape publish` wrote, and the recordings it is of. */
export const SITE = process.env["GAMETAPE_SITE"] ?? fileURLToPath(new URL("site", HERE));
export const ORIGINALS = process.env["GAMETAPE_ORIGINALS"] ?? fileURLToPath(new URL("files", HERE));
export const COMMAND = process.env["GAMETAPE"] ?? fileURLToPath(new URL("../../../debug/gametape", import.meta.url));

/** The reason why tests that need recordings can't run; false where they can. */
export const LACKING: string | false =
  existsSync(`${SITE}/library.json`) && existsSync(COMMAND)
    ? false
    : "no published recordings: cargo xtask test viewer makes them";

/** The files of a folder, as a web server has them. */
export class Folder implements Files {
  private readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  text(path: string): Promise<string> {
    return readFile(`${this.path}/${path}`, "utf8");
  }

  async bytes(path: string): Promise<Uint8Array> {
    return new Uint8Array(await readFile(`${this.path}/${path}`));
  }
}

export interface Listed {
  readonly id: string;
  readonly name: string;
  readonly format: string;
  readonly verdict: string;
}

/** The recordings of the library whose originals are there. */
export function listed(): Listed[] {
  if (LACKING !== false) {
    return [];
  }
  const library = JSON.parse(readFileSync(`${SITE}/library.json`, "utf8")) as { recordings: Listed[] };
  const originals = readdirSync(ORIGINALS);
  return library.recordings.filter(({ name }) => originals.includes(name));
}

export type Line = Readonly<Record<string, unknown>>;

/** The output of `gametape dump` for a recording that it reads to the end. */
export function dump(name: string, ...options: string[]): Line[] {
  const lines = dumpOf(name, ...options);
  if (lines === null) {
    throw new Error(`gametape dump ${options.join(" ")} ${name}: it can't be read`);
  }
  return lines;
}

/** The output of `gametape dump`; null where the recording is damaged and has no state there. */
export function dumpOf(name: string, ...options: string[]): Line[] | null {
  const { stdout, stderr, status } = spawnSync(COMMAND, ["dump", "--json", ...options, `${ORIGINALS}/${name}`], {
    encoding: "utf8",
    maxBuffer: 1 << 30,
  });
  if (status === 2 && stderr.includes("is recorded")) {
    return null;
  }
  if (status !== 0 && status !== 1) {
    throw new Error(`gametape dump ${options.join(" ")} ${name}: ${stderr}`);
  }
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => parseJson(line) as Line)
    // The last line of a damaged recording says what is wrong.
    .filter((line) => !("error" in line));
}

/** The description of a segment in recording.json. */
interface Info {
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

/** A published recording as if it were live: the messages that a server sends, by crates/live/LAYOUT.md. */
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
  json(segments: number, live = true, socket: string | null = "live"): Buffer {
    const { whole } = this;
    const last = whole.segments[segments - 1]?.to ?? null;
    const { made_of, tables } = whole.description;
    // At the start the recording was empty, and its clock was not known.
    const counted = live ? tables.map((table) => ({ ...table, rows: 0 })) : tables;
    const clock = segments === 0 ? { ticks: false, times: false, first: null } : {};
    const description = { ...whole.description, made_of: { ...made_of, ...clock, last }, tables: counted };
    const of = live
      ? { ...whole, live, socket, verdict: null, findings: [], markers: [] }
      : { ...whole, live, socket: null };
    return Buffer.from(JSON.stringify({ ...of, description, segments: whole.segments.slice(0, segments) }));
  }

  /** The first message of the socket to a client with so many segments; all but the last of them stay. */
  begin(segments: number): string {
    const keep = Math.max(0, segments - 1);
    return JSON.stringify({ kind: "begin", version: 1, keep, segments: this.whole.segments.slice(keep, segments) });
  }

  segment(index: number): string {
    return JSON.stringify({ kind: "segment", segment: this.whole.segments[index] });
  }

  /** Milliseconds, of a stamp. */
  static ms({ time_ns }: Info["to"]): number {
    return (time_ns ?? 0) / 1e6;
  }
}
