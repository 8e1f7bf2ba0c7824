// The stage of fields: the choice of a component, and its heat map.

import { el } from "../../dom.js";
import { count, joined, short, valueText, withUnit } from "../../format.js";
import { following } from "../../lists.js";
import type { Grid, StageKey, TableDef, Value, View } from "../../model.js";
import { button, choice, element, fill, list } from "../shared/controls.js";
import { PictureStage } from "../shared/stage.js";
import { type CellNumber, Values, comparable, components, differing, fields, liveliest, parted } from "./columns.js";
import { HeatMap } from "./map.js";
import { type ColourRange, extent, range } from "./paint.js";
import { type Plane, plane, slice } from "./plane.js";

type RangeMode = "seen" | "now" | "fixed";

const POINT = "Point at a cell, or go to it with the arrow keys, for its value";

const MODES = [
  ["seen", "Seen", "The colours span all values seen so far"],
  ["now", "Now", "The colours span the values of this moment"],
  ["fixed", "Fixed", "The colours span the range that you enter"],
] as const;

export class Field extends PictureStage<"difference" | "root"> {
  readonly keys: readonly StageKey[] = [
    ["F", "next field", () => this.change(() => this.choose(following(this.tables, this.def), undefined))],
    ["V", "next component", () => this.change(() => this.nextComponent())],
    ["G", "range of colours: seen so far, this moment, fixed", () => this.change(() => this.nextMode())],
    ["R", "colours by the root of the values", () => this.flip("root")],
    ["X", "difference to the recording beside this one", () => this.flip("difference")],
    ["O", "plot over time: the cell that is looked at, else least, mean and greatest", () => this.plot()],
    ["S, Shift+S", "next slice, slice before", ({ shiftKey }) => this.nextSlice(shiftKey)],
    ["↑ ↓ ← →", "on the picture: look at the next cell"],
  ];
  protected readonly on = { difference: false, root: false };

  private tables: TableDef[] = [];
  private def!: TableDef;
  private component!: CellNumber;
  private plane!: Plane;
  private mode: RangeMode = "seen";
  private fixed: [least: number, most: number] = [0, 1];
  private slices: number[] = [];
  private readonly values = new Values();
  /** The range seen so far, of each field and component. */
  private readonly seen: Record<string, [least: number, most: number]> = {};
  private map!: HeatMap;
  private cell: readonly [x: number, y: number] | undefined;

  private pickField!: HTMLSelectElement;
  private pickComponent!: HTMLSelectElement;
  private showMode!: (mode: RangeMode) => void;
  private compare!: HTMLElement;
  private sliders!: HTMLElement;
  private ends!: readonly HTMLInputElement[];
  private probe!: HTMLElement;

  protected build(): void {
    this.tables = fields(this.recording);
    const first = liveliest(this.tables);
    if (first === undefined) {
      throw new Error("this recording has no field");
    }
    this.bar.classList.add("stage-wrap");
    this.controls(this.bar);
    this.probe = element("span", "", element("div", "stage-status", this.host));
    this.map = new HeatMap(this.body, this.theme, (cell) => {
      this.cell = cell;
      this.page.redraw();
    });
    this.choose(first, undefined);
  }

  private controls(bar: HTMLElement): void {
    const names = this.tables.map(({ name }) => [name, name] as const);
    this.pickField = list(bar, "Field", names, (name) => this.change(() => this.chooseNamed(name)));
    this.pickComponent = list(bar, "Component", [], (name) => this.change(() => this.choose(this.def, name)));
    this.sliders = element("span", "stage-group", bar);
    this.showMode = choice<RangeMode>(bar, "Range of colours", MODES, (mode) => this.change(() => this.setMode(mode)));
    this.ends = ["Least", "Most"].map((label, end) => {
      const title = `${label} value of the colours`;
      const input = el("input", { type: "number", step: "any", title, "aria-label": title });
      bar.append(input);
      input.addEventListener("change", () => {
        if (Number.isFinite(input.valueAsNumber)) {
          this.change(() => (this.fixed[end] = input.valueAsNumber));
        }
      });
      return input;
    });
    this.addSwitch(bar, "root", "√", "Colours by the root of the values: small ones show");
    const plots = "Over time: the cell that is looked at, else least, mean and greatest (O)";
    button(bar, "Plot", plots, () => this.plot());
    this.compare = element("span", "", bar);
    this.compare.hidden = true;
    this.addSwitch(this.compare, "difference", "Difference", "This recording less the one beside it");
    this.setMode(this.mode);
  }

  /** Plots the chosen number over time. */
  private plot(): void {
    const cell = this.cell === undefined ? null : this.place(this.cell);
    this.page.plot({ table: this.def.name, columns: this.component.columns, cell });
  }

  /** The number of a cell of the slice that is shown. */
  private place([x, y]: readonly [number, number]): number {
    const cells = slice(this.plane, this.def.shape, this.slices);
    return cells.base + x * cells.right + y * cells.below;
  }

  private nextComponent(): void {
    const names = components(this.def).map(({ name }) => name);
    this.choose(this.def, following(names, this.component.name));
  }

  private nextMode(): void {
    const modes = MODES.map(([mode]) => mode);
    this.setMode(following<RangeMode>(modes, this.mode));
  }

  private nextSlice(back: boolean): boolean {
    const input = this.sliders.querySelector("input");
    input?.[back ? "stepDown" : "stepUp"]();
    input?.dispatchEvent(new Event("input"));
    return input !== null;
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
    const other = this.def !== def;
    this.def = def;
    const keys = this.names();
    if (other) {
      this.plane = plane(keys.slice(0, def.shape.length));
      this.slices = this.plane.rest.map((dim) => Math.floor((def.shape[dim] ?? 1) / 2));
    }
    this.cell = this.map.looked = undefined;
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
      const value = String(this.slices[place] ?? 0);
      const input = el("input", { type: "range", min: 0, max: (this.def.shape[dim] ?? 1) - 1, value });
      label.append(input);
      const shown = element("span", "stage-note", label, value);
      input.addEventListener("input", () =>
        this.change(() => {
          this.slices[place] = input.valueAsNumber;
          shown.textContent = input.value;
        }),
      );
    });
  }

  private setMode(mode: RangeMode): void {
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

  protected override set(name: "difference" | "root", on: boolean): void {
    super.set(name, on);
    if (name === "difference") {
      this.map.forget();
    }
  }

  /** The grid beside this one, where the difference to it is shown. */
  private beside(view: View, grid: Grid): Grid | undefined {
    const other = view.other?.before.grid(this.def.name);
    return comparable(grid, other) ? other : undefined;
  }

  private rangeOf([least, most]: readonly [number, number]): ColourRange {
    if (this.mode === "fixed") {
      const [one, other] = this.fixed;
      return { least: Math.min(one, other), most: Math.max(one, other), sided: one !== 0 && one === -other };
    }
    const key = [this.def.name, this.component.name, this.on.difference].join();
    const seen = (this.seen[key] ??= [Infinity, -Infinity]);
    seen[0] = Math.min(seen[0], least);
    seen[1] = Math.max(seen[1], most);
    return this.mode === "seen" ? range(seen[0], seen[1]) : range(least, most);
  }

  protected fit(width: number, height: number): void {
    this.map.resize(width, height);
  }

  protected override paint(): void {
    this.map.paintWith(this.theme);
  }

  private get unit(): string {
    return this.def.columns[this.component.columns[0] ?? 0]?.unit ?? "";
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
    const beside = this.on.difference ? other : undefined;
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
      root: this.on.root,
      unit: this.unit,
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
    const [across, down] = [this.plane.across, this.plane.down];
    const places = this.names().map((name, dim) => {
      const rest = this.plane.rest.indexOf(dim);
      const place = dim === across ? x : dim === down ? y : (this.slices[rest] ?? 0);
      return `${name} ${place + (grid.origin[dim] ?? 0)}`;
    });
    const value = this.exactly(grid, beside, this.place(this.cell), numbers);
    return `${places.join(", ")}: ${withUnit(value, this.unit)}`;
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
    const beside = this.on.difference ? this.beside(view, grid) : undefined;
    const numbers = this.values.of(grid, this.component, beside);
    const [least, most] = extent(numbers);
    const of = components(this.def).length > 1 ? `, ${this.component.name}` : "";
    const values =
      least <= most ? withUnit(`from ${short(least)} to ${short(most)}`, this.unit) : "without a value";
    return joined([
      beside === undefined
        ? `The field ${this.def.name}${of} of ${shape} cells, ${values}.`
        : `The field ${this.def.name}${of} less that of the recording beside it: ${count(differing(numbers), "cell")} differ, ${values}.`,
      this.cell === undefined ? "" : `Looked at: ${this.probed(grid, beside, numbers)}.`,
    ]);
  }

  save(): string {
    const fixed = this.mode === "fixed" ? this.fixed.join(",") : "";
    return [this.def.name, this.component.name, this.mode, this.slices.join(","), this.saveSwitches(), fixed]
      .map(encodeURIComponent)
      .join(";");
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
    this.restoreSwitches(flags);
  }
}
