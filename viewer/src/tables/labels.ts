// Labels, which accompany the packets: the rows and tiles that entities are, texts, and facts.

import { obtain } from "../lists.js";
import type { ColumnDef, EventRow, Value } from "../model.js";
import { Damaged, type Json, count, list, object, real, stamp, text } from "../source/check.js";
import { parseJson } from "../wire/index.js";
import type { Table } from "../source/description.js";

/** The most texts of one column that gametape writes. */
const MOST_TEXTS = 1 << 20;
const U32 = 0xffff_ffff;

type Row = Readonly<Record<string, Value>>;

/** JSON whose large integers matter; `JSON.parse` is much faster where there are none. */
function parse(source: string): unknown {
  try {
    return /\d{16}/.test(source) ? parseJson(source) : JSON.parse(source);
  } catch {
    throw new Damaged("a label or an event is no JSON");
  }
}

/** Reads a value of a column from JSON. */
function valueOf(column: ColumnDef, json: unknown): Value {
  const { kind } = column;
  if (json === undefined || json === null) {
    return null;
  }
  if (kind === "float32" || kind === "float64") {
    const number = real(json);
    return number === null || kind === "float64" ? number : Math.fround(number);
  }
  if (kind === "int" || kind === "uint") {
    return typeof json === "number" || typeof json === "bigint" ? json : null;
  }
  return kind === "bool" ? json === true : text(json, `a text of ${column.name}`);
}

function rowOf(table: Table, json: unknown): Row {
  const of = object(json, `a row of ${table.def.name}`);
  const row: Record<string, Value> = {};
  for (const column of table.def.columns) {
    row[column.name] = valueOf(column, of[column.name]);
  }
  return row;
}

/** Reads an event from its record. */
export function eventOf(tables: ReadonlyMap<string, Table>, source: string): EventRow {
  const json = object(parse(source), "an event");
  const name = text(json["table"], "the table of an event");
  const table = tables.get(name);
  if (table === undefined) {
    throw new Damaged(`an event is of ${name}, which is no table`);
  }
  return { table: name, moment: stamp(json, "an event"), row: rowOf(table, json["row"]) };
}

/** Labels, as far as they are known. */
export class Labels {
  /** Goes up with each label: a live recording gets more. */
  version = 0;
  /** The keys of rows by their entities, in the order of the columns of keys. */
  readonly keys = new Map<number, readonly Value[]>();
  /** The tiles that entities are: their numbers along each key. */
  readonly tiles = new Map<number, readonly number[]>();
  private readonly texts = new Map<string, string[]>();
  private readonly held = new Map<string, Row[]>();
  /** Rows of facts as they were written, to recognise those that come again. */
  private readonly stated = new Set<string>();
  /** Goes up with each fact. */
  facted = 0;
  private readonly tables: ReadonlyMap<string, Table>;

  constructor(tables: ReadonlyMap<string, Table>) {
    this.tables = tables;
  }

  /** Takes a label from its record. */
  take(source: string): void {
    const json = object(parse(source), "a label");
    const name = text(json["table"], "the table of a label");
    const table = this.tables.get(name);
    if (table === undefined) {
      throw new Damaged(`a label is of ${name}, which is no table`);
    }
    this.version += 1;
    if (json["row"] !== undefined) {
      if (this.stated.has(source)) {
        return;
      }
      this.stated.add(source);
      this.facted += 1;
      obtain(this.held, name, (): Row[] => []).push(rowOf(table, json["row"]));
    } else if (json["text"] !== undefined) {
      this.takeText(name, json);
    } else {
      this.takeEntity(table, json);
    }
  }

  private takeText(table: string, json: Json): void {
    const column = text(json["column"], "the column of a text");
    const number = count(json["number"], "the number of a text", MOST_TEXTS);
    this.textsOf(table, column)[number] = text(json["text"], "a text");
  }

  private takeEntity({ def }: Table, json: Json): void {
    const entity = count(json["entity"], "an entity", U32);
    if (json["tile"] !== undefined) {
      this.tiles.set(
        entity,
        list(json["tile"], "a tile").map((at) => count(at, "the number of a tile")),
      );
      return;
    }
    const key = object(json["key"], `a key of ${def.name}`);
    const columns = def.columns.filter((column) => column.key);
    this.keys.set(
      entity,
      columns.map((column) => valueOf(column, key[column.name])),
    );
  }

  /** The texts of a column, by number; lost texts leave holes. */
  textsOf(table: string, column: string): string[] {
    return obtain(this.texts, `${table}\n${column}`, () => []);
  }

  facts(table: string): readonly Row[] {
    return this.held.get(table) ?? [];
  }
}

/** The order of keys: missing ones first, numbers by size, texts by their letters. */
export function compareKeys(a: readonly Value[] | undefined, b: readonly Value[] | undefined): number {
  if (a === undefined || b === undefined) {
    return a === b ? 0 : a === undefined ? -1 : 1;
  }
  for (let at = 0; at < a.length; at += 1) {
    const [one, other] = [a[at] ?? null, b[at] ?? null];
    if (one === other) {
      continue;
    }
    return one === null || (other !== null && one < other) ? -1 : 1;
  }
  return 0;
}
