// The text over the arena: names, speed, the score. Text alone, never markup.

import { type PerspectiveCamera, Vector3 } from "three";
import type { EventRow, Recording, View } from "../../model.js";
import { element } from "../shared/controls.js";
import { column } from "../shared/tables.js";
import type { Actor, Actors } from "./actors.js";
import { tagColour } from "./court.js";

/** For how many milliseconds a goal is announced. */
const ANNOUNCED = 4000;

/** A label that stays where something is. */
class Tag {
  readonly element: HTMLElement;
  private text = "";
  private shown = true;

  constructor(parent: HTMLElement) {
    this.element = element("span", "stage-tag", parent);
  }

  say(text: string): void {
    if (text !== this.text) {
      this.element.textContent = this.text = text;
    }
  }

  show(on: boolean): void {
    if (on !== this.shown) {
      this.shown = on;
      this.element.style.display = on ? "" : "none";
    }
  }

  /** `near` is 1 up close and less far away: nearer ones are larger, and above. */
  move(x: number, y: number, near: number, below = false): void {
    const place = below ? "translate(-50%, 8px)" : "translate(-50%, -100%)";
    this.element.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) ${place} scale(${near.toFixed(2)})`;
    this.element.style.zIndex = String(Math.round(near * 100));
  }
}

/** The background of a name. */
export function label(actor: Actor): string {
  const states = [actor.possession ? "disc" : "", actor.stunned ? "stunned" : "", actor.blocking ? "blocks" : ""];
  return [actor.name, ...states.filter((state) => state !== "")].join(" · ");
}

/** The game's clock: 9:05.2. */
export function clock(seconds: number): string {
  if (!Number.isFinite(seconds)) {
    return "";
  }
  const tenths = Math.round(Math.max(0, seconds) * 10);
  return `${Math.floor(tenths / 600)}:${String(Math.floor((tenths % 600) / 10)).padStart(2, "0")}.${tenths % 10}`;
}

export class Overlay {
  private readonly layer: HTMLElement;
  private readonly score: HTMLElement;
  private readonly parts: HTMLElement[];
  private readonly goal: HTMLElement;
  private readonly tags = new Map<number, Tag>();
  private readonly speed: Tag;
  private readonly place = new Vector3();
  private near = 1;
  private readonly goals: string | undefined;

  constructor(body: HTMLElement, recording: Recording) {
    this.layer = element("div", "stage-overlay", body);
    this.score = element("div", "stage-score", this.layer);
    this.parts = ["blue", "", "orange"].map((team) => {
      const part = element("span", "", this.score);
      if (team !== "") {
        part.style.background = tagColour(team);
        part.style.color = "#ffffff";
      }
      return part;
    });
    this.goal = element("span", "stage-tag", this.layer);
    this.goal.style.cssText +=
      "z-index:200;left:50%;top:52px;transform:translateX(-50%);font-size:14px;padding:3px 10px;font-weight:600;white-space:normal;text-align:center;width:max-content;max-width:88%;";
    this.speed = new Tag(this.layer);
    this.speed.element.style.background = "#0009";
    this.goals = recording.tables.find(
      (def) => def.lane === "events" && ["team", "points", "disc_speed"].every((name) => column(def, name) >= 0),
    )?.name;
  }

  /** The score, the clock, and a goal for a while after it. */
  say(view: View): void {
    const rows = view.before.rows("game");
    const number = (name: string): number =>
      rows === undefined || rows.length === 0 || column(rows.def, name) < 0
        ? Number.NaN
        : rows.number(0, column(rows.def, name));
    const [blue, middle, orange] = this.parts;
    const points = [number("blue_points"), number("orange_points")];
    this.score.style.display = points.every(Number.isFinite) ? "" : "none";
    const status =
      rows === undefined || rows.length === 0 || column(rows.def, "status") < 0
        ? ""
        : String(rows.value(0, column(rows.def, "status")) ?? "");
    const shown = status === "" || status === "playing" ? "" : ` · ${status.replaceAll("_", " ")}`;
    write(blue, String(Math.round((points[0] ?? 0) * 10) / 10));
    write(middle, `${clock(number("clock"))}${shown}`);
    write(orange, String(Math.round((points[1] ?? 0) * 10) / 10));
    const last = this.goals === undefined ? undefined : view.events(this.goals, ANNOUNCED).at(-1);
    this.goal.style.display = last === undefined ? "none" : "";
    if (last !== undefined) {
      write(this.goal, announced(last));
      this.goal.style.background = tagColour(String(last.row["team"]));
    }
  }

  /** Names above heads, the speed beside the disc. */
  draw(actors: Actors, camera: PerspectiveCamera, width: number, height: number, names: boolean, eyes: number): void {
    for (const actor of actors.all) {
      let tag = this.tags.get(actor.id);
      if (tag === undefined) {
        tag = new Tag(this.layer);
        this.tags.set(actor.id, tag);
      }
      const on =
        names &&
        actor.here &&
        actor.playing &&
        actor.id !== eyes &&
        this.project(actor.parts.head.at, 0.4, camera, width, height);
      tag.show(on);
      if (on) {
        tag.say(label(actor));
        tag.element.style.background = `${tagColour(actor.team)}${actor.stunned ? "99" : "e0"}`;
        tag.move(this.place.x, this.place.y, this.near);
      }
    }
    const on =
      names &&
      actors.discHere &&
      Number.isFinite(actors.discSpeed) &&
      this.project(actors.disc.at, -0.2, camera, width, height);
    this.speed.show(on);
    if (on) {
      this.speed.say(`${actors.discSpeed.toFixed(1)} m/s`);
      this.speed.move(this.place.x, this.place.y, this.near, true);
    }
  }

  /** Names are drawn by something else. */
  hideNames(): void {
    this.speed.show(false);
    for (const tag of this.tags.values()) {
      tag.show(false);
    }
  }

  private project(
    at: readonly [number, number, number],
    above: number,
    camera: PerspectiveCamera,
    width: number,
    height: number,
  ): boolean {
    this.place.set(at[0], at[1] + above, at[2]);
    this.near = Math.max(0.7, Math.min(1, 22 / this.place.distanceTo(camera.position)));
    this.place.project(camera);
    const { x, y, z } = this.place;
    this.place.set(((x + 1) / 2) * width, ((1 - y) / 2) * height, z);
    return z > -1 && z < 1 && Math.abs(x) < 1.1 && Math.abs(y) < 1.1;
  }
}

function write(to: HTMLElement | undefined, text: string): void {
  if (to !== undefined && to.textContent !== text) {
    to.textContent = text;
  }
}

/** A goal in a line. */
export function announced({ row }: EventRow): string {
  const text = (name: string): string => (typeof row[name] === "string" && row[name] !== "" ? row[name] : "");
  const speed =
    typeof row["disc_speed"] === "number" && row["disc_speed"] > 0 ? `${row["disc_speed"].toFixed(1)} m/s` : "";
  const type = text("goal_type").replaceAll("_", " ").toLowerCase();
  const parts = [text("thrower"), text("assist") === "" ? "" : `assist ${text("assist")}`, type, speed];
  return [`Goal of ${text("team")}, ${String(row["points"])} points`, ...parts.filter((part) => part !== "")].join(
    " · ",
  );
}
