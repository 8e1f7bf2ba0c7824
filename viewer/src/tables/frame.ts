// The state after a packet, read as tables.

import type { Finding, Frame, Grid, Moment, Recording, TableDef, Value } from "../model.js";
import { Damaged } from "../source/check.js";
import type { Published } from "../source/published.js";
import { type Schema, Snapshot } from "../wire/index.js";
import { Coding } from "./coding.js";
import type { Table } from "../source/description.js";
import { GridPlan } from "./grid.js";
import { Labels } from "./labels.js";
import { type RowPlan, StateRows, codedColumns } from "./rows.js";

/** Reads the moment of a packet. */
class Clock {
  private readonly entity: number;
  private readonly step: Coding;
  private readonly tick: Coding;
  private readonly time: Coding;
  private readonly starts: Float64Array;

  constructor(schema: Schema, { described }: Published) {
    const { clock } = described;
    this.entity = clock.entity;
    this.step = new Coding(schema, "uint", clock.step, "the clock");
    this.tick = new Coding(schema, "uint", clock.tick, "the clock");
    this.time = new Coding(schema, "int", clock.timeNs, "the clock");
    this.starts = new Float64Array(schema.components.length);
  }

  /** The moment of a state. */
  read(state: Snapshot): Moment {
    state.starts(state.row(this.entity), this.starts);
    const step = this.value(state, this.step);
    const tick = this.value(state, this.tick);
    const time = this.value(state, this.time);
    return {
      step: Number(step ?? 0),
      tick: typeof tick === "boolean" ? null : tick,
      timeMs: time === null ? null : Number(time) / 1e6,
    };
  }

  private value({ slots }: Snapshot, coding: Coding): boolean | number | bigint | null {
    if (Number.isNaN(this.starts[coding.plain.component])) {
      throw new Damaged("a packet does not say when it is");
    }
    return coding.value(slots, this.starts);
  }
}

/** A recording's tables, and how to read them from states. */
export class Tables implements Recording {
  readonly name: string;
  readonly format: string;
  readonly tables: readonly TableDef[];
  /** Whether the recording knows times; in a live recording its first moment shows it. */
  times: boolean;
  findings: readonly Finding[];
  readonly schema: Schema;
  readonly labels: Labels;
  readonly clock: Clock;
  readonly byName: ReadonlyMap<string, Table>;
  readonly rowPlans = new Map<string, RowPlan>();
  readonly gridPlans = new Map<string, GridPlan>();
  /** The reasons why tables can't be read, a sentence each. */
  readonly problems: string[] = [];
  /** The files whose labels are known. */
  readonly labelled = new Set<string>();

  constructor(published: Published) {
    const { described, schema } = published;
    this.name = published.name;
    this.format = published.format;
    this.times = described.times;
    this.findings = published.findings;
    this.schema = schema;
    // The number of rows of a live recording is not known: each table counts as having some.
    const rows = (def: TableDef): number => (published.live ? Math.max(1, def.rows) : def.rows);
    this.tables = described.tables.map(({ def }) => ({ ...def, rows: rows(def) }));
    this.byName = new Map(described.tables.map((table) => [table.def.name, table]));
    this.labels = new Labels(this.byName);
    this.clock = new Clock(schema, published);
    for (const table of described.tables) {
      try {
        this.plan(table);
      } catch (error) {
        if (!(error instanceof Damaged)) {
          throw error;
        }
        this.problems.push(`The table ${table.def.name} can't be shown: ${error.message}.`);
      }
    }
  }

  private plan(table: Table): void {
    const { schema, labels } = this;
    const { stored, def } = table;
    if (stored.as === "entities") {
      const first = schema.place(stored.components[0] ?? -1);
      this.rowPlans.set(def.name, { def, first, columns: codedColumns(schema, table, labels), labels });
    } else if (stored.as === "tiles") {
      this.gridPlans.set(def.name, new GridPlan(schema, table, stored, labels));
    }
  }

  /** Takes note of a moment of the recording. */
  met({ timeMs }: Moment): void {
    this.times ||= timeMs !== null;
  }

  /** A plan to read a grid with memory of its own. */
  gridPlan(name: string): GridPlan | undefined {
    const table = this.byName.get(name);
    return table?.stored.as === "tiles" && this.gridPlans.has(name)
      ? new GridPlan(this.schema, table, table.stored, this.labels)
      : undefined;
  }

  facts(table: string): readonly Readonly<Record<string, Value>>[] {
    return this.labels.facts(table);
  }
}

/** The state after a packet; its memory is used again for another. */
export class StateFrame implements Frame {
  moment: Moment = { step: 0, tick: null, timeMs: null };
  /** Milliseconds, or steps where the recording knows no times. */
  at = 0;
  readonly state: Snapshot;
  private readonly tables: Tables;
  private readonly read = new Map<string, { rows: StateRows; of: number }>();
  private readonly grids = new Map<string, { grid: Grid; of: number; version: number }>();
  private packet = 0;

  constructor(tables: Tables) {
    this.tables = tables;
    this.state = new Snapshot(tables.schema);
  }

  /** Another packet has been read into the state. */
  changed(): void {
    const moment = this.tables.clock.read(this.state);
    this.tables.met(moment);
    this.packet += 1;
    this.moment = moment;
    this.at = this.tables.times ? (moment.timeMs ?? 0) : moment.step;
  }

  rows(table: string): StateRows | undefined {
    let read = this.read.get(table);
    if (read === undefined) {
      const plan = this.tables.rowPlans.get(table);
      if (plan === undefined) {
        return undefined;
      }
      read = { rows: new StateRows(plan, this.state), of: -1 };
      this.read.set(table, read);
    }
    if (read.of !== this.packet) {
      read.rows.refresh();
      read.of = this.packet;
    }
    return read.rows;
  }

  grid(table: string): Grid | undefined {
    const held = this.grids.get(table);
    if (held !== undefined && held.of === this.packet && held.grid.version === held.version) {
      return held.grid;
    }
    const grid = this.tables.gridPlans.get(table)?.of(this.state);
    if (grid !== undefined) {
      this.grids.set(table, { grid, of: this.packet, version: grid.version });
    }
    return grid;
  }
}
