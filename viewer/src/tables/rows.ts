// The rows of a state table after a packet.

import type { Rows, TableDef, Value } from "../model.js";
import type { Schema, Snapshot } from "../wire/index.js";
import { Coding } from "./coding.js";
import type { Table } from "../source/description.js";
import { type Labels, compareKeys } from "./labels.js";

/** A column of a table, and the place of its values. */
export interface CodedColumn {
  /** Null where the values are not in packets. */
  readonly coding: Coding | null;
  /** The number of a key among the keys; −1 for other columns. */
  readonly key: number;
  /** The texts of a column of texts, by number. */
  readonly texts: string[] | null;
}

/** The columns of a table, with the fields of packets that their values are in. */
export function codedColumns(schema: Schema, { def, coded }: Table, labels: Labels): CodedColumn[] {
  let keys = 0;
  return def.columns.map((column, at) => {
    const how = coded[at] ?? null;
    return {
      coding: how && new Coding(schema, column.kind, how, `${def.name}.${column.name}`),
      key: column.key ? keys++ : -1,
      texts: column.kind === "text" && how !== null ? labels.textsOf(def.name, column.name) : null,
    };
  });
}

/** The value of a column of texts is its number among them. */
export function textOr(texts: string[] | null, value: Exclude<Value, string>): Value {
  return texts === null || value === null ? value : (texts[Number(value)] ?? null);
}

/** A state table, and the fields of its columns: the same for all states. */
export interface RowPlan {
  readonly def: TableDef;
  /** The place in the schema of the component that every row has. */
  readonly first: number;
  readonly columns: readonly CodedColumn[];
  readonly labels: Labels;
}

/** The rows of one table in one state, read again after each packet. */
export class StateRows implements Rows {
  readonly def: TableDef;
  length = 0;
  private readonly plan: RowPlan;
  private readonly state: Snapshot;
  /** The rows of the state, in the order of their keys. */
  private index: number[] = [];
  // The entities at the time of sorting: the order stays while none comes or goes.
  private ids = new Uint32Array(0);
  private labelled = -1;
  /** The starts of the components of the row that was asked for last. */
  private readonly starts: Float64Array;
  private startsOf = -1;

  constructor(plan: RowPlan, state: Snapshot) {
    this.plan = plan;
    this.def = plan.def;
    this.state = state;
    this.starts = new Float64Array(state.schema.components.length);
  }

  /** Looks at the state again. */
  refresh(): void {
    const { state, plan } = this;
    this.startsOf = -1;
    if (this.labelled === plan.labels.version && this.stays()) {
      return;
    }
    this.labelled = plan.labels.version;
    this.ids = state.ids.slice(0, state.length);
    this.index = [];
    for (let row = 0; row < state.length; row += 1) {
      if (state.has(row, plan.first)) {
        this.index.push(row);
      }
    }
    const key = (row: number): readonly Value[] | undefined => plan.labels.keys.get(state.ids[row]!);
    this.index.sort((a, b) => compareKeys(key(a), key(b)));
    this.length = this.index.length;
  }

  private stays(): boolean {
    const { ids, state } = this;
    if (ids.length !== state.length) {
      return false;
    }
    for (let at = 0; at < ids.length; at += 1) {
      if (ids[at] !== state.ids[at]) {
        return false;
      }
    }
    return true;
  }

  id(row: number): number {
    const at = this.index[row];
    return at === undefined ? -1 : this.state.ids[at]!;
  }

  /** The row of an entity; −1 where there is none. */
  rowOf(id: number): number {
    const at = this.state.row(id);
    return at < 0 ? -1 : this.index.indexOf(at);
  }

  /** The starts of the components of a row of the state. */
  private startsAt(row: number): Float64Array {
    if (this.startsOf !== row) {
      this.state.starts(row, this.starts);
      this.startsOf = row;
    }
    return this.starts;
  }

  private keyOf(row: number, key: number): Value {
    return key < 0 ? null : (this.plan.labels.keys.get(this.state.ids[row]!)?.[key] ?? null);
  }

  value(row: number, column: number): Value {
    const [at, of] = [this.index[row], this.plan.columns[column]];
    if (at === undefined || of === undefined) {
      return null;
    }
    const { coding, key, texts } = of;
    return coding === null
      ? this.keyOf(at, key)
      : textOr(texts, coding.value(this.state.slots, this.startsAt(at)));
  }

  number(row: number, column: number): number {
    const [at, of] = [this.index[row], this.plan.columns[column]];
    if (at === undefined || of === undefined || of.texts !== null) {
      return NaN;
    }
    const { coding, key } = of;
    if (coding !== null) {
      return coding.number(this.state.slots, this.startsAt(at));
    }
    const value = this.keyOf(at, key);
    return typeof value === "number" || typeof value === "bigint" ? Number(value) : NaN;
  }
}
