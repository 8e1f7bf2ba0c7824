// Players and the disc at the playhead: interpolated between two frames, unless they are too far apart.

import type { Rows, View } from "../../model.js";
import { type Vec3, between, teleports, turned } from "../shared/motion.js";
import { rowOf } from "../shared/tables.js";
import {
  type ArenaColumns,
  type Columns3,
  type DiscColumns,
  PARTS,
  type Part,
  type PlayerColumns,
  type PoseColumns,
} from "./columns.js";

/** Metres a second that no player and no disc reaches. */
const FASTEST_PLAYER = 50;
const FASTEST_DISC = 120;

export class Pose {
  readonly at: Vec3 = [0, 0, 0];
  readonly forward: Vec3 = [0, 0, 1];
  readonly up: Vec3 = [0, 1, 0];
}

export class Actor {
  readonly id: number;
  /** The value of its key: bones name it. */
  key = -1;
  name = "";
  team = "";
  possession = false;
  blocking = false;
  stunned = false;
  readonly parts: Readonly<Record<Part, Pose>> = {
    head: new Pose(),
    body: new Pose(),
    left_hand: new Pose(),
    right_hand: new Pose(),
  };
  /** Whether it exists at the playhead. */
  here = false;
  /** The row of it in the frame before the playhead, and how far it has moved from there, 0 to 1. */
  row = 0;
  mix = 0;

  constructor(id: number) {
    this.id = id;
  }

  get playing(): boolean {
    return this.team !== "spectator";
  }
}

const from: Vec3 = [0, 0, 0];
const to: Vec3 = [0, 0, 0];

function read(rows: Rows, row: number, columns: Columns3, into: Vec3): Vec3 {
  into[0] = rows.number(row, columns[0]);
  into[1] = rows.number(row, columns[1]);
  into[2] = rows.number(row, columns[2]);
  return into;
}

function turn(
  rows: Rows,
  row: number,
  next: Rows | undefined,
  nextRow: number,
  columns: Columns3 | undefined,
  mix: number,
  into: Vec3,
): void {
  if (columns === undefined) {
    return;
  }
  read(rows, row, columns, from);
  if (next !== undefined && mix > 0) {
    turned(from, read(next, nextRow, columns, to), mix, into);
  } else if (Number.isFinite(from[0])) {
    [into[0], into[1], into[2]] = from;
  }
}

/** Reads a pose; where `mix` is above 0, on its way to the next frame's. */
function readPose(
  rows: Rows,
  row: number,
  next: Rows | undefined,
  nextRow: number,
  columns: PoseColumns,
  mix: number,
  into: Pose,
): void {
  read(rows, row, columns.at, into.at);
  if (next !== undefined && mix > 0) {
    read(next, nextRow, columns.at, to);
    between(into.at, to, mix, into.at);
  }
  turn(rows, row, next, nextRow, columns.forward, mix, into.forward);
  turn(rows, row, next, nextRow, columns.up, mix, into.up);
}

/** Milliseconds from one frame to the next; 0 where that is not known, and then no speed is shown. */
function gap({ before, after }: View): number {
  return after === null ? 0 : (after.moment.timeMs ?? 0) - (before.moment.timeMs ?? 0);
}

export class Actors {
  readonly all: Actor[] = [];
  readonly disc = new Pose();
  readonly discVelocity: Vec3 = [0, 0, 0];
  discHere = false;
  discId = -1;
  private readonly byId = new Map<number, Actor>();
  private readonly columns: ArenaColumns;

  constructor(columns: ArenaColumns) {
    this.columns = columns;
  }

  update(view: View): void {
    for (const actor of this.all) {
      actor.here = false;
    }
    const { players, disc } = this.columns;
    const rows = view.before.rows(players.def.name);
    if (rows !== undefined) {
      const next = view.after?.rows(players.def.name);
      for (let row = 0; row < rows.length; row++) {
        this.updateActor(view, rows, row, next, players);
      }
    }
    this.discHere = false;
    if (disc !== undefined) {
      this.updateDisc(view, disc);
    }
  }

  private updateActor(view: View, rows: Rows, row: number, next: Rows | undefined, columns: PlayerColumns): void {
    const id = rows.id(row);
    let actor = this.byId.get(id);
    if (actor === undefined) {
      actor = new Actor(id);
      this.byId.set(id, actor);
      this.all.push(actor);
    }
    const { body } = columns.parts;
    const nextRow = next === undefined ? -1 : rowOf(next, id, row);
    // A player who leaves, or is suddenly elsewhere, stays in place until then.
    const moves =
      next !== undefined &&
      nextRow >= 0 &&
      !teleports(read(rows, row, body.at, from), read(next, nextRow, body.at, to), gap(view), FASTEST_PLAYER);
    actor.mix = moves ? view.mix : 0;
    actor.row = row;
    for (const part of PARTS) {
      readPose(rows, row, next, nextRow, columns.parts[part], actor.mix, actor.parts[part]);
    }
    const text = (at: number): string => (at < 0 ? "" : String(rows.value(row, at) ?? ""));
    actor.key = rows.number(row, columns.key);
    actor.name = text(columns.name) || `player ${actor.key}`;
    actor.team = text(columns.team);
    actor.possession = columns.possession >= 0 && rows.value(row, columns.possession) === true;
    actor.blocking = columns.blocking >= 0 && rows.value(row, columns.blocking) === true;
    actor.stunned = columns.stunned >= 0 && rows.value(row, columns.stunned) === true;
    actor.here = Number.isFinite(actor.parts.body.at[0]);
  }

  private updateDisc(view: View, { def, pose, velocity }: DiscColumns): void {
    const rows = view.before.rows(def.name);
    if (rows === undefined || rows.length === 0) {
      return;
    }
    const next = view.after?.rows(def.name);
    const nextRow = next === undefined ? -1 : rowOf(next, rows.id(0), 0);
    const moves =
      next !== undefined &&
      nextRow >= 0 &&
      !teleports(read(rows, 0, pose.at, from), read(next, nextRow, pose.at, to), gap(view), FASTEST_DISC);
    readPose(rows, 0, next, nextRow, pose, moves ? view.mix : 0, this.disc);
    if (velocity !== undefined) {
      read(rows, 0, velocity, this.discVelocity);
    }
    this.discId = rows.id(0);
    this.discHere = Number.isFinite(this.disc.at[0]);
  }

  /** The players who are there and play. */
  players(): Actor[] {
    return this.all.filter((actor) => actor.here && actor.playing);
  }

  /** How far players are from a place along the arena, in the mean; 0 where there are none. */
  spread(z: number): number {
    let [sum, count] = [0, 0];
    for (const { here, playing, parts } of this.all) {
      if (here && playing) {
        sum += Math.abs(parts.body.at[2] - z);
        count += 1;
      }
    }
    return count === 0 ? 0 : sum / count;
  }

  /** The box around everybody who is there; `undefined` where nobody is. */
  around(): { readonly least: Vec3; readonly most: Vec3 } | undefined {
    const least: Vec3 = [Infinity, Infinity, Infinity];
    const most: Vec3 = [-Infinity, -Infinity, -Infinity];
    for (const { here, playing, parts } of this.all) {
      for (let axis = 0; here && playing && axis < 3; axis++) {
        const way = axis as 0 | 1 | 2;
        least[way] = Math.min(least[way], parts.body.at[way]);
        most[way] = Math.max(most[way], parts.body.at[way]);
      }
    }
    return least[0] <= most[0] ? { least, most } : undefined;
  }

  /** The speed of the disc, NaN where it is not known. */
  get discSpeed(): number {
    return this.columns.disc?.velocity === undefined ? Number.NaN : Math.hypot(...this.discVelocity);
  }
}
