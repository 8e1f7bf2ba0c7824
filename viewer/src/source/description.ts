// The description of the tables, and the fields of packets that their columns are in.

import type { ColumnDef, Kind, Lane, Moment, TableDef } from "../model.js";
import { type Json, count, list, maybe, object, oneOf, stamp, text, versioned, whole } from "./check.js";

/** A field of a component; null means every field, for tiles. */
export type FieldPlace = Readonly<ReturnType<typeof place>>;
/** The fields that hold the value of a column. */
export type Coded = Readonly<ReturnType<typeof coded>>;

/** The place of a table's rows. */
type Stored =
  | { readonly as: "labels" }
  | { readonly as: "events" }
  | { readonly as: "entities"; readonly components: readonly number[] }
  | {
      readonly as: "tiles";
      readonly components: readonly number[];
      readonly origin: readonly number[];
      readonly edges: readonly number[];
      readonly stated: FieldPlace;
    };

/** A table, and where it is. */
export interface Table {
  readonly def: TableDef;
  readonly stored: Stored;
  /** The fields of each column; null where it is not in packets. */
  readonly coded: readonly (Coded | null)[];
}

const LANES: readonly Lane[] = ["facts", "state", "events", "grid"];
const KINDS: readonly Kind[] = ["bool", "int", "uint", "float32", "float64", "text"];
const STORED = ["labels", "events", "entities", "tiles"] as const;
const U16 = 0xffff;
const U32 = 0xffff_ffff;

/** Reads the description of a recording. */
export function described(json: unknown) {
  const of = object(json, "the description");
  versioned(of, "the description");
  const made = object(of["made_of"], "what the description is of");
  const clock = object(of["clock"], "the clock");
  const moment = (json: unknown): Moment => stamp(json, "the first or last moment");
  return {
    step: text(made["step"], "the word for a step"),
    ticks: made["ticks"] === true,
    times: made["times"] === true,
    first: maybe(made["first"], moment),
    last: maybe(made["last"], moment),
    clock: {
      entity: count(clock["entity"], "the entity of the clock", U32),
      step: coded(clock["step"], "the clock"),
      tick: coded(clock["tick"], "the clock"),
      timeNs: coded(clock["time_ns"], "the clock"),
    },
    tables: list(of["tables"], "the list of tables").map(table),
  };
}

function table(json: unknown): Table {
  const of = object(json, "a table");
  const name = text(of["name"], "the name of a table");
  const columns = list(of["columns"], `the columns of ${name}`).map((json) => object(json, `a column of ${name}`));
  return {
    def: {
      name,
      lane: oneOf(of["lane"], LANES, `the lane of ${name}`),
      doc: text(of["doc"] ?? "", `what is said of ${name}`),
      rows: count(of["rows"] ?? 0, `the rows of ${name}`),
      shape: list(of["shape"] ?? [], `the shape of ${name}`).map((edge) => count(edge, `an edge of ${name}`)),
      columns: columns.map((column) => columnOf(column, name)),
    },
    stored: stored(object(of["stored"], `where ${name} is`), name),
    coded: columns.map((column) => maybe(column["coded"], (json) => coded(json, name))),
  };
}

function columnOf(of: Json, table: string): ColumnDef {
  const name = text(of["name"], `the name of a column of ${table}`);
  const precision = of["precision"];
  return {
    name,
    kind: oneOf(of["kind"], KINDS, `the kind of ${table}.${name}`),
    unit: text(of["unit"] ?? "", `the unit of ${table}.${name}`),
    precision: typeof precision === "number" ? precision : null,
    key: of["key"] === true,
    notRecorded: of["not_recorded"] === true,
    doc: text(of["doc"] ?? "", `what is said of ${table}.${name}`),
  };
}

function stored(of: Json, table: string): Stored {
  const as = oneOf(of["as"], STORED, `where ${table} is`);
  if (as === "labels" || as === "events") {
    return { as };
  }
  const components = list(of["components"], `the components of ${table}`).map((id) => count(id, "a component", U16));
  if (as === "entities") {
    return { as, components };
  }
  return {
    as,
    components,
    origin: list(of["origin"], `the origin of ${table}`).map((at) => whole(at, `the origin of ${table}`)),
    edges: list(of["edges"], `the edges of ${table}`).map((edge) => count(edge, `an edge of ${table}`, 64)),
    stated: place(of["stated"], table),
  };
}

function coded(json: unknown, table: string) {
  const of = object(json, `a column of ${table} in packets`);
  const read = (json: unknown): FieldPlace => place(json, table);
  return { how: maybe(of["how"], read), plain: read(of["plain"]), exact: maybe(of["exact"], read) };
}

function place(json: unknown, table: string) {
  const of = object(json, `a field of ${table}`);
  return {
    component: count(of["component"], "a component", U16),
    field: maybe(of["field"], (field) => count(field, "a field", U16)),
  };
}
