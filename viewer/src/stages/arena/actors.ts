// Players and the disc at the playhead: interpolated between two frames, unless they are too far apart.

import { obtain } from "../../lists.js";
import type { Rows, View } from "../../model.js";
import { type Vec3, between, rowOf, teleports, turned } from "../shared/motion.js";
import { type ArenaColumns, type Columns3, type DiscColumns, type PlayerColumns } from "./columns.js";
import { PARTS, type BodyPart, type PoseColumns } from "./columns.js";

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
  readonly parts: Readonly<Record<BodyPart, Pose>> = {
    head: new Pose(),
    body: new Pose(),
    left_hand: new Pose(),
    right_hand: new Pose(),
  };
  /** Whether it exists at the playhead. */
  here = false;
  /** Its row in the frame before the playhead, and the part of the way to the next that it has gone, 0 to 1. */
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

/** A row on its way to the next frame; used again for each. */
class RowMotion {
  private rows!: Rows;
  private row = 0;
  private next: Rows | undefined;
  private nextRow = -1;
  /** The part of the way that it has gone, 0 to 1. It stays in place if it leaves, or is suddenly elsewhere. */
  mix = 0;

  take(view: View, rows: Rows, row: number, at: Columns3, fastest: number): void {
    const next = view.after?.rows(rows.def.name);
    [this.rows, this.row, this.next] = [rows, row, next];
    this.nextRow = next === undefined ? -1 : rowOf(next, rows.id(row), row);
    const ms = (view.after?.moment.timeMs ?? 0) - (view.before.moment.timeMs ?? 0);
    const moves =
      next !== undefined &&
      this.nextRow >= 0 &&
      !teleports(read(rows, row, at, from), read(next, this.nextRow, at, to), ms, fastest);
    this.mix = moves ? view.mix : 0;
  }

  pose({ at, forward, up }: PoseColumns, into: Pose): void {
    read(this.rows, this.row, at, into.at);
    if (this.next !== undefined && this.mix > 0) {
      between(into.at, read(this.next, this.nextRow, at, to), this.mix, into.at);
    }
    this.turn(forward, into.forward);
    this.turn(up, into.up);
  }

  private turn(columns: Columns3 | undefined, into: Vec3): void {
    if (columns === undefined) {
      return;
    }
    read(this.rows, this.row, columns, from);
    if (this.next !== undefined && this.mix > 0) {
      turned(from, read(this.next, this.nextRow, columns, to), this.mix, into);
    } else if (Number.isFinite(from[0])) {
      [into[0], into[1], into[2]] = from;
    }
  }
}

export class Actors {
  readonly all: Actor[] = [];
  readonly disc = new Pose();
  readonly discVelocity: Vec3 = [0, 0, 0];
  discHere = false;
  discId = -1;
  private readonly byId = new Map<number, Actor>();
  private readonly columns: ArenaColumns;
  private readonly way = new RowMotion();

  constructor(columns: ArenaColumns) {
    this.columns = columns;
  }

  update(view: View): void {
    for (const actor of this.all) {
      actor.here = false;
    }
    const { players, disc } = this.columns;
    const rows = view.before.rows(players.def.name);
    for (let row = 0; rows !== undefined && row < rows.length; row++) {
      this.updateActor(view, rows, row, players);
    }
    this.discHere = false;
    if (disc !== undefined) {
      this.updateDisc(view, disc);
    }
  }

  private updateActor(view: View, rows: Rows, row: number, columns: PlayerColumns): void {
    const id = rows.id(row);
    const actor = obtain(this.byId, id, () => {
      this.all.push(new Actor(id));
      return this.all.at(-1)!;
    });
    const { way } = this;
    way.take(view, rows, row, columns.parts.body.at, FASTEST_PLAYER);
    actor.mix = way.mix;
    actor.row = row;
    for (const part of PARTS) {
      way.pose(columns.parts[part], actor.parts[part]);
    }
    const text = (at: number): string => (at < 0 ? "" : String(rows.value(row, at) ?? ""));
    actor.key = rows.number(row, columns.key);
    actor.name = text(columns.name) || `player ${actor.key}`;
    actor.team = text(columns.team);
    const is = (at: number): boolean => at >= 0 && rows.value(row, at) === true;
    actor.possession = is(columns.possession);
    actor.blocking = is(columns.blocking);
    actor.stunned = is(columns.stunned);
    actor.here = Number.isFinite(actor.parts.body.at[0]);
  }

  private updateDisc(view: View, { def, pose, velocity }: DiscColumns): void {
    const rows = view.before.rows(def.name);
    if (rows === undefined || rows.length === 0) {
      return;
    }
    this.way.take(view, rows, 0, pose.at, FASTEST_DISC);
    this.way.pose(pose, this.disc);
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

  /** The mean distance of the players from a place along the arena; 0 if there are none. */
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
