// The stage for rows with positions: points on a map, or in three dimensions.

import { say } from "../../dom.js";
import { count, joined, short } from "../../format.js";
import { following } from "../../lists.js";
import type { StageKey, View } from "../../model.js";
import { DISTINCT } from "../shared/canvas.js";
import { button, choice, element } from "../shared/controls.js";
import { PictureStage } from "../shared/stage.js";
import { type Layer, layers } from "./columns.js";
import { EntityMap, type PointLook, type Sides } from "./map.js";
import { NAMED, NAMED_DEEP, Points, TRACED } from "./points.js";
import type { Space } from "./space.js";

const VIEWS = ["space", "xy", "xz", "yz"] as const;
type EntityView = (typeof VIEWS)[number];
const SIDES: Readonly<Record<EntityView, Sides>> = { space: [0, 1], xy: [0, 1], xz: [0, 2], yz: [1, 2] };

export class Entities extends PictureStage<"ways" | "names"> {
  readonly keys: readonly StageKey[] = [
    ["V", "next view: in space, or on one of the planes", () => this.nextKind()],
    ["W", "the ways that they came", () => this.flip("ways")],
    ["H", "hide and show names", () => this.flip("names")],
    ["F", "next entity, to follow its values", () => this.nextEntity()],
    ["Z", "all of it in view again", () => this.change(() => this.fitAll())],
    ["Drag, wheel", "turn or move, and zoom"],
  ];
  protected readonly on = { ways: true, names: true };

  private layers: Layer[] = [];
  private points!: Points;
  private map!: EntityMap;
  private space: Space | undefined;
  private loading = false;
  private deep = false;
  private kind: EntityView = "xy";
  /** The entity that is chosen, and the point that is pointed at. */
  private chosen = -1;
  private pointed = -1;
  private view: View | undefined;
  private readonly kinds = new Map<string, number>();
  private size: readonly [number, number] = [1, 1];
  private camera: number[] | undefined;
  private showKind: (kind: EntityView) => void = () => undefined;
  private note!: HTMLElement;

  protected build(): void {
    const { bar, body, page } = this;
    this.layers = layers(this.recording);
    this.points = new Points(this.layers);
    this.deep = this.layers.some(({ place }) => place.z >= 0);
    bar.classList.add("stage-wrap");
    if (this.deep) {
      const options = [
        ["space", "3D", "In three dimensions"],
        ["xy", "x–y", "On the plane of x and y"],
        ["xz", "x–z", "On the plane of x and z"],
        ["yz", "y–z", "On the plane of y and z"],
      ] as const;
      this.showKind = choice<EntityView>(bar, "View", options, (kind) => this.change(() => this.setKind(kind)));
    }
    this.addSwitch(bar, "ways", "Ways", "The ways that they came");
    this.addSwitch(bar, "names", "Names", "Names beside points");
    button(bar, "Fit", "All of it in view again", () => this.change(() => this.fitAll()));
    this.note = element("span", "", element("div", "stage-status", this.host));
    const [moved, settled] = [() => page.redraw(), () => page.saved()];
    this.map = new EntityMap(body, moved, settled, (point, chosen) => this.look(point, chosen));
    this.setKind(this.deep ? "space" : "xy");
  }

  private look(point: number, chosen: boolean): void {
    this.pointed = point;
    if (chosen) {
      this.chosen = point < 0 ? -1 : (this.points.ids[point] ?? -1);
      this.page.saved();
    }
    this.page.redraw();
  }

  private nextKind(): boolean {
    this.change(() => this.setKind(following(VIEWS, this.kind)));
    return this.deep;
  }

  private nextEntity(): boolean {
    const { ids, count } = this.points;
    const now = ids.subarray(0, count).indexOf(this.chosen);
    this.pointed = -1;
    this.change(() => (this.chosen = count === 0 ? -1 : (ids[(now + 1) % count] ?? -1)));
    return this.view !== undefined;
  }

  private setKind(kind: EntityView): void {
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
      this.space.paint(this.colours);
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

  private fitAll(): void {
    this.map.own = undefined;
    this.space?.fit();
  }

  protected fit(width: number, height: number): void {
    this.size = [Math.max(1, width), Math.max(1, height)];
    this.map.canvas.resize(width, height);
    this.space?.resize(...this.size);
  }

  protected override paint(): void {
    this.space?.paint(this.colours);
  }

  draw(view: View): void {
    this.view = view;
    const { points } = this;
    points.update(view, this.on.ways);
    const look: PointLook = {
      colour: (point) => DISTINCT[points.kind(view, point, this.kinds) % DISTINCT.length] ?? this.colours.ink,
      names: this.on.names,
      chosen: this.chosen,
    };
    if (this.kind === "space") {
      this.space?.draw(view, points, look);
    } else {
      this.map.draw(view, points, this.layers, look, this.colours);
    }
    say(this.note, this.said(view));
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
    const names = this.on.names && points.count > named ? `names are shown of ${named} at most` : "";
    const ways = this.on.ways && points.count > TRACED ? `ways are shown of ${TRACED} at most` : "";
    return joined([...counts, names, ways], " · ");
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

  save(): string {
    const { own } = this.map;
    const places =
      this.kind === "space" ? (this.space?.save() ?? []) : own === undefined ? [] : [own.scale, own.x, own.y];
    const numbers = places.map((number) => Number(number.toPrecision(5)));
    return [this.kind, this.saveSwitches(), this.chosen, numbers.join(",")].join(";");
  }

  restore(saved: string): void {
    const [kind, flags = "wn", chosen = "-1", places = ""] = saved.split(";");
    this.restoreSwitches(flags);
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

  override dispose(): void {
    super.dispose();
    this.space?.dispose();
  }
}
