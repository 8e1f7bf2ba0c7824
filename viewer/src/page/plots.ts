// The panel of plots: a form that adds one, and the plots, each of numbers over the whole of a recording, in step with
// the timeline.

import uPlot from "uplot";

import { button, choice, colour, el, pushButton, say } from "../dom.js";
import { grouped, position, titled } from "../format.js";
import type { Frame, TableDef, Wanted } from "../model.js";
import type { Loader } from "../play/loader.js";
import { Samples, type Series, TOTALS, sample } from "../play/sampler.js";
import { type CellNumber, components } from "../stages/field/columns.js";
import { isNumber } from "../stages/shared/tables.js";
import { coordinate } from "../tables/grid.js";

const HEIGHT = 130;
const INKS = ["--accent", "--event", "--warning", "--error", "--info"];
/** The time between two drawings while samples come, in milliseconds. */
const OFTEN = 250;

/** The series of a plot, and their names. */
interface Plotted {
  readonly title: string;
  readonly series: readonly Series[];
  /** The name of each line. */
  readonly names: readonly string[];
}

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
  private drawnAt = 0;
  private at = 0;
  private wake: ((more: boolean) => void) | null = null;

  constructor(loader: Loader, { title, series, names }: Plotted, seek: (at: number) => void, close: () => void) {
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
    const more = (): Promise<boolean> =>
      loader.published.live ? new Promise((resolve) => (this.wake = resolve)) : Promise.resolve(false);
    void sample(loader, this.samples, this.stopping.signal, () => this.tell(), more).then(() => this.tell(true));
  }

  /** More has been recorded, or nothing more will be. */
  grown(): void {
    this.wake?.(true);
    this.wake = null;
  }

  private tell(last = false): void {
    const now = performance.now();
    if (!last && now - this.drawnAt < OFTEN) {
      return;
    }
    this.drawnAt = now;
    const { done } = this.samples;
    say(this.progress, done < 1 ? `${Math.floor(100 * done)} %` : "");
    this.redraw();
  }

  /** Draws the lines again, because there are more samples or other colours. */
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
    const axis = {
      stroke: () => colour("--muted"),
      grid: { stroke: () => colour("--line"), width: 1 },
      ticks: { show: false },
      font: "11px system-ui",
    };
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
          ...this.names.map((label, at) => ({
            label,
            stroke: () => colour(INKS[at % INKS.length]!),
            width: 1.5,
            points: { show: false },
            spanGaps: false,
          })),
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

  /** Moves the line of the playhead. */
  show(at: number): void {
    this.at = at;
    if (this.plot?.status === 1) {
      this.line.style.transform = `translateX(${this.plot.valToPos(at, "x")}px)`;
    }
  }

  dispose(): void {
    this.stopping.abort();
    this.grown();
    this.plot?.destroy();
    this.element.remove();
  }
}

/** Rows that are offered by name. */
const MOST_ROWS = 200;
/** Lines that can be told apart. */
const MOST_LINES = 5;

export class Plots {
  readonly element = el("div", { class: "plots" });
  private readonly list = el("div");
  private readonly form = el("div", { class: "row" });
  private readonly loader: Loader;
  private readonly seek: (at: number) => void;
  private readonly redraw: () => void;
  private plots: Plot[] = [];
  private table: TableDef | undefined;
  private column = "";
  private row = "";
  /** The coordinates of the chosen cell of a grid. */
  private cell: number[] = [];
  private at = 0;
  private rows: readonly (readonly [string, string])[] = [];
  /** The number of rows beyond those. */
  private left = 0;

  /** `redraw` has `offer` called although nothing moves. */
  constructor(loader: Loader, seek: (at: number) => void, redraw: () => void) {
    this.loader = loader;
    this.seek = seek;
    this.redraw = redraw;
    this.table = this.tables()[0];
    this.element.append(this.form, this.list);
    if (this.table === undefined) {
      this.form.append(el("p", { class: "quiet" }, "This recording has no numbers that change over time."));
    }
  }

  private tables(): TableDef[] {
    return this.loader.tables.tables.filter(
      (def) => (def.lane === "state" || def.lane === "grid") && def.rows > 0 && this.parts(def).length > 0,
    );
  }

  /** The numbers of a table that can be plotted. */
  private parts(def: TableDef): CellNumber[] {
    return def.lane === "grid"
      ? components(def)
      : def.columns.flatMap((column, at) =>
          isNumber(column) && !column.key && !column.notRecorded ? [{ name: column.name, columns: [at] }] : [],
        );
  }

  /** The current rows to choose from. */
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
    this.left = Math.max(0, (rows?.length ?? 0) - names.length);
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
    const parts = this.parts(table);
    this.column = parts.some(({ name }) => name === this.column) ? this.column : parts[0]!.name;
    const offered = this.tables().map(({ name }) => [name, name] as const);
    const units = parts.map((part) => [part.name, labelled(table, part)] as const);
    this.form.replaceChildren(
      choice("Table", offered, table.name, (name) => {
        this.table = this.tables().find((def) => def.name === name);
        this.rows = [];
        this.row = "";
        this.cell = [];
        this.build();
        this.redraw();
      }),
      choice("Column", units, this.column, (name) => (this.column = name)),
    );
    if (table.lane === "grid") {
      this.chooseCells(table);
    } else if (table.columns.some(({ key }) => key)) {
      this.chooseRow();
    }
    this.form.append(pushButton({ class: "text" }, () => this.plotChosen(table), "Plot it"));
  }

  private chooseRow(): void {
    const all: [string, string][] =
      this.rows.length > 1 ? [["", `the first ${Math.min(MOST_LINES, this.rows.length)}`]] : [];
    this.row = this.rows.some(([id]) => id === this.row) ? this.row : ((all[0] ?? this.rows[0])?.[0] ?? "");
    const rows = choice("Row", [...all, ...this.rows], this.row, (row) => (this.row = row));
    if (this.left > 0) {
      rows.append(el("option", { disabled: true }, `and ${grouped(this.left)} more, which can't be chosen here`));
    }
    this.form.append(rows);
  }

  private chooseCells(table: TableDef): void {
    const origin = this.origin(table);
    const keys = table.columns.filter(({ key }) => key);
    const inputs = keys.map(({ name }, key) => {
      const input = el("input", {
        type: "number",
        "aria-label": name,
        title: name,
        min: origin[key]!,
        max: origin[key]! + table.shape[key]! - 1,
        value: this.cell[key] ?? origin[key]!,
      });
      input.addEventListener("change", () => (this.cell[key] = input.valueAsNumber));
      return input;
    });
    const show = (): void => inputs.forEach((input) => (input.hidden = this.row === ""));
    const of = [
      ["", TOTALS.join(", ")],
      ["cell", `a cell, by ${keys.map(({ name }) => name).join(" and ")}`],
    ] as const;
    const pick = choice("Cells", of, this.row, (row) => {
      this.row = row;
      show();
    });
    this.form.append(pick, ...inputs);
    show();
  }

  /** The coordinates of a grid's first cell. */
  private origin({ name, shape }: TableDef): readonly number[] {
    const stored = this.loader.tables.byName.get(name)?.stored;
    return stored?.as === "tiles" ? stored.origin : shape.map(() => 0);
  }

  private plotChosen(table: TableDef): void {
    const part = this.parts(table).find(({ name }) => name === this.column)!;
    if (table.lane === "grid") {
      const origin = this.origin(table);
      const places = table.shape.map((edge, key) => {
        const place = (this.cell[key] ?? origin[key]!) - origin[key]!;
        return Math.max(0, Math.min(edge - 1, Math.trunc(place) || 0));
      });
      const cell = places.reduce((cell, place, key) => cell * table.shape[key]! + place, 0);
      this.add({ table: table.name, columns: part.columns, cell: this.row === "" ? null : cell });
      return;
    }
    const keyed = table.columns.some(({ key }) => key);
    const chosen = this.row === "" ? this.rows.slice(0, MOST_LINES) : this.rows.filter(([id]) => id === this.row);
    const rows = keyed ? chosen : [];
    const of = { table: table.name, columns: part.columns };
    const series = keyed
      ? rows.map(([id]) => ({ ...of, of: { entity: Number(id) } }))
      : [{ ...of, of: { entity: null } }];
    const one = rows.length === 1 ? `, ${rows[0]![1]}` : "";
    const names = keyed ? rows.map(([, name]) => name) : [part.name];
    this.put({ title: `${table.name}: ${labelled(table, part)}${one}`, series, names });
  }

  /** Plots the numbers of a grid that a stage asks for. */
  add({ table: name, columns, cell }: Wanted): void {
    const def = this.loader.tables.tables.find((def) => def.name === name);
    const part = def && components(def).find((part) => part.columns.join() === columns.join());
    if (def === undefined || part === undefined) {
      return;
    }
    const of = { table: name, columns };
    const title = `${name}: ${labelled(def, part)}`;
    if (cell === null) {
      this.put({ title, series: TOTALS.map((all) => ({ ...of, of: { all } })), names: TOTALS });
      return;
    }
    const cells = { shape: def.shape, origin: this.origin(def) };
    const keys = def.columns.filter(({ key }) => key);
    const places = def.shape.map((_, key) => `${keys[key]?.name ?? ""} ${coordinate(cells, cell, key)}`);
    this.put({ title: `${title}, ${places.join(", ")}`, series: [{ ...of, of: { cell } }], names: [part.name] });
  }

  private put(plotted: Plotted): void {
    if (plotted.series.length === 0) {
      return;
    }
    const plot: Plot = new Plot(this.loader, plotted, this.seek, () => {
      this.plots = this.plots.filter((other) => other !== plot);
    });
    plot.show(this.at);
    this.plots.push(plot);
    this.list.prepend(plot.element);
  }

  grown(): void {
    for (const plot of this.plots) {
      plot.grown();
    }
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

/** The name of a plotted number, with its unit. */
function labelled(table: TableDef, { name, columns }: CellNumber): string {
  const column = table.columns[columns[0] ?? -1];
  return column === undefined ? name : titled(column, name);
}
