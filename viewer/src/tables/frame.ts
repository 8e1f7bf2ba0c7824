// The state after a packet, read as tables.

import type { Finding, Frame, Grid, Moment, Recording, Rows, TableDef, Value } from "../model.js";
import { Damaged } from "../source/check.js";
import type { Published } from "../source/published.js";
import { type Schema, Snapshot } from "../wire/index.js";
import { Coding } from "./coding.js";
import type { Table } from "./description.js";
import { GridPlan } from "./grid.js";
import { Labels } from "./labels.js";
import { RowPlan, StateRows } from "./rows.js";

/** Reads the moment of a packet. */
export class Clock {
  private readonly entity: number;
  private readonly step: Coding;
  private readonly tick: Coding;
  private readonly time: Coding;

  constructor(schema: Schema, { described }: Published) {
    const { clock } = described;
    this.entity = clock.entity;
    this.step = new Coding(schema, "uint", clock.step, "the clock");
    this.tick = new Coding(schema, "uint", clock.tick, "the clock");
    this.time = new Coding(schema, "int", clock.timeNs, "the clock");
  }

  /** The moment of a state. */
  read(state: Snapshot): Moment {
    const row = state.row(this.entity);
    const [step, tick, time] = [
      value(state, row, this.step),
      value(state, row, this.tick),
      value(state, row, this.time),
    ];
    return {
      step: Number(step ?? 0),
      tick: typeof tick === "boolean" ? null : tick,
      timeMs: time === null ? null : Number(time) / 1e6,
    };
  }
}

function value(state: Snapshot, row: number, coding: Coding): boolean | number | bigint | null {
  if (!state.has(row, coding.plain.component)) {
    throw new Damaged("a packet does not say when it is");
  }
  return coding.value(
    state.slots,
    slot(state, row, coding.how),
    slot(state, row, coding.plain),
    slot(state, row, coding.exact),
  );
}

function slot(state: Snapshot, row: number, at: Coding["how"]): number {
  if (at === null) {
    return -1;
  }
  return (
    state.start(row) +
    state.schema.layout.offset(state.masksHigh[row]!, state.masksLow[row]!, at.component) +
    at.plan.slot
  );
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
    const { stored, def } = table;
    if (stored.as === "entities") {
      this.rowPlans.set(def.name, new RowPlan(this.schema, table, stored.components, this.labels));
    } else if (stored.as === "tiles") {
      this.gridPlans.set(def.name, new GridPlan(this.schema, table, stored, this.labels));
    }
  }

  /** Takes note of a moment of the recording. */
  met({ timeMs }: Moment): void {
    this.times ||= timeMs !== null;
  }

  /** How to read a grid, with memory of its own. */
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

  rows(table: string): Rows | undefined {
    return this.stateRows(table);
  }

  stateRows(table: string): StateRows | undefined {
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
