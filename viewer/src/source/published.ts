// The descriptions of recordings: library.json and recording.json.

import type { Finding, Moment } from "../model.js";
import { Schema, parseJson } from "../wire/index.js";
import { type Described, described } from "../tables/description.js";
import { moment, stamp } from "./check.js";
import { Damaged, type Json, count, list, maybe, object, oneOf, real, text, versioned } from "./check.js";

export const VERDICTS = ["pass", "warn", "fail"] as const;
export type Verdict = (typeof VERDICTS)[number];

/** A recording in the library. */
export interface Entry {
  readonly id: string;
  readonly name: string;
  readonly format: string;
  readonly durationMs: number | null;
  readonly steps: number | null;
  /** Null where there was no audit yet. */
  readonly verdict: Verdict | null;
  readonly tables: readonly string[];
  readonly live: boolean;
  readonly details: Json;
}

export const KINDS = ["event", "info", "warning", "error"] as const;

/** A marked moment; null for the recording as a whole. */
export interface Marker {
  readonly kind: (typeof KINDS)[number];
  readonly source: string;
  readonly text: string;
  /** The number of events that it stands for: it is the first of them, up to the next marker of their table. */
  readonly count: number;
  readonly moment: Moment | null;
}

/** The stretch of the stream that a file contains. */
export interface SegmentInfo {
  readonly file: string;
  readonly bytes: number;
  readonly packets: number;
  readonly from: Moment;
  readonly to: Moment;
}

/** A recording that can be played. */
export interface Published {
  readonly id: string;
  readonly name: string;
  readonly format: string;
  readonly verdict: Verdict | null;
  readonly summary: string;
  readonly live: boolean;
  /** The address of a WebSocket with the growing end; null where there is none. */
  readonly socket: string | null;
  readonly details: Json;
  readonly schema: Schema;
  readonly described: Described;
  readonly markers: readonly Marker[];
  readonly findings: readonly Finding[];
  readonly labels: { readonly file: string; readonly bytes: number };
  readonly segments: readonly SegmentInfo[];
  /** The parts that could not be published or are doubtful, and the moment from which on. */
  readonly lost: readonly { readonly text: string; readonly moment: Moment | null }[];
  readonly notes: readonly string[];
}

const ID = /^[A-Za-z0-9._-]+$/;
const FILE = /^[A-Za-z0-9]+\.(seg|lab)$/;

/** Reads the id of a recording, which has to be a plain name of a folder. */
export function recordingId(json: unknown): string {
  const id = text(json, "the id of a recording");
  if (!ID.test(id) || /^\.+$/.test(id)) {
    throw new Damaged(`${id} is no id of a recording`);
  }
  return id;
}

function fileName(json: unknown): string {
  const name = text(json, "the name of a file");
  if (!FILE.test(name)) {
    throw new Damaged(`${name} is no name of a segment or of labels`);
  }
  return name;
}

/** Reads library.json. */
export function library(source: string): Entry[] {
  const json = object(parsed(source, "library.json"), "library.json");
  versioned(json, "library.json");
  return list(json["recordings"], "the list of recordings").map(entry);
}

function verdict(json: unknown): Verdict {
  return oneOf(json, VERDICTS, "a verdict");
}

function entry(json: unknown): Entry {
  const of = object(json, "a recording of the library");
  return {
    id: recordingId(of["id"]),
    name: text(of["name"], "the name of a recording"),
    format: text(of["format"], "the format of a recording"),
    durationMs: real(of["duration_ms"]),
    steps: maybe(of["steps"], (steps) => count(steps, "the steps of a recording")),
    verdict: maybe(of["verdict"], verdict),
    tables: list(of["tables"] ?? [], "the tables").map((name) => text(name, "the name of a table")),
    live: of["live"] === true,
    details: object(of["details"] ?? {}, "the details of a recording"),
  };
}

/** Reads recording.json. */
export function published(source: string): Published {
  const json = object(parsed(source, "recording.json"), "recording.json");
  versioned(json, "recording.json");
  const labels = object(json["labels"], "what is said of the labels");
  return {
    id: recordingId(json["id"]),
    name: text(json["name"], "the name of the recording"),
    format: text(json["format"], "the format of the recording"),
    verdict: maybe(json["verdict"], verdict),
    summary: text(json["summary"] ?? "", "the summary"),
    live: json["live"] === true,
    socket: maybe(json["socket"], (at) => text(at, "the address of the socket")),
    details: object(json["details"] ?? {}, "the details"),
    schema: schemaOf(json["schema"]),
    described: described(json["description"]),
    markers: markers(json["markers"] ?? []),
    findings: list(json["findings"] ?? [], "the findings").map(finding),
    labels: { file: fileName(labels["file"]), bytes: count(labels["bytes"], "the size of the labels") },
    segments: segments(json["segments"]),
    lost: list(json["lost"] ?? [], "what is lost").map((what) => {
      const of = object(what, "what is lost");
      return { text: text(of["text"], "what is lost"), moment: moment(of, "what is lost") };
    }),
    notes: list(json["notes"] ?? [], "the notes").map((note) => text(note, "a note")),
  };
}

/** Reads a list of segments. */
export function segments(json: unknown): SegmentInfo[] {
  return list(json, "the list of segments").map(segment);
}

/** Reads a list of markers. */
export function markers(json: unknown): Marker[] {
  return list(json, "the markers").map(marker);
}

function parsed(source: string, what: string): unknown {
  try {
    return parseJson(source);
  } catch (error) {
    throw new Damaged(`${what} is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function schemaOf(json: unknown): Schema {
  try {
    return Schema.from(json);
  } catch (error) {
    throw new Damaged(`the schema: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function marker(json: unknown): Marker {
  const of = object(json, "a marker");
  return {
    kind: oneOf(of["kind"], KINDS, "the kind of a marker"),
    source: text(of["source"], "the source of a marker"),
    text: text(of["text"], "the text of a marker"),
    count: maybe(of["count"], (events) => count(events, "the events of a marker")) ?? 1,
    moment: moment(of, "a marker"),
  };
}

function finding(json: unknown): Finding {
  const of = object(json, "a finding");
  return {
    code: text(of["code"], "the code of a finding"),
    severity: oneOf(of["severity"], ["info", "warning", "error"] as const, "a severity"),
    message: text(of["message"], "the sentence of a finding"),
    data: object(of["data"] ?? {}, "the data of a finding"),
    moment: moment(of, "a finding"),
  };
}

/** Reads the description of a segment. */
export function segment(json: unknown): SegmentInfo {
  const of = object(json, "a segment");
  return {
    file: fileName(of["file"]),
    bytes: count(of["bytes"], "the size of a segment"),
    packets: count(of["packets"], "the packets of a segment"),
    from: stamp(of["from"], "the start of a segment"),
    to: stamp(of["to"], "the end of a segment"),
  };
}
