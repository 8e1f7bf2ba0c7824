// Numbers over time, in step with the timeline.

import uPlot from "uplot";

import type { Frame, TableDef } from "../model.js";
import type { Loader } from "../play/loader.js";
import { Samples, type Series, sample } from "../play/sampler.js";
import { button, choice, colour, el, say } from "./dom.js";
import { position } from "./format.js";

/** Rows that are offered by name. */
const MOST_ROWS = 100;
const HEIGHT = 130;
const INKS = ["--accent", "--event", "--warning", "--error", "--info"];

/** One plot: a column, of one row or of several. */
class Plot {
  readonly element: HTMLElement;
  private readonly line = el("div", { class: "now" });
  private readonly chart: HTMLElement;
  private readonly progress = el("span", { class: "quiet" });
  private readonly samples: Samples;
  private readonly names: readonly string[];
  private readonly loader: Loader;
  private readonly stopping = new AbortController();
  private plot: uPlot | null = null;
  private told = 0;
  private at = 0;

  constructor(loader: Loader, title: string, series: readonly Series[], names: readonly string[], seek: (at: number) => void, close: () => void) {
    this.loader = loader;
    this.names = names;
    this.samples = new Samples(series, loader.from, loader.to);
    const closing = button("close", `Close the plot of ${title}`, "", () => {
      this.dispose();
      close();
    });
    this.chart = el("div", { class: "chart", role: "img", "aria-label": `${title} over time` });
    this.element = el("section", { class: "plot" }, el("h3", {}, title, " ", this.progress, closing), this.chart);
    this.chart.addEventListener("click", (event) => {
      const { plot } = this;
      if (plot !== null) {
        seek(plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, "x"));
      }
    });
    new ResizeObserver(() => this.resize()).observe(this.chart);
    void sample(loader, this.samples, this.stopping.signal, () => this.tell()).then(() => this.tell(true));
  }

  private tell(last = false): void {
    const now = performance.now();
    if (!last && now - this.told < 250) {
      return;
    }
    this.told = now;
    const { done } = this.samples;
    say(this.progress, done < 1 ? `${Math.floor(100 * done)} %` : "");
    this.redraw();
  }

  /** Draws the lines again: of more samples, or in other colours. */
  redraw(): void {
    const data = this.data();
    if (this.plot !== null) {
      this.plot.setData(data);
      this.show(this.at);
    } else if (this.chart.clientWidth > 0) {
      this.make(data);
    }
  }

  themed(): void {
    this.plot?.destroy();
    this.plot = null;
    this.redraw();
  }

  private data(): uPlot.AlignedData {
    const lines = this.samples.series.map((_, at) => this.samples.line(at));
    if (lines.length === 1) {
      return [lines[0]!.at, lines[0]!.value];
    }
    return uPlot.join(lines.map(({ at, value }) => [at, value]));
  }

  private make(data: uPlot.AlignedData): void {
    const { times } = this.loader.tables;
    const axis = { stroke: () => colour("--muted"), grid: { stroke: () => colour("--line"), width: 1 }, ticks: { show: false }, font: "11px system-ui" };
    this.plot = new uPlot(
      {
        width: this.chart.clientWidth,
        height: HEIGHT,
        legend: { show: this.names.length > 1 },
        hooks: { draw: [() => this.show(this.at)] },
        cursor: { drag: { setScale: false }, y: false },
        scales: { x: { time: false, range: () => [this.loader.from, this.loader.to] } },
        axes: [
          { ...axis, size: 26, space: 70, values: (_, all) => all.map((at) => position(at, times, 0)) },
          { ...axis, size: 52 },
        ],
        series: [
          { label: times ? "time" : "step", value: (_, at) => (at === null ? "" : position(at, times)) },
          ...this.names.map((label, at) => ({ label, stroke: () => colour(INKS[at % INKS.length]!), width: 1.5, points: { show: false }, spanGaps: false })),
        ],
      },
      data,
      this.chart,
    );
    this.plot.over.append(this.line);
    this.show(this.at);
  }

  private resize(): void {
    if (this.plot === null) {
      this.redraw();
    } else if (this.chart.clientWidth > 0) {
      this.plot.setSize({ width: this.chart.clientWidth, height: HEIGHT });
      this.show(this.at);
    }
  }

  /** Where the playhead is. */
  show(at: number): void {
    this.at = at;
    if (this.plot?.status === 1) {
      this.line.style.transform = `translateX(${this.plot.valToPos(at, "x")}px)`;
    }
  }

  dispose(): void {
    this.stopping.abort();
    this.plot?.destroy();
    this.element.remove();
  }
}

const NUMBERS = ["int", "uint", "float32", "float64"];
/** Colours to tell lines apart by. */
const MOST_LINES = 5;

/** The panel of plots: which there are, and one more. */
export class Plots {
  readonly element = el("div", { class: "plots" });
  private readonly list = el("div");
  private readonly form = el("div", { class: "row" });
  private readonly loader: Loader;
  private readonly seek: (at: number) => void;
  private plots: Plot[] = [];
  private table: TableDef | undefined;
  private column = "";
  private row = "";
  private at = 0;
  private rows: readonly (readonly [string, string])[] = [];

  constructor(loader: Loader, seek: (at: number) => void) {
    this.loader = loader;
    this.seek = seek;
    this.table = this.tables()[0];
    this.element.append(this.form, this.list);
    if (this.table === undefined) {
      this.form.append(el("p", { class: "quiet" }, "This recording has no numbers that change over time, outside of grids."));
    }
  }

  private tables(): TableDef[] {
    return this.loader.tables.tables.filter((def) => def.lane === "state" && def.rows > 0 && this.columns(def).length > 0);
  }

  private columns(def: TableDef): string[] {
    return def.columns.filter(({ kind, key, notRecorded }) => NUMBERS.includes(kind) && !key && !notRecorded).map(({ name }) => name);
  }

  /** The rows that there are to choose from, as they are now. */
  offer(frame: Frame): void {
    const { table } = this;
    if (table === undefined) {
      return;
    }
    const rows = frame.rows(table.name);
    const names: [string, string][] = [];
    const shown = table.columns.findIndex(({ name }) => name === "name");
    const keys = table.columns.flatMap(({ key }, column) => (key ? [column] : []));
    for (let row = 0; rows !== undefined && row < Math.min(rows.length, MOST_ROWS); row += 1) {
      const key = keys.map((column) => String(rows.value(row, column) ?? "")).join(", ");
      names.push([String(rows.id(row)), shown < 0 ? key : `${key}: ${String(rows.value(row, shown) ?? "")}`]);
    }
    if (JSON.stringify(names) !== JSON.stringify(this.rows) || this.form.childElementCount === 0) {
      this.rows = names;
      this.build();
    }
  }

  private build(): void {
    const { table } = this;
    if (table === undefined) {
      return;
    }
    const columns = this.columns(table);
    this.column = columns.includes(this.column) ? this.column : columns[0]!;
    const pick = this.tables().map(({ name }) => [name, name] as const);
    const units = columns.map((name) => {
      const unit = table.columns.find((column) => column.name === name)!.unit;
      return [name, unit === "" ? name : `${name} (${unit})`] as const;
    });
    this.form.replaceChildren(
      choice("Table", pick, table.name, (name) => {
        this.table = this.tables().find((def) => def.name === name);
        this.rows = [];
        this.form.replaceChildren();
      }),
      choice("Column", units, this.column, (name) => (this.column = name)),
    );
    const keyed = table.columns.some(({ key }) => key);
    if (keyed) {
      const all: [string, string][] = this.rows.length > 1 ? [["", `the first ${Math.min(MOST_LINES, this.rows.length)}`]] : [];
      this.row = this.rows.some(([id]) => id === this.row) ? this.row : (all[0] ?? this.rows[0])?.[0] ?? "";
      this.form.append(choice("Row", [...all, ...this.rows], this.row, (row) => (this.row = row)));
    }
    const add = el("button", { type: "button", class: "text" }, "Plot it");
    add.addEventListener("click", () => this.add(table, keyed));
    this.form.append(add);
  }

  private add(table: TableDef, keyed: boolean): void {
    const column = table.columns.findIndex(({ name }) => name === this.column);
    const { unit } = table.columns[column]!;
    const rows = !keyed ? [] : this.row === "" ? this.rows.slice(0, MOST_LINES) : this.rows.filter(([id]) => id === this.row);
    const of = { table: table.name, column };
    const series = keyed ? rows.map(([id]) => ({ ...of, entity: Number(id) })) : [{ ...of, entity: null }];
    if (series.length === 0) {
      return;
    }
    const one = rows.length === 1 ? `, ${rows[0]![1]}` : "";
    const title = `${table.name}: ${this.column}${unit === "" ? "" : ` (${unit})`}${one}`;
    const names = keyed ? rows.map(([, name]) => name) : [this.column];
    const plot: Plot = new Plot(this.loader, title, series, names, this.seek, () => {
      this.plots = this.plots.filter((other) => other !== plot);
    });
    plot.show(this.at);
    this.plots.push(plot);
    this.list.append(plot.element);
  }

  show(at: number): void {
    this.at = at;
    for (const plot of this.plots) {
      plot.show(at);
    }
  }

  themed(): void {
    for (const plot of this.plots) {
      plot.themed();
    }
  }

  dispose(): void {
    for (const plot of this.plots) {
      plot.dispose();
    }
  }
}
