// Tables of the current state: the view of one, of which only the visible rows are in the page; and the stage for
// recordings that have no other.

import { el, pushButton, say } from "../dom.js";
import { count, titled, valueText } from "../format.js";
import { product } from "../lists.js";
import type { Frame, Grid, Recording, Rows, Stage, StageDef, Stageplay, TableDef, View } from "../model.js";
import { coordinate } from "../tables/grid.js";
import { isNumber } from "./shared/tables.js";

/** The tables that have a current state: those of states and grids with rows. */
export function current({ tables }: Recording): readonly TableDef[] {
  return tables.filter(({ lane, rows }) => (lane === "state" || lane === "grid") && rows > 0);
}

const ROW = 26;
/** Rows beyond the edges that are ready when the user scrolls. */
const SPARE = 6;
/** With more columns than this, and more columns than rows, the columns go down the page. */
const WIDE = 8;
/** Rows that are shown side by side. */
const MOST_BESIDE = 40;

/** The values that are shown, by line and column. */
interface Lines {
  readonly length: number;
  readonly columns: number;
  head(column: number): string;
  title(column: number): string;
  text(line: number, column: number): string;
  numeric(line: number, column: number): boolean;
}

export class TableView {
  readonly element: HTMLElement;
  private readonly def: TableDef;
  private readonly head = el("tr");
  private readonly body = el("tbody");
  private readonly above = el("tr", { "aria-hidden": "true" }, el("td"));
  private readonly below = el("tr", { "aria-hidden": "true" }, el("td"));
  private readonly table: HTMLTableElement;
  private readonly note = el("p", { class: "quiet" });
  private rows: HTMLTableRowElement[] = [];
  private headed = "";
  private lines: Lines | null = null;

  constructor(def: TableDef) {
    this.def = def;
    this.table = el("table", { "aria-label": def.name }, el("thead", {}, this.head), this.body);
    this.element = el(
      "div",
      { class: "tableview", tabindex: "0", role: "region", "aria-label": `The table ${def.name}` },
      this.note,
      this.table,
    );
    this.element.addEventListener("scroll", () => this.fill(), { passive: true });
    this.body.append(this.above, this.below);
  }

  /** Shows the state of a frame. */
  show(frame: Frame): void {
    const rows = frame.rows(this.def.name);
    const grid = frame.grid(this.def.name);
    this.lines = rows !== undefined ? ofRows(rows) : grid !== undefined ? ofGrid(grid) : null;
    const empty = this.lines === null || this.lines.length === 0 || this.lines.columns < 1;
    say(this.note, empty ? "The table has no row at this moment." : "");
    this.note.hidden = !empty;
    this.table.hidden = empty;
    if (!empty) {
      this.headings();
      this.fill();
    }
  }

  private headings(): void {
    const lines = this.lines!;
    const heads = Array.from({ length: lines.columns }, (_, column) => lines.head(column));
    const headed = heads.join("\n");
    if (headed === this.headed) {
      return;
    }
    this.headed = headed;
    this.head.replaceChildren(
      ...heads.map((text, column) => el("th", { scope: "col", title: lines.title(column) }, text)),
    );
    for (const row of this.rows) {
      row.remove();
    }
    this.rows = [];
  }

  private fill(): void {
    const { lines, element } = this;
    if (lines === null) {
      return;
    }
    this.table.setAttribute("aria-rowcount", String(lines.length + 1));
    const height = element.clientHeight || 400;
    const first = Math.max(0, Math.min(lines.length - 1, Math.floor(element.scrollTop / ROW) - SPARE));
    const count = Math.min(lines.length - first, Math.ceil(height / ROW) + 2 * SPARE);
    this.above.firstElementChild!.setAttribute("colspan", String(lines.columns));
    this.above.style.height = `${first * ROW}px`;
    this.below.style.height = `${Math.max(0, lines.length - first - count) * ROW}px`;
    while (this.rows.length < count) {
      const row = el("tr");
      for (let column = 0; column < lines.columns; column += 1) {
        row.append(column === 0 ? el("th", { scope: "row" }) : el("td"));
      }
      this.rows.push(row);
      this.below.before(row);
    }
    while (this.rows.length > count) {
      this.rows.pop()!.remove();
    }
    this.rows.forEach((row, at) => {
      const line = first + at;
      row.setAttribute("aria-rowindex", String(line + 2));
      for (let column = 0; column < lines.columns; column += 1) {
        const cell = row.children[column]!;
        say(cell, lines.text(line, column));
        cell.classList.toggle("number", lines.numeric(line, column));
      }
    });
  }
}

function unitOf(def: TableDef, column: number): string {
  return titled(def.columns[column]!, def.columns[column]!.name);
}

/** The columns that have values. */
function recorded(def: TableDef): number[] {
  return def.columns.flatMap(({ notRecorded }, column) => (notRecorded ? [] : [column]));
}

/** Lines whose columns are those of the table. */
function columnsOf(def: TableDef, shown: readonly number[]): Omit<Lines, "length" | "text"> {
  return {
    columns: shown.length,
    head: (column) => unitOf(def, shown[column]!),
    title: (column) => def.columns[shown[column]!]!.doc,
    numeric: (_, column) => isNumber(def.columns[shown[column]!]!),
  };
}

/** A line a row; or a line a column, where there are few rows with many columns. */
function ofRows(rows: Rows): Lines {
  const { def } = rows;
  const shown = recorded(def);
  const text = (row: number, column: number): string => valueText(rows.value(row, column), def.columns[column]!);
  if (shown.length > WIDE && rows.length > 0 && rows.length < shown.length && rows.length <= MOST_BESIDE) {
    const keys = shown.filter((column) => def.columns[column]!.key);
    const named = shown.find((column) => def.columns[column]!.name === "name");
    const lines = shown.filter((column) => !keys.includes(column));
    const title = (row: number): string => keys.map((key) => text(row, key)).join(", ");
    return {
      length: lines.length,
      columns: rows.length + 1,
      head: (column) =>
        column === 0
          ? ""
          : named === undefined
            ? keys.length === 0
              ? "now"
              : title(column - 1)
            : text(column - 1, named),
      title: (column) => (column === 0 ? def.doc : title(column - 1)),
      text: (line, column) => (column === 0 ? unitOf(def, lines[line]!) : text(column - 1, lines[line]!)),
      numeric: (line, column) => column > 0 && isNumber(def.columns[lines[line]!]!),
    };
  }
  return {
    ...columnsOf(def, shown),
    length: rows.length,
    text: (row, column) => text(row, shown[column]!),
  };
}

function ofGrid(grid: Grid): Lines {
  const { def } = grid;
  const shown = recorded(def);
  // Cells without a row have keys, too.
  const keys = def.columns.flatMap(({ key }, column) => (key ? [column] : []));
  return {
    ...columnsOf(def, shown),
    length: product(grid.shape),
    text: (cell, column) => {
      const key = keys.indexOf(shown[column]!);
      const value = key < 0 ? grid.value(cell, shown[column]!) : coordinate(grid, cell, key);
      return valueText(value, def.columns[shown[column]!]!);
    },
  };
}

/** While it plays, texts change no faster than one can read. */
const PAUSE = 100;

class TableStage implements Stage {
  private readonly tabs = el("div", { class: "tabs", role: "tablist", "aria-label": "Tables" });
  private host: HTMLElement | null = null;
  private recording: Recording | null = null;
  private page: Stageplay | null = null;
  private table: TableDef | null = null;
  private view: TableView | null = null;
  private drawn = 0;

  mount(host: HTMLElement, recording: Recording, page: Stageplay): void {
    this.host = el("div", { class: "tablestage" });
    this.recording = recording;
    this.page = page;
    this.host.append(this.tabs);
    host.append(this.host);
    const first = current(recording)[0];
    if (first !== undefined) {
      this.choose(first);
    }
  }

  private choose(table: TableDef): void {
    this.table = table;
    this.view?.element.remove();
    this.view = new TableView(table);
    this.drawn = 0;
    this.tabs.replaceChildren(
      ...current(this.recording!).map((one) => {
        const attributes = { role: "tab", "aria-selected": String(one === table), title: one.doc };
        const choose = (): void => {
          this.choose(one);
          this.page?.saved();
          this.page?.redraw();
        };
        return pushButton(attributes, choose, one.name);
      }),
    );
    this.host!.append(this.view.element);
  }

  draw(view: View): void {
    const now = performance.now();
    if (view.playing && now - this.drawn < PAUSE) {
      return;
    }
    this.drawn = now;
    this.view?.show(view.before);
  }

  resize(): void {
    this.drawn = 0;
    this.page?.redraw();
  }

  describe(view: View): string {
    const { table } = this;
    if (table === null) {
      return "No table of this recording has a current state.";
    }
    const rows = view.before.rows(table.name);
    return rows === undefined
      ? `The grid ${table.name}.`
      : `The table ${table.name}, with ${count(rows.length, "row")}.`;
  }

  save(): string {
    return this.table?.name ?? "";
  }

  restore(saved: string): void {
    const table = current(this.recording!).find(({ name }) => name === saved);
    if (table !== undefined) {
      this.choose(table);
    }
  }

  dispose(): void {
    this.host?.remove();
  }
}

export const tableStage: StageDef = {
  id: "table",
  title: "Tables",
  // Every other stage that suits is better.
  suits: () => 0.01,
  load: () => Promise.resolve(new TableStage()),
};
