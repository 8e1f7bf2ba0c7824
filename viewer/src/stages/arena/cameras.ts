// The cameras. All but the free one depend on the moment alone, so that a link shows the same picture to everybody,
// forwards, backwards and after a jump.

import type { View } from "../../model.js";
import type { Vec3 } from "../shared/motion.js";
import type { Actor, Actors } from "./actors.js";
import { HALF } from "./court.js";
import type { ArenaColumns } from "./columns.js";

export const CAMERAS = ["broadcast", "follow", "eyes", "free", "top"] as const;
export type CameraKind = (typeof CAMERAS)[number];

export interface Shot {
  readonly from: Vec3;
  readonly to: Vec3;
  readonly up: Vec3;
}

/** Milliseconds that a camera takes to come round. */
const CALM = 1400;
const TURN = 900;

/** The mean of the last positions; `otherwise` where there are none. */
export function mean(trail: readonly (readonly number[])[], otherwise: Vec3): Vec3 {
  const sum: Vec3 = [0, 0, 0];
  let count = 0;
  for (const place of trail) {
    const [x = Number.NaN, y = Number.NaN, z = Number.NaN] = place;
    if (Number.isFinite(x + y + z)) {
      sum[0] += x;
      sum[1] += y;
      sum[2] += z;
      count += 1;
    }
  }
  return count === 0 ? otherwise : [sum[0] / count, sum[1] / count, sum[2] / count];
}

/** Half of the horizontal angle of view that a picture of this shape has. */
function halfWidth(degrees: number, aspect: number): number {
  return Math.atan(Math.tan((degrees * Math.PI) / 360) * aspect);
}

// Cameras beside the arena stand where x is negative: so blue, whose goal is where z is, is at the left, as it is on the
// map and in the score.

/** From where all of the arena can be seen. */
export function overview(degrees: number, aspect: number): Shot {
  const across = HALF.length / Math.tan(halfWidth(degrees, aspect));
  const distance = across + HALF.width;
  return { from: [-distance, distance * 0.42, 0], to: [0, -2, 0], up: [0, 1, 0] };
}

/** From where everybody can be seen. */
export function everybody(actors: Actors, degrees: number, aspect: number): Shot | undefined {
  const box = actors.around();
  if (box === undefined) {
    return undefined;
  }
  const [x, y, z] = [0, 1, 2].map((axis) => (box.least[axis as 0] + box.most[axis as 0]) / 2) as Vec3;
  const across = 3 + (box.most[2] - box.least[2]) / 2;
  const distance = Math.max(10, across / Math.tan(halfWidth(degrees, aspect)) + (box.most[0] - box.least[0]) / 2);
  return { from: [x - distance, y + distance * 0.4, z], to: [x, y, z], up: [0, 1, 0] };
}

/** From the side, going along with the disc. */
export function broadcast(view: View, actors: Actors, columns: ArenaColumns, degrees: number, aspect: number): Shot {
  const { disc } = columns;
  if (disc === undefined || !actors.discHere || !columns.court) {
    return (columns.court ? undefined : everybody(actors, degrees, aspect)) ?? overview(degrees, aspect);
  }
  const [x, y, z] = mean(view.trail(disc.def.name, actors.discId, disc.pose.at, CALM), actors.disc.at);
  // Narrow pictures stand further back, so that as much of the arena is seen; and so does everybody who
  // is far from the disc. A mean of many moves slowly.
  const near = 15 + 15 / Math.max(0.5, Math.min(2, aspect));
  const far = HALF.length / Math.tan(halfWidth(degrees, aspect)) + HALF.width / 2;
  const back = Math.max(near, Math.min(far, (actors.spread(z) * 1.15 + 3) / Math.tan(halfWidth(degrees, aspect))));
  const away = (back - near) / Math.max(1, far - near);
  return {
    from: [x * 0.3 - back, y * 0.4 + 5.5 + 0.25 * (back - near), z * (0.86 - 0.7 * away)],
    to: [x * 0.7, y * 0.8 - 2 * away, z * (1 - 0.8 * away)],
    up: [0, 1, 0],
  };
}

/** Behind a player, looking where the player's body has looked of late. */
export function follow(view: View, actor: Actor, columns: ArenaColumns): Shot {
  const { body } = columns.players.parts;
  const { at, forward } = actor.parts.body;
  const [dx, , dz] =
    body.forward === undefined
      ? forward
      : mean(view.trail(columns.players.def.name, actor.id, body.forward, TURN), forward);
  const length = Math.hypot(dx, dz) || 1;
  const [wx, wz] = [dx / length, dz / length];
  const [x, y, z] = at;
  return { from: [x - wx * 4.2, y + 1.3, z - wz * 4.2], to: [x + wx * 4, y - 0.1, z + wz * 4], up: [0, 1, 0] };
}

/** Out of a player's eyes. */
export function eyes({ parts: { head } }: Actor): Shot {
  const [x, y, z] = head.at;
  const [fx, fy, fz] = head.forward;
  return { from: [x + fx * 0.12, y + fy * 0.12, z + fz * 0.12], to: [x + fx, y + fy, z + fz], up: [...head.up] };
}
