// The text over the arena: names, speed, the score. Text alone, never markup.

import { Vector3 } from "three";
import { say } from "../../dom.js";
import { joined } from "../../format.js";
import { obtain } from "../../lists.js";
import type { EventRow, Recording, View } from "../../model.js";
import { FloatingLabel, element } from "../shared/controls.js";
import type { Vec3 } from "../shared/motion.js";
import type { Scenery } from "../shared/scenery.js";
import { findTable, first, firstNumber } from "../shared/tables.js";
import type { Actor, Actors } from "./actors.js";
import { tagColour } from "./court.js";

/** A goal is announced for so many milliseconds. */
const ANNOUNCED = 4000;

/** A name, and the state of its player. */
export function label(actor: Actor): string {
  const { name, possession, stunned, blocking } = actor;
  return joined([name, possession ? "disc" : "", stunned ? "stunned" : "", blocking ? "blocks" : ""], " · ");
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
  private readonly tags = new Map<number, FloatingLabel>();
  private readonly speed: FloatingLabel;
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
    this.speed = new FloatingLabel(this.layer);
    this.speed.element.style.background = "#0009";
    this.goals = findTable(recording, "events", ["team", "points", "disc_speed"])?.name;
  }

  /** The score, the clock, and a goal for a while after it. */
  say(view: View): void {
    const rows = view.before.rows("game");
    const [blue, middle, orange] = this.parts;
    const points = ["blue_points", "orange_points"].map((name) => firstNumber(rows, name));
    this.score.style.display = points.every(Number.isFinite) ? "" : "none";
    const status = String(first(rows, "status") ?? "");
    const shown = status === "" || status === "playing" ? "" : ` · ${status.replaceAll("_", " ")}`;
    say(blue!, String(Math.round((points[0] ?? 0) * 10) / 10));
    say(middle!, `${clock(firstNumber(rows, "clock"))}${shown}`);
    say(orange!, String(Math.round((points[1] ?? 0) * 10) / 10));
    const last = this.goals === undefined ? undefined : view.events(this.goals, ANNOUNCED).at(-1);
    this.goal.style.display = last === undefined ? "none" : "";
    if (last !== undefined) {
      say(this.goal, announced(last));
      this.goal.style.background = tagColour(String(last.row["team"]));
    }
  }

  /** Names above heads, the speed beside the disc. */
  draw(actors: Actors, scenery: Scenery, names: boolean, eyes: number): void {
    for (const actor of actors.all) {
      const tag = obtain(this.tags, actor.id, () => new FloatingLabel(this.layer));
      const on =
        names &&
        actor.here &&
        actor.playing &&
        actor.id !== eyes &&
        this.project(actor.parts.head.at, 0.4, scenery);
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
      this.project(actors.disc.at, -0.2, scenery);
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

  private project(at: Vec3, above: number, scenery: Scenery): boolean {
    this.place.set(at[0], at[1] + above, at[2]);
    this.near = Math.max(0.7, Math.min(1, 22 / this.place.distanceTo(scenery.camera.position)));
    const { x, y, z } = scenery.project(this.place);
    const { clientWidth, clientHeight } = scenery.element;
    const within = (pixel: number, size: number): boolean => pixel > -0.05 * size && pixel < 1.05 * size;
    return z > -1 && z < 1 && within(x, clientWidth) && within(y, clientHeight);
  }
}

/** A goal in a line. */
export function announced({ row }: EventRow): string {
  const text = (name: string): string => (typeof row[name] === "string" && row[name] !== "" ? row[name] : "");
  const speed =
    typeof row["disc_speed"] === "number" && row["disc_speed"] > 0 ? `${row["disc_speed"].toFixed(1)} m/s` : "";
  const type = text("goal_type").replaceAll("_", " ").toLowerCase();
  const assist = text("assist") === "" ? "" : `assist ${text("assist")}`;
  const goal = `Goal of ${text("team")}, ${String(row["points"])} points`;
  return joined([goal, text("thrower"), assist, type, speed], " · ");
}
