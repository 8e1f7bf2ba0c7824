// The stage of fields: the choice of a component, and its heat map.

import type { Grid, Recording, Stage, Stageplay, TableDef, Value, View } from "../../model.js";
import { valueText } from "../../page/format.js";
import { watchSize } from "../shared/canvas.js";
import { choice, dress, element, fill, list, toggle, undress } from "../shared/controls.js";
import { count, short } from "../shared/tables.js";
import { type Component, components, fields, liveliest } from "./columns.js";
import { HeatMap } from "./map.js";
import { parted } from "./parted.js";
import { type Plane, plane, slice } from "./plane.js";
import { type Range, extent, range } from "./scale.js";
import { Values, comparable, differing } from "./values.js";

type Mode = "seen" | "now" | "fixed";

const POINT = "Point at a cell, or go to it with the arrow keys, for its value";

export class Field implements Stage {
  readonly keys = [
    ["F", "next field"],
    ["V", "next component"],
    ["G", "range of colours: seen so far, this moment, fixed"],
    ["R", "colours by the root of the values"],
    ["X", "difference to the recording beside this one"],
    ["O", "plot over time: the cell that is looked at, else least, mean and greatest"],
    ["S, Shift+S", "next slice, slice before"],
    ["↑ ↓ ← →", "on the picture: look at the next cell"],
  ] as const;

  private host!: HTMLElement;
  private page!: Stageplay;
  private recording!: Recording;
  private tables: TableDef[] = [];
  private def!: TableDef;
  private component!: Component;
  private plane!: Plane;
  private mode: Mode = "seen";
  private fixed: [least: number, most: number] = [0, 1];
  private root = false;
  private difference = false;
  private slices: number[] = [];
  private readonly values = new Values();
  /** The range seen so far, of each field and component. */
  private readonly seen: Record<string, [least: number, most: number]> = {};
  private map!: HeatMap;
  private cell: readonly [x: number, y: number] | undefined;
  private unwatch: () => void = () => undefined;

  private pickField!: HTMLSelectElement;
  private pickComponent!: HTMLSelectElement;
  private showMode!: (mode: Mode) => void;
  private showRoot!: (on: boolean) => void;
  private showDifference!: (on: boolean) => void;
  private compare!: HTMLElement;
  private sliders!: HTMLElement;
  private ends!: readonly HTMLInputElement[];
  private probe!: HTMLElement;

  mount(host: HTMLElement, recording: Recording, page: Stageplay): void {
    this.tables = fields(recording);
    const first = liveliest(this.tables);
    if (first === undefined) {
      throw new Error("this recording has no field");
    }
    this.host = host;
    this.page = page;
    this.recording = recording;
    dress(host, page.theme);
    this.controls(element("div", "stage-bar stage-wrap", host));
    const body = element("div", "stage-body", host);
    this.probe = element("span", "", element("div", "stage-status", host));
    this.map = new HeatMap(body, page.theme, (cell) => {
      this.cell = cell;
      page.redraw();
    });
    this.unwatch = watchSize(body, (width, height) => {
      this.map.resize(width, height);
      page.redraw();
    });
    this.choose(first, undefined);
  }

  private controls(bar: HTMLElement): void {
    const names = this.tables.map(({ name }) => [name, name] as const);
    this.pickField = list(bar, "Field", names, (name) => this.change(() => this.chooseNamed(name)));
    this.pickComponent = list(bar, "Component", [], (name) => this.change(() => this.choose(this.def, name)));
    this.sliders = element("span", "stage-group", bar);
    const modes = [
      ["seen", "Seen", "The colours span all values seen so far"],
      ["now", "Now", "The colours span the values of this moment"],
      ["fixed", "Fixed", "The colours span the range that you enter"],
    ] as const;
    this.showMode = choice<Mode>(bar, "Range of colours", modes, (mode) => this.change(() => this.setMode(mode)));
    this.ends = ["Least", "Most"].map((label, end) => {
      const input = element("input", "", bar);
      input.type = "number";
      input.step = "any";
      input.title = `${label} value of the colours`;
      input.setAttribute("aria-label", input.title);
      input.addEventListener("change", () => {
        if (Number.isFinite(input.valueAsNumber)) {
          this.change(() => (this.fixed[end] = input.valueAsNumber));
        }
      });
      return input;
    });
    this.showRoot = toggle(bar, "√", "Colours by the root of the values: small ones show", false, (on) =>
      this.change(() => this.setRoot(on)),
    );
    const plot = element("button", "", bar, "Plot");
    plot.type = "button";
    plot.title = "Over time: the cell that is looked at, else least, mean and greatest (O)";
    plot.addEventListener("click", () => this.plot());
    this.compare = element("span", "", bar);
    this.compare.hidden = true;
    this.showDifference = toggle(this.compare, "Difference", "This recording less the one beside it", false, (on) =>
      this.change(() => this.setDifference(on)),
    );
    this.setMode(this.mode);
  }

  /** Plots the chosen number over time. */
  private plot(): void {
    const cells = this.cell === undefined ? undefined : slice(this.plane, this.def.shape, this.slices);
    const cell =
      this.cell === undefined || cells === undefined
        ? null
        : cells.base + this.cell[0] * cells.right + this.cell[1] * cells.below;
    this.page.plot({ table: this.def.name, columns: this.component.columns, cell });
  }

  private change(what: () => void): void {
    what();
    this.page.saved();
    this.page.redraw();
  }

  private chooseNamed(name: string): void {
    const def = this.tables.find((def) => def.name === name);
    if (def !== undefined) {
      this.choose(def, undefined);
    }
  }

  private choose(def: TableDef, component: string | undefined): void {
    const offered = components(def);
    const [first] = offered;
    if (first === undefined) {
      return;
    }
    const keys = def.columns.filter((column) => column.key).map((column) => column.name);
    if (this.def !== def) {
      this.plane = plane(keys.slice(0, def.shape.length));
      this.slices = this.plane.rest.map((dim) => Math.floor((def.shape[dim] ?? 1) / 2));
    }
    this.cell = this.map.looked = undefined;
    this.def = def;
    // The length of a vector says most about it.
    this.component =
      offered.find(({ name }) => name === component) ?? offered.find(({ columns }) => columns.length > 1) ?? first;
    this.pickField.value = def.name;
    fill(
      this.pickComponent,
      offered.map(({ name }) => [name, name] as const),
    );
    this.pickComponent.value = this.component.name;
    this.pickComponent.parentElement?.toggleAttribute("hidden", offered.length < 2);
    this.makeSliders(keys);
    this.map.forget();
  }

  private makeSliders(names: readonly string[]): void {
    this.sliders.replaceChildren();
    this.plane.rest.forEach((dim, place) => {
      const label = element("label", "", this.sliders, names[dim] ?? "");
      const input = element("input", "", label);
      const shown = element("span", "stage-note", label, String(this.slices[place] ?? 0));
      input.type = "range";
      input.min = "0";
      input.max = String((this.def.shape[dim] ?? 1) - 1);
      input.value = String(this.slices[place] ?? 0);
      input.addEventListener("input", () =>
        this.change(() => {
          this.slices[place] = input.valueAsNumber;
          shown.textContent = input.value;
        }),
      );
    });
  }

  private setMode(mode: Mode): void {
    if (mode === "fixed" && this.mode !== "fixed" && this.map?.range !== undefined) {
      this.fixed = [this.map.range.least, this.map.range.most];
    }
    this.mode = mode;
    this.showMode(mode);
    this.ends.forEach((input, end) => {
      input.hidden = mode !== "fixed";
      input.value = String(Number((this.fixed[end] ?? 0).toPrecision(6)));
    });
  }

  private setRoot(on: boolean): void {
    this.root = on;
    this.showRoot(on);
  }

  private setDifference(on: boolean): void {
    this.difference = on;
    this.showDifference(on);
    this.map.forget();
  }

  /** The grid beside this one, where the difference to it is shown. */
  private beside(view: View, grid: Grid): Grid | undefined {
    const other = view.other?.before.grid(this.def.name);
    return comparable(grid, other) ? other : undefined;
  }

  private rangeOf([least, most]: readonly [number, number]): Range {
    if (this.mode === "fixed") {
      const [one, other] = this.fixed;
      return { least: Math.min(one, other), most: Math.max(one, other), sided: one !== 0 && one === -other };
    }
    const key = [this.def.name, this.component.name, this.difference].join();
    const seen = (this.seen[key] ??= [Infinity, -Infinity]);
    seen[0] = Math.min(seen[0], least);
    seen[1] = Math.max(seen[1], most);
    return this.mode === "seen" ? range(seen[0], seen[1]) : range(least, most);
  }

  resize(): void {
    this.map.fit();
  }

  themeChanged(theme: "dark" | "light"): void {
    dress(this.host, theme);
    this.map.themeChanged(theme);
  }

  draw(view: View): void {
    const grid = view.before.grid(this.def.name);
    if (grid === undefined) {
      this.map.empty();
      this.probe.textContent = "Nothing is recorded here.";
      return;
    }
    const other = this.beside(view, grid);
    this.compare.hidden = other === undefined;
    const beside = this.difference ? other : undefined;
    const numbers = this.values.of(grid, this.component, beside);
    const ends = extent(numbers);
    const wrong = parted(this.recording.findings, this.def, grid.origin, view.before.moment);
    this.map.draw({
      numbers,
      version: this.values.version,
      plane: this.plane,
      slice: slice(this.plane, grid.shape, this.slices),
      range: this.rangeOf(ends),
      ends,
      root: this.root,
      unit: this.def.columns[this.component.columns[0] ?? 0]?.unit ?? "",
      step: view.before.moment.step,
      vectors: beside === undefined ? this.vectors(grid) : undefined,
      cell: this.cell,
      parted: wrong.flatMap(({ place }) => (this.inSlice(place) ? [this.onPlane(place)] : [])),
      names: this.names(),
    });
    const named = wrong.find(({ place }) => this.isLookedAt(place));
    const probed = this.probed(grid, beside, numbers);
    this.probe.textContent = named === undefined ? probed : `${probed}; ${named.message}`;
    this.probe.title = named?.message ?? "";
  }

  /** Whether a cell is in the slice that is shown. */
  private inSlice(place: readonly number[]): boolean {
    return this.plane.rest.every((dim, at) => place[dim] === this.slices[at]);
  }

  private onPlane(place: readonly number[]): readonly [x: number, y: number] {
    return [place[this.plane.across] ?? 0, place[this.plane.down] ?? 0];
  }

  private isLookedAt(place: readonly number[]): boolean {
    const [x, y] = this.onPlane(place);
    return this.inSlice(place) && this.cell?.[0] === x && this.cell[1] === y;
  }

  /** The two numbers of vectors on a plane, where their length is shown. */
  private vectors(grid: Grid): readonly [Float64Array, Float64Array] | undefined {
    const [across, down, third] = this.component.columns;
    // No table says in which direction a number points on hexes, or among three coordinates.
    const flat =
      across !== undefined &&
      down !== undefined &&
      third === undefined &&
      this.plane.tiling === "squares" &&
      this.plane.rest.length === 0;
    return flat ? [grid.numbers(across), grid.numbers(down)] : undefined;
  }

  private names(): string[] {
    return this.def.columns.filter((column) => column.key).map((column) => column.name);
  }

  /** The cell that is looked at, its coordinates and its exact value; else how many cells differ. */
  private probed(grid: Grid, beside: Grid | undefined, numbers: Float64Array): string {
    if (this.cell === undefined) {
      return beside === undefined ? POINT : `${differing(numbers)} of ${count(numbers.length, "cell")} differ`;
    }
    const [x, y] = this.cell;
    const cells = slice(this.plane, grid.shape, this.slices);
    const at = cells.base + x * cells.right + y * cells.below;
    const [across, down] = [this.plane.across, this.plane.down];
    const places = this.names().map((name, dim) => {
      const rest = this.plane.rest.indexOf(dim);
      const place = dim === across ? x : dim === down ? y : (this.slices[rest] ?? 0);
      return `${name} ${place + (grid.origin[dim] ?? 0)}`;
    });
    const unit = this.def.columns[this.component.columns[0] ?? 0]?.unit ?? "";
    return `${places.join(", ")}: ${this.exactly(grid, beside, at, numbers)}${unit === "" ? "" : ` ${unit}`}`;
  }

  private exactly(grid: Grid, beside: Grid | undefined, at: number, numbers: Float64Array): string {
    const value = (of: Grid): string => {
      const values = this.component.columns.map((column) => of.value(at, column));
      const text = (value: Value, place: number): string => {
        const column = this.def.columns[this.component.columns[place] ?? -1];
        return column === undefined ? "" : valueText(value, column);
      };
      return values.every((value) => value === null) ? "no value" : values.map(text).join(", ");
    };
    if (beside !== undefined) {
      return `${value(grid)} here, ${value(beside)} beside, difference ${short(numbers[at] ?? Number.NaN)}`;
    }
    return this.component.columns.length > 1 ? `${short(numbers[at] ?? Number.NaN)} of (${value(grid)})` : value(grid);
  }

  describe(view: View): string {
    const grid = view.before.grid(this.def.name);
    const shape = this.def.shape.join(" × ");
    if (grid === undefined) {
      return `The field ${this.def.name} of ${shape} cells. Nothing is recorded here.`;
    }
    const beside = this.difference ? this.beside(view, grid) : undefined;
    const numbers = this.values.of(grid, this.component, beside);
    const [least, most] = extent(numbers);
    const unit = this.def.columns[this.component.columns[0] ?? 0]?.unit ?? "";
    const of = components(this.def).length > 1 ? `, ${this.component.name}` : "";
    const values =
      least <= most ? `from ${short(least)} to ${short(most)}${unit === "" ? "" : ` ${unit}`}` : "without a value";
    return [
      beside === undefined
        ? `The field ${this.def.name}${of} of ${shape} cells, ${values}.`
        : `The field ${this.def.name}${of} less that of the recording beside it: ${count(differing(numbers), "cell")} differ, ${values}.`,
      this.cell === undefined ? "" : `Looked at: ${this.probed(grid, beside, numbers)}.`,
    ]
      .filter((sentence) => sentence !== "")
      .join(" ");
  }

  key(event: KeyboardEvent): boolean {
    const next = <T>(all: readonly T[], now: T): T => all[(all.indexOf(now) + 1) % all.length] ?? now;
    switch (event.key.toLowerCase()) {
      case "f":
        this.change(() => this.choose(next(this.tables, this.def), undefined));
        return true;
      case "v": {
        const names = components(this.def).map(({ name }) => name);
        this.change(() => this.choose(this.def, next(names, this.component.name)));
        return true;
      }
      case "g":
        this.change(() => this.setMode(next<Mode>(["seen", "now", "fixed"], this.mode)));
        return true;
      case "r":
        this.change(() => this.setRoot(!this.root));
        return true;
      case "x":
        this.change(() => this.setDifference(!this.difference));
        return true;
      case "o":
        this.plot();
        return true;
      case "s": {
        const input = this.sliders.querySelector("input");
        input?.[event.shiftKey ? "stepDown" : "stepUp"]();
        input?.dispatchEvent(new Event("input"));
        return input !== null;
      }
      default:
        return false;
    }
  }

  save(): string {
    const parts = [
      this.def.name,
      this.component.name,
      this.mode,
      this.slices.join(","),
      `${this.difference ? "d" : ""}${this.root ? "r" : ""}`,
    ];
    return [...parts, this.mode === "fixed" ? this.fixed.join(",") : ""].map(encodeURIComponent).join(";");
  }

  restore(saved: string): void {
    const [name, component, mode, slices, flags = "", fixed] = saved.split(";").map((part) => {
      try {
        return decodeURIComponent(part);
      } catch {
        return "";
      }
    });
    const def = this.tables.find((def) => def.name === name);
    if (def === undefined) {
      return;
    }
    this.choose(def, component);
    const numbers = (text: string | undefined): number[] =>
      (text ?? "")
        .split(",")
        .filter((part) => part !== "")
        .map(Number)
        .filter(Number.isFinite);
    this.slices = this.slices.map((middle, at) => {
      const last = (def.shape[this.plane.rest[at] ?? 0] ?? 1) - 1;
      return Math.max(0, Math.min(last, Math.trunc(numbers(slices)[at] ?? middle)));
    });
    this.makeSliders(this.names());
    const [least, most] = numbers(fixed);
    this.setMode(mode === "now" || mode === "fixed" ? mode : "seen");
    if (least !== undefined && most !== undefined) {
      this.fixed = [least, most];
      this.setMode(this.mode);
    }
    this.setDifference(flags.includes("d"));
    this.setRoot(flags.includes("r"));
  }

  dispose(): void {
    this.unwatch();
    undress(this.host);
  }
}
