// The stage for rows with positions: points on a map, or in three dimensions.

import type { Recording, Stage, Stageplay, View } from "../../model.js";
import { watchSize } from "../shared/canvas.js";
import { choice, dress, element, toggle, undress } from "../shared/controls.js";
import { count, short } from "../shared/tables.js";
import { type Colours, DISTINCT, colours } from "../shared/theme.js";
import { type Layer, layers } from "./columns.js";
import { EntityMap, type Look } from "./map.js";
import { NAMED, NAMED_DEEP, Points, TRACED } from "./points.js";
import type { Space } from "./space.js";
import type { Sides } from "./sheet.js";

const VIEWS = ["space", "xy", "xz", "yz"] as const;
type Kind = (typeof VIEWS)[number];
const SIDES: Readonly<Record<Kind, Sides>> = { space: [0, 1], xy: [0, 1], xz: [0, 2], yz: [1, 2] };

export class Entities implements Stage {
  readonly keys = [
    ["V", "next view: in space, or on one of the planes"],
    ["W", "the ways that they came"],
    ["H", "hide and show names"],
    ["F", "next entity, to follow its values"],
    ["Z", "all of it in view again"],
    ["Drag, wheel", "turn or move, and zoom"],
  ] as const;

  private host!: HTMLElement;
  private body!: HTMLElement;
  private page!: Stageplay;
  private layers: Layer[] = [];
  private points!: Points;
  private map!: EntityMap;
  private space: Space | undefined;
  private loading = false;
  private deep = false;
  private kind: Kind = "xy";
  private names = true;
  private ways = true;
  /** The entity that is chosen, and the point that is pointed at. */
  private chosen = -1;
  private pointed = -1;
  private view: View | undefined;
  private shades: Colours = colours("dark");
  private readonly kinds = new Map<string, number>();
  private size: readonly [number, number] = [1, 1];
  private camera: number[] | undefined;
  private unwatch: () => void = () => undefined;
  private showKind: (kind: Kind) => void = () => undefined;
  private showNames!: (on: boolean) => void;
  private showWays!: (on: boolean) => void;
  private note!: HTMLElement;

  mount(host: HTMLElement, recording: Recording, page: Stageplay): void {
    this.layers = layers(recording);
    this.points = new Points(this.layers);
    this.deep = this.layers.some(({ place }) => place.z >= 0);
    this.host = host;
    this.page = page;
    this.shades = dress(host, page.theme);
    const bar = element("div", "stage-bar stage-wrap", host);
    if (this.deep) {
      const options = [
        ["space", "3D", "In three dimensions"],
        ["xy", "x–y", "On the plane of x and y"],
        ["xz", "x–z", "On the plane of x and z"],
        ["yz", "y–z", "On the plane of y and z"],
      ] as const;
      this.showKind = choice<Kind>(bar, "View", options, (kind) => this.change(() => this.setKind(kind)));
    }
    this.showWays = toggle(bar, "Ways", "The ways that they came", this.ways, (on) =>
      this.change(() => this.set(on, this.names)),
    );
    this.showNames = toggle(bar, "Names", "Names beside points", this.names, (on) =>
      this.change(() => this.set(this.ways, on)),
    );
    const fit = element("button", "", bar, "Fit");
    fit.type = "button";
    fit.title = "All of it in view again";
    fit.addEventListener("click", () => this.change(() => this.fit()));
    this.body = element("div", "stage-body", host);
    this.note = element("span", "", element("div", "stage-status", host));
    this.map = new EntityMap(
      this.body,
      () => page.redraw(),
      () => page.saved(),
      (point, chosen) => this.look(point, chosen),
    );
    this.setKind(this.deep ? "space" : "xy");
    this.unwatch = watchSize(this.body, (width, height) => {
      this.fitSize(width, height);
      page.redraw();
    });
  }

  private change(what: () => void): void {
    what();
    this.page.saved();
    this.page.redraw();
  }

  private set(ways: boolean, names: boolean): void {
    [this.ways, this.names] = [ways, names];
    this.showWays(ways);
    this.showNames(names);
  }

  private look(point: number, chosen: boolean): void {
    this.pointed = point;
    if (chosen) {
      this.chosen = point < 0 ? -1 : (this.points.ids[point] ?? -1);
      this.page.saved();
    }
    this.page.redraw();
  }

  private setKind(kind: Kind): void {
    this.kind = this.deep ? kind : "xy";
    this.showKind(this.kind);
    this.map.sides = SIDES[this.kind];
    this.map.own = undefined;
    const deep = this.kind === "space";
    this.map.canvas.element.style.display = deep ? "none" : "";
    this.space?.show(deep);
    if (deep && this.space === undefined && !this.loading) {
      void this.loadSpace();
    }
  }

  /** The code that draws in three dimensions is loaded when it is wanted. */
  private async loadSpace(): Promise<void> {
    this.loading = true;
    try {
      const { Space } = await import("./space.js");
      if (!this.host.contains(this.body)) {
        return;
      }
      this.space = new Space(
        this.body,
        this.layers[0]?.place.up ?? "z",
        () => this.page.redraw(),
        () => this.page.saved(),
      );
      this.space.paint(this.shades);
      this.space.resize(...this.size);
      this.space.show(this.kind === "space");
      if (this.camera !== undefined) {
        this.space.restore(this.camera);
      }
    } catch {
      // No WebGL here: the map alone.
      this.deep = false;
      this.setKind("xy");
    }
    this.page.redraw();
  }

  private fit(): void {
    this.map.own = undefined;
    this.space?.fit();
  }

  resize(): void {
    this.fitSize(this.body.clientWidth, this.body.clientHeight);
  }

  private fitSize(width: number, height: number): void {
    this.size = [Math.max(1, width), Math.max(1, height)];
    this.map.canvas.resize(width, height);
    this.space?.resize(...this.size);
  }

  themeChanged(theme: "dark" | "light"): void {
    this.shades = dress(this.host, theme);
    this.space?.paint(this.shades);
  }

  draw(view: View): void {
    this.view = view;
    const { points } = this;
    points.update(view, this.ways);
    const look: Look = {
      colour: (point) => DISTINCT[points.kind(view, point, this.kinds) % DISTINCT.length] ?? this.shades.ink,
      names: this.names,
      chosen: this.chosen,
    };
    if (this.kind === "space") {
      this.space?.draw(view, points, look);
    } else {
      this.map.draw(view, points, this.layers, look, this.shades);
    }
    const said = this.said(view);
    if (this.note.textContent !== said) {
      this.note.textContent = said;
    }
  }

  /** The point that is looked at, in words; else how many there are. */
  private said(view: View): string {
    const { points } = this;
    const chosen = points.ids.subarray(0, points.count).indexOf(this.chosen);
    const point = this.pointed >= 0 && this.pointed < points.count ? this.pointed : chosen;
    return point >= 0 ? points.words(view, point, 8) : this.counted();
  }

  private counted(): string {
    const { points } = this;
    const counts = this.layers.map(({ def }, number) => {
      const here = points.layer.subarray(0, points.count).reduce((sum, of) => sum + (of === number ? 1 : 0), 0);
      return `${def.name}: ${here}`;
    });
    const named = this.kind === "space" ? NAMED_DEEP : NAMED;
    const left = [
      this.names && points.count > named ? `names are shown of ${named} at most` : "",
      this.ways && points.count > TRACED ? `ways are shown of ${TRACED} at most` : "",
    ];
    return [...counts, ...left.filter((words) => words !== "")].join(" · ");
  }

  describe(view: View): string {
    this.points.update(view, false);
    const { points } = this;
    const names = Array.from({ length: Math.min(points.count, 8) }, (_, point) => {
      const places = [0, 1, 2].slice(0, this.deep ? 3 : 2).map((axis) => short(points.at[3 * point + axis] ?? 0));
      return `${points.name(view, point)} at ${places.join(", ")}`;
    });
    const more = points.count > names.length ? `, and ${points.count - names.length} more` : "";
    return points.count === 0
      ? "Nothing is there now."
      : `${count(points.count, "entity", "entities")}: ${names.join("; ")}${more}.`;
  }

  key(event: KeyboardEvent): boolean {
    switch (event.key.toLowerCase()) {
      case "v":
        this.change(() => this.setKind(VIEWS[(VIEWS.indexOf(this.kind) + 1) % VIEWS.length] ?? "xy"));
        return this.deep;
      case "w":
        this.change(() => this.set(!this.ways, this.names));
        return true;
      case "h":
        this.change(() => this.set(this.ways, !this.names));
        return true;
      case "f": {
        const now = this.points.ids.subarray(0, this.points.count).indexOf(this.chosen);
        this.pointed = -1;
        this.change(
          () => (this.chosen = this.points.count === 0 ? -1 : (this.points.ids[(now + 1) % this.points.count] ?? -1)),
        );
        return this.view !== undefined;
      }
      case "z":
        this.change(() => this.fit());
        return true;
      default:
        return false;
    }
  }

  save(): string {
    const flags = `${this.ways ? "w" : ""}${this.names ? "n" : ""}`;
    const { own } = this.map;
    const places =
      this.kind === "space" ? (this.space?.save() ?? []) : own === undefined ? [] : [own.scale, own.x, own.y];
    return [this.kind, flags, this.chosen, places.map((number) => Number(number.toPrecision(5))).join(",")].join(";");
  }

  restore(saved: string): void {
    const [kind, flags = "wn", chosen = "-1", places = ""] = saved.split(";");
    this.set(flags.includes("w"), flags.includes("n"));
    this.chosen = Number.isInteger(Number(chosen)) ? Number(chosen) : -1;
    this.setKind(VIEWS.find((view) => view === kind) ?? this.kind);
    const numbers = places.split(",").map(Number);
    if (places === "" || !numbers.every(Number.isFinite)) {
      return;
    }
    if (this.kind === "space" && numbers.length === 6) {
      this.camera = numbers;
      this.space?.restore(numbers);
    }
    const [scale, x, y] = numbers;
    if (this.kind !== "space" && numbers.length === 3 && scale !== undefined && scale > 0) {
      const down = this.layers.every(({ place }) => place.unit === "px");
      this.map.own = { scale, x: x ?? 0, y: y ?? 0, width: this.size[0], height: this.size[1], down };
    }
  }

  dispose(): void {
    this.unwatch();
    this.space?.dispose();
    undress(this.host);
  }
}
