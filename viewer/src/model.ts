// A stage, and what it draws: tables at a moment. It knows no format.

export type Theme = "dark" | "light";
export type Kind = "bool" | "int" | "uint" | "float32" | "float64" | "text";
export type Lane = "facts" | "state" | "events" | "grid";
/** A value of a row. Whole numbers beyond 2^53 are `bigint`. */
export type Value = null | boolean | number | bigint | string;

export interface ColumnDef {
  readonly name: string;
  readonly kind: Kind;
  readonly unit: string;
  /** The greatest difference of a value from the true one. */
  readonly precision: number | null;
  readonly key: boolean;
  /** Whether the recording has none of its values. */
  readonly notRecorded: boolean;
  readonly doc: string;
}

export interface TableDef {
  readonly name: string;
  readonly lane: Lane;
  readonly doc: string;
  readonly rows: number;
  /** Of a grid: the cells along each key. */
  readonly shape: readonly number[];
  readonly columns: readonly ColumnDef[];
}

/** A moment: its step, its tick where the recording counts ticks, its time where the recording knows times. */
export interface Moment {
  readonly step: number;
  readonly tick: number | bigint | null;
  readonly timeMs: number | null;
}

/** The current rows of a state table, in the order of their keys. */
export interface Rows {
  readonly def: TableDef;
  readonly length: number;
  /** The entity of a row: the same in every frame. */
  id(row: number): number;
  value(row: number, column: number): Value;
  /** As a number: NaN where it is none. */
  number(row: number, column: number): number;
}

/** The cells of a grid, dense, the last key fastest. */
export interface Grid {
  readonly def: TableDef;
  /** Cells along each key, and the coordinate of the first. */
  readonly shape: readonly number[];
  readonly origin: readonly number[];
  /** Goes up whenever a cell changes. */
  readonly version: number;
  /** The values of a column as numbers, NaN where there is none; valid until the version changes. */
  numbers(column: number): Float64Array;
  value(cell: number, column: number): Value;
}

/** The state after a packet. */
export interface Frame {
  readonly moment: Moment;
  rows(table: string): Rows | undefined;
  grid(table: string): Grid | undefined;
}

export interface EventRow {
  readonly table: string;
  readonly moment: Moment;
  readonly row: Readonly<Record<string, Value>>;
}

/** Everything that a stage draws from. */
export interface View {
  /** The newest packet that is not after the playhead. */
  readonly before: Frame;
  /** The next one; null at the end, or where motion is not interpolated. */
  readonly after: Frame | null;
  /** The playhead's position between the two, 0 to 1. */
  readonly mix: number;
  /** The playhead's position in milliseconds, or in steps where the recording knows no times. */
  readonly at: number;
  readonly playing: boolean;
  /** The recording beside this one at the same moment of its clock, where there is one. */
  readonly other: View | null;
  /** The events of the `last` milliseconds (or steps), oldest first. */
  events(table: string, last: number): readonly EventRow[];
  /** Earlier positions: the values of these columns in a row, over the `last` milliseconds, oldest first. */
  trail(table: string, id: number, columns: readonly number[], last: number): readonly (readonly number[])[];
}

/** One result of an audit. */
export interface Finding {
  readonly code: string;
  readonly severity: "info" | "warning" | "error";
  readonly message: string;
  /** The data that the message was made from. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Null for a finding about the whole recording. */
  readonly moment: Moment | null;
}

/** Numbers that a stage wants plotted over time. */
export interface Wanted {
  readonly table: string;
  /** The column; several columns are a vector, and its length is plotted. */
  readonly columns: readonly number[];
  /** A cell of a grid; null plots the least, the mean and the greatest of all cells. */
  readonly cell: number | null;
}

/** The parts of a recording that do not change with time. */
export interface Recording {
  readonly name: string;
  readonly format: string;
  readonly tables: readonly TableDef[];
  /** Whether the clock is in milliseconds. */
  readonly times: boolean;
  /** The findings of the audit, as far as they are known. */
  readonly findings: readonly Finding[];
  /** The rows of a table of facts. */
  facts(table: string): readonly Readonly<Record<string, Value>>[];
}

/** The requests that a stage may make to the page. */
export interface Stageplay {
  /** Draws again although the playhead did not move, because a camera did. */
  redraw(): void;
  /** Puts the moment, the camera and the choices into the page's address; to be called after a change. */
  saved(): void;
  /** Plots these numbers over time. */
  plot(wanted: Wanted): void;
  /** "dark" or "light"; stages read colours from CSS variables of the page, or follow this. */
  readonly theme: Theme;
  readonly reducedMotion: boolean;
}

/**
 * A key of a stage, as the help shows it, and what it does in words. Where `act` is given, the key is the first letter
 * shown; `act` returns false where it has not used it.
 */
export type StageKey = readonly [shown: string, what: string, act?: (event: KeyboardEvent) => unknown];

/** One way to show a recording. */
export interface Stage {
  /** A stage may use whatever key the page does not. */
  readonly keys?: readonly StageKey[];
  /** The element is empty and stays the stage's own until `dispose`. */
  mount(host: HTMLElement, recording: Recording, page: Stageplay): void | Promise<void>;
  draw(view: View): void;
  resize(width: number, height: number): void;
  /** A description of the picture in words, for users who can't see it. */
  describe(view: View): string;
  themeChanged?(theme: Theme): void;
  /** The part of a link that belongs to the stage: camera, choices. Short. */
  save(): string;
  restore(saved: string): void;
  dispose(): void;
}

/** A stage that may suit a recording. */
export interface StageDef {
  /** Stands in links and in the picker. */
  readonly id: string;
  readonly title: string;
  /** How well the stage suits these tables: 0 is not at all; the stage with the greatest number is shown first. */
  suits(recording: Recording): number;
  /** Loads the code, so that large libraries (three.js) are loaded only when needed. */
  load(): Promise<Stage>;
}
