// What a stage draws: tables at a moment. It knows no format.

export type Kind = "bool" | "int" | "uint" | "float32" | "float64" | "text";
export type Lane = "facts" | "state" | "events" | "grid";
/** A value of a row. Whole numbers beyond 2^53 are `bigint`. */
export type Value = null | boolean | number | bigint | string;

export interface ColumnDef {
  readonly name: string;
  readonly kind: Kind;
  readonly unit: string;
  /** How far off a value may be. */
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

/** When: the step is always there; milliseconds since the start, where the recording knows times. */
export interface Moment {
  readonly step: number;
  readonly tick: number | bigint | null;
  readonly timeMs: number | null;
}

/** The rows of a state that hold, in the order of their keys. */
export interface Rows {
  readonly def: TableDef;
  readonly length: number;
  /** Which entity a row is: the same in every frame. */
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

/** What holds at a packet. */
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

/** What is to be drawn. */
export interface View {
  /** The newest packet that is not after the playhead. */
  readonly before: Frame;
  /** The next one; null at the end, or where motion is not interpolated. */
  readonly after: Frame | null;
  /** How far the playhead is from the one to the other, 0 to 1. */
  readonly mix: number;
  /** Where the playhead is: milliseconds, or steps where the recording knows no times. */
  readonly at: number;
  readonly playing: boolean;
  /** The recording beside this one at the same moment of its clock, where there is one. */
  readonly other: View | null;
  /** Events of the last so many milliseconds (or steps), oldest first. */
  events(table: string, last: number): readonly EventRow[];
  /** Earlier positions: the numbers of these columns of a row of this id over the last so many milliseconds, oldest first. */
  trail(table: string, id: number, columns: readonly number[], last: number): readonly (readonly number[])[];
}

/** Something that an audit found. */
export interface Finding {
  readonly code: string;
  readonly severity: "info" | "warning" | "error";
  readonly message: string;
  /** What it is made of, for who does more than print it. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Null is of the recording as a whole. */
  readonly moment: Moment | null;
}

/** Numbers to be seen over time. */
export interface Wanted {
  readonly table: string;
  /** The column; of several the length of the vector they are. */
  readonly columns: readonly number[];
  /** Of a grid one cell, or, with null, the least, the mean and the greatest of all. */
  readonly cell: number | null;
}

/** What stays the same throughout. */
export interface Recording {
  readonly name: string;
  readonly format: string;
  readonly tables: readonly TableDef[];
  /** Whether the clock is in milliseconds. */
  readonly times: boolean;
  /** What the audit found, as far as it is known. */
  readonly findings: readonly Finding[];
  /** The rows of a table of facts. */
  facts(table: string): readonly Readonly<Record<string, Value>>[];
}

/** What a stage may ask of the page. */
export interface Stageplay {
  /** Draw again, though nothing moved: a camera did. */
  redraw(): void;
  /** The moment, camera and choices are kept in the page's address: call after a change. */
  saved(): void;
  /** These numbers are to be seen over time. */
  plot(wanted: Wanted): void;
  /** "dark" or "light"; stages read colours from CSS variables of the page, or follow this. */
  readonly theme: "dark" | "light";
  readonly reducedMotion: boolean;
}

/** One way to show a recording. */
export interface Stage {
  /** Its keys and what they do, for the help panel. A stage may use whatever key the page does not. */
  readonly keys?: readonly (readonly [key: string, what: string])[];
  /** The element is empty and stays the stage's own until `dispose`. */
  mount(host: HTMLElement, recording: Recording, page: Stageplay): void | Promise<void>;
  draw(view: View): void;
  resize(width: number, height: number): void;
  /** What is to be seen, in words, for who can't see it. */
  describe(view: View): string;
  /** True if the key was the stage's. */
  key?(event: KeyboardEvent): boolean;
  themeChanged?(theme: "dark" | "light"): void;
  /** What a link has to hold: camera, choices. Short. */
  save(): string;
  restore(saved: string): void;
  dispose(): void;
}

/** A stage that may suit a recording. */
export interface StageDef {
  /** Stands in links and in the picker. */
  readonly id: string;
  readonly title: string;
  /** How well it suits tables like these: 0 not at all; the greatest is shown first. */
  suits(recording: Recording): number;
  /** Loads the code: what is big (three.js) comes only when needed. */
  load(): Promise<Stage>;
}
