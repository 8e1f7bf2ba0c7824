// The descriptions of recordings: library.json and recording.json.

import type { Finding } from "../model.js";
import { Schema, parseJson } from "../wire/index.js";
import { described } from "./description.js";
import { Damaged, count, list, maybe, object, oneOf, real, text, versioned } from "./check.js";
import { messageOf, moment, stamp } from "./check.js";

const VERDICTS = ["pass", "warn", "fail"] as const;
const KINDS = ["event", "info", "warning", "error"] as const;

/** A recording in the library. */
export type Entry = Readonly<ReturnType<typeof entry>>;
/** A recording that can be played. */
export type Published = Readonly<ReturnType<typeof published>>;
/** A marked moment; null for the recording as a whole. */
export type Marker = Readonly<ReturnType<typeof marker>>;
/** The stretch of the stream that a file contains. */
export type SegmentInfo = Readonly<ReturnType<typeof segment>>;

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

/** Null where there was no audit yet. */
function verdict(json: unknown): (typeof VERDICTS)[number] | null {
  return maybe(json, (json) => oneOf(json, VERDICTS, "a verdict"));
}

function entry(json: unknown) {
  const of = object(json, "a recording of the library");
  return {
    id: recordingId(of["id"]),
    name: text(of["name"], "the name of a recording"),
    format: text(of["format"], "the format of a recording"),
    durationMs: real(of["duration_ms"]),
    steps: maybe(of["steps"], (steps) => count(steps, "the steps of a recording")),
    verdict: verdict(of["verdict"]),
    tables: list(of["tables"] ?? [], "the tables").map((name) => text(name, "the name of a table")),
    live: of["live"] === true,
    details: object(of["details"] ?? {}, "the details of a recording"),
  };
}

/** Reads recording.json. */
export function published(source: string) {
  const json = object(parsed(source, "recording.json"), "recording.json");
  versioned(json, "recording.json");
  const labels = object(json["labels"], "what is said of the labels");
  return {
    id: recordingId(json["id"]),
    name: text(json["name"], "the name of the recording"),
    format: text(json["format"], "the format of the recording"),
    verdict: verdict(json["verdict"]),
    summary: text(json["summary"] ?? "", "the summary"),
    live: json["live"] === true,
    // The address of a WebSocket with the growing end.
    socket: maybe(json["socket"], (at) => text(at, "the address of the socket")),
    details: object(json["details"] ?? {}, "the details"),
    schema: schemaOf(json["schema"]),
    described: described(json["description"]),
    markers: markers(json["markers"] ?? []),
    findings: list(json["findings"] ?? [], "the findings").map(finding),
    labels: { file: fileName(labels["file"]), bytes: count(labels["bytes"], "the size of the labels") },
    segments: segments(json["segments"]),
    // The parts that could not be published or are doubtful, and the moment from which on.
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
    throw new Damaged(`${what} is no JSON: ${messageOf(error)}`);
  }
}

function schemaOf(json: unknown): Schema {
  try {
    return Schema.from(json);
  } catch (error) {
    throw new Damaged(`the schema: ${messageOf(error)}`);
  }
}

function marker(json: unknown) {
  const of = object(json, "a marker");
  return {
    kind: oneOf(of["kind"], KINDS, "the kind of a marker"),
    source: text(of["source"], "the source of a marker"),
    text: text(of["text"], "the text of a marker"),
    // The number of events that it stands for: it is the first of them, up to the next marker of their table.
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
export function segment(json: unknown) {
  const of = object(json, "a segment");
  return {
    file: fileName(of["file"]),
    bytes: count(of["bytes"], "the size of a segment"),
    packets: count(of["packets"], "the packets of a segment"),
    from: stamp(of["from"], "the start of a segment"),
    to: stamp(of["to"], "the end of a segment"),
  };
}
