// Skeletons: where each bone is, and which bones are joined.

import { obtain } from "../../lists.js";
import type { Rows, View } from "../../model.js";
import { type Vec3, lerp, rowOf } from "../shared/motion.js";
import type { Actor } from "./actors.js";
import type { BoneColumns } from "./columns.js";

/** No skeleton has more. */
export const MOST_BONES = 64;

/**
 * Finds out which bones are joined. Recordings number bones and do not say how they are joined; but joined bones
 * keep their distance however a player moves. So the result is the tree whose edges have the smallest greatest
 * distances that were seen so far.
 */
export function joined(distances: Float64Array, bones: number): [from: number, to: number][] {
  const links: [number, number][] = [];
  const nearest = new Float64Array(bones).fill(Infinity);
  const parent = new Int32Array(bones).fill(-1);
  const taken = new Uint8Array(bones);
  nearest[0] = 0;
  for (let done = 0; done < bones; done++) {
    let bone = -1;
    for (let at = 0; at < bones; at++) {
      if (taken[at] === 0 && (nearest[at] ?? 0) < (bone < 0 ? Infinity : (nearest[bone] ?? 0))) {
        bone = at;
      }
    }
    if (bone < 0) {
      // The bones that are left have never been seen.
      break;
    }
    taken[bone] = 1;
    if ((parent[bone] ?? -1) >= 0) {
      links.push([parent[bone] ?? 0, bone]);
    }
    for (let at = 0; at < bones; at++) {
      const distance = distances[bone * MOST_BONES + at] ?? 0;
      if (taken[at] === 0 && distance > 0 && distance < (nearest[at] ?? 0)) {
        nearest[at] = distance;
        parent[at] = bone;
      }
    }
  }
  return links;
}

/** The bones of one player, in the world. */
class Skeleton {
  readonly places = new Float64Array(3 * MOST_BONES);
  readonly seen = new Uint8Array(MOST_BONES);
  here = false;
}

/** The number of frames after which distances count as known. */
const ENOUGH = 400;

export class Skeletons {
  readonly of = new Map<number, Skeleton>();
  links: [from: number, to: number][] = [];
  private readonly columns: BoneColumns;
  private readonly distances = new Float64Array(MOST_BONES * MOST_BONES);
  private readonly local = new Float64Array(3 * MOST_BONES);
  private bones = 0;
  private looked = 0;
  /** The number of frames, and of bones, when they were joined last. */
  private lookedThen = 0;
  private bonesThen = 0;

  constructor(columns: BoneColumns) {
    this.columns = columns;
  }

  /** The bones of all players, each with its body. */
  update(view: View, actors: readonly Actor[]): void {
    for (const skeleton of this.of.values()) {
      skeleton.here = false;
    }
    const rows = view.before.rows(this.columns.def.name);
    if (rows === undefined || rows.length === 0) {
      return;
    }
    const next = view.after?.rows(this.columns.def.name);
    for (const actor of actors) {
      if (actor.here && actor.playing) {
        this.updateOne(rows, next, actor);
      }
    }
    // They are joined again as more frames are seen, less and less often.
    if (this.looked > 1.5 * this.lookedThen || this.bones > this.bonesThen) {
      this.links = joined(this.distances, this.bones);
      this.lookedThen = this.looked;
      this.bonesThen = this.bones;
    }
  }

  private updateOne(rows: Rows, next: Rows | undefined, actor: Actor): void {
    const skeleton = obtain(this.of, actor.id, () => new Skeleton());
    skeleton.seen.fill(0);
    const { player, bone: boneColumn, at } = this.columns;
    for (let row = 0; row < rows.length; row++) {
      const bone = rows.number(row, boneColumn);
      if (rows.number(row, player) !== actor.key || !(bone >= 0 && bone < MOST_BONES)) {
        continue;
      }
      const nextRow = next === undefined || actor.mix === 0 ? -1 : rowOf(next, rows.id(row), row);
      for (let axis = 0; axis < 3; axis++) {
        const column = at[axis as 0 | 1 | 2];
        const place = rows.number(row, column);
        this.local[3 * bone + axis] =
          next === undefined || nextRow < 0 ? place : lerp(place, next.number(nextRow, column), actor.mix);
      }
      skeleton.seen[bone] = 1;
      skeleton.here = true;
      this.bones = Math.max(this.bones, bone + 1);
    }
    this.place(actor, skeleton);
    if (skeleton.here && this.looked < ENOUGH) {
      this.looked += 1;
      this.look(skeleton);
    }
  }

  /** From a player's own directions, left, up and forward, to the world's. */
  private place(actor: Actor, { places, seen }: Skeleton): void {
    const { at, forward, up } = actor.parts.body;
    const left = cross(up, forward);
    for (let bone = 0; bone < this.bones; bone++) {
      if (seen[bone] === 0) {
        continue;
      }
      const [x, y, z] = [this.local[3 * bone] ?? 0, this.local[3 * bone + 1] ?? 0, this.local[3 * bone + 2] ?? 0];
      for (let axis = 0; axis < 3; axis++) {
        const way = axis as 0 | 1 | 2;
        places[3 * bone + axis] = at[way] + left[way] * x + up[way] * y + forward[way] * z;
      }
    }
  }

  /** Remembers the greatest distances between bones. */
  private look({ seen }: Skeleton): void {
    const { local, distances } = this;
    for (let a = 0; a < this.bones; a++) {
      for (let b = 0; b < a; b++) {
        if (seen[a] === 0 || seen[b] === 0) {
          continue;
        }
        let square = 0;
        for (let axis = 0; axis < 3; axis++) {
          square += ((local[3 * a + axis] ?? 0) - (local[3 * b + axis] ?? 0)) ** 2;
        }
        const place = a * MOST_BONES + b;
        // Never 0, which stands for pairs that have not been seen.
        const distance = Math.max(1e-9, distances[place] ?? 0, Math.sqrt(square));
        distances[place] = distances[b * MOST_BONES + a] = distance;
      }
    }
  }
}

export function cross(a: Vec3, b: Vec3): Vec3 {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}
