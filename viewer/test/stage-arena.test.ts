// The arena: which tables it reads, how players move between frames, how bones hang together.

import assert from "node:assert/strict";
import { test } from "node:test";

import { PerspectiveCamera, Vector3 } from "three";

import type { TableDef, Value } from "../src/model.js";
import { Actors } from "../src/stages/arena/actors.js";
import { MOST_BONES, Skeletons, joined } from "../src/stages/arena/bones.js";
import { type Shot, broadcast, everybody, mean, overview } from "../src/stages/arena/cameras.js";
import { arenaColumns } from "../src/stages/arena/columns.js";
import { announced, clock } from "../src/stages/arena/overlay.js";
import { ground, onGround } from "../src/stages/arena/top.js";
import { arena } from "../src/stages/index.js";
import { between, teleports, turned } from "../src/stages/shared/motion.js";
import { frame, recording, rows, table, view } from "./stage-made.js";

const POSES = ["head", "body", "left_hand", "right_hand"]
  .flatMap((part) => ["", "_forward", "_up"].flatMap((way) => ["x", "y", "z"].map((axis) => `${part}${way}_${axis}`)))
  .join(" ");
const PLAYERS = table("players", "state", `player! team:text name:text stunned:bool ${POSES}`);
const DISC = table("disc", "state", "x y z velocity_x velocity_y velocity_z");
const BONES = table("bones", "state", "player! bone! x y z");

/** A player's row: all parts at one place, looking along z, upright. */
function player(number: number, at: readonly number[], forward: readonly number[] = [0, 0, 1]): Value[] {
  return [number, "blue", `n${number}`, false, ...Array.from({ length: 4 }, () => [...at, ...forward, 0, 1, 0]).flat()];
}

function columns(...tables: TableDef[]): NonNullable<ReturnType<typeof arenaColumns>> {
  const found = arenaColumns(recording(...tables));
  assert.ok(found !== undefined);
  return found;
}

test("players with heads, bodies and hands suit", () => {
  assert.equal(arena.suits(recording(PLAYERS, DISC)), 100);
  assert.equal(arena.suits(recording(DISC)), 0);
  assert.equal(arena.suits(recording(table("players", "state", "player! head_x head_y head_z"))), 0);
  const found = columns(PLAYERS, DISC, BONES);
  assert.deepEqual(found.players.parts.head.at, [4, 5, 6]);
  assert.deepEqual(found.players.parts.body.forward, [16, 17, 18]);
  assert.equal(found.players.possession, -1);
  assert.deepEqual(found.disc?.velocity, [3, 4, 5]);
  assert.deepEqual(found.bones?.at, [2, 3, 4]);
  assert.equal(columns(PLAYERS, { ...BONES, rows: 0 }).bones, undefined);
  assert.equal(columns(PLAYERS).disc, undefined);
});

test("nothing moves faster than it can", () => {
  assert.ok(!teleports([0, 0, 0], [2, 0, 0], 67, 50));
  assert.ok(teleports([0, 0, 0], [20, 0, 0], 67, 50));
  assert.ok(!teleports([0, 0, 0], [20, 0, 0], 1000, 50));
  assert.ok(teleports([0, 0, 0], [Number.NaN, 0, 0], 1000, 50));
  assert.deepEqual(between([0, 0, 0], [2, 4, -6], 0.5, [0, 0, 0]), [1, 2, -3]);
  const half = turned([0, 0, 1], [1, 0, 0], 0.5, [0, 0, 0]);
  assert.ok(Math.abs(Math.hypot(...half) - 1) < 1e-12 && Math.abs(half[0] - half[2]) < 1e-12);
  assert.deepEqual(turned([0, 0, 1], [0, 0, -1], 0.5, [0, 0, 0]), [0, 0, -1]);
});

test("players are between two frames, unless they jump, leave or appear", () => {
  const before = frame(0, rows(PLAYERS, [1, 2, 3], [player(1, [0, 0, 0]), player(2, [5, 5, 5]), player(3, [0, 0, 0])]));
  const after = frame(
    100,
    rows(PLAYERS, [2, 4, 1], [player(2, [60, 5, 5]), player(4, [9, 9, 9]), player(1, [2, 0, 0], [1, 0, 0])]),
  );
  const actors = new Actors(columns(PLAYERS));
  actors.update(view(before, after, 0.5));
  const at = (key: number): readonly number[] | undefined =>
    actors.players().find((actor) => actor.key === key)?.parts.head.at;
  assert.deepEqual(at(1), [1, 0, 0]);
  assert.deepEqual(at(2), [5, 5, 5]);
  assert.deepEqual(at(3), [0, 0, 0]);
  assert.equal(at(4), undefined);
  const [fx, , fz] = actors.players()[0]?.parts.head.forward ?? [0, 0, 0];
  assert.ok(Math.abs(fx - fz) < 1e-12 && fx > 0.7);
  // The next frame: player 3 has left.
  actors.update(view(after, null, 0));
  assert.deepEqual(
    actors
      .players()
      .map(({ key }) => key)
      .sort(),
    [1, 2, 4],
  );
});

test("the disc flies, and its speed is known", () => {
  const disc = (ms: number, ...values: number[]): ReturnType<typeof frame> => frame(ms, rows(DISC, [7], [values]));
  const actors = new Actors(columns(PLAYERS, DISC));
  actors.update(view(disc(0, 0, 0, 0, 3, 4, 0), disc(100, 1, 0, 0, 3, 4, 0), 0.25));
  assert.deepEqual(actors.disc.at, [0.25, 0, 0]);
  assert.equal(actors.discSpeed, 5);
  actors.update(view(disc(0, 0, 0, 0, 3, 4, 0), disc(100, 30, 0, 0, 0, 0, 0), 0.25));
  assert.deepEqual(actors.disc.at, [0, 0, 0]);
});

test("bones hang together that stay equally far apart", () => {
  // A chain 0-1-2 and an arm 1-3 that comes near to 0 now and then.
  const distances = new Float64Array(MOST_BONES * MOST_BONES);
  const far = (a: number, b: number, distance: number): void => {
    distances[a * MOST_BONES + b] = distances[b * MOST_BONES + a] = distance;
  };
  far(0, 1, 1);
  far(1, 2, 1);
  far(0, 2, 1.9);
  far(1, 3, 0.8);
  far(0, 3, 1.7);
  far(2, 3, 1.7);
  assert.deepEqual(
    joined(distances, 4)
      .map((link) => [...link].sort())
      .sort(),
    [
      [0, 1],
      [1, 2],
      [1, 3],
    ],
  );
  assert.deepEqual(joined(distances, 6).length, 3, "bones that were never seen hang nowhere");
  assert.deepEqual(joined(distances, 0), []);
});

test("bones are where their player is, turned as the player is", () => {
  // Looking along x: the left is -z.
  const held = [
    rows(PLAYERS, [1], [player(4, [10, 0, 0], [1, 0, 0])]),
    rows(
      BONES,
      [11, 12],
      [
        [4, 0, 0, -1, 0],
        [4, 2, 0.5, 0, 0.25],
      ],
    ),
  ];
  const found = columns(PLAYERS, BONES);
  const actors = new Actors(found);
  const now = view(frame(0, ...held), null, 0);
  actors.update(now);
  assert.ok(found.bones !== undefined);
  const skeletons = new Skeletons(found.bones);
  skeletons.update(now, actors.all);
  const skeleton = skeletons.of.get(1);
  assert.ok(skeleton?.here === true);
  assert.deepEqual([...skeleton.places.subarray(0, 3)], [10, -1, 0]);
  assert.deepEqual([...skeleton.places.subarray(6, 9)], [10.25, 0, -0.5]);
  assert.deepEqual([...skeleton.seen.subarray(0, 3)], [1, 0, 1]);
  assert.deepEqual(skeletons.links, [[0, 2]]);
});

test("cameras, clocks, goals and the map", () => {
  assert.deepEqual(
    mean(
      [
        [0, 0, 0],
        [2, 4, 6],
        [Number.NaN, 0, 0],
      ],
      [9, 9, 9],
    ),
    [1, 2, 3],
  );
  assert.deepEqual(mean([], [9, 9, 9]), [9, 9, 9]);
  assert.deepEqual([545.23, 9.96, 0, -3, Number.NaN].map(clock), ["9:05.2", "0:10.0", "0:00.0", "0:00.0", ""]);
  const moment = { step: 1, tick: null, timeMs: 0 };
  const row = { team: "blue", points: 2, goal_type: "SLAM_DUNK", thrower: "<b>", assist: null, disc_speed: 12.34 };
  assert.equal(announced({ table: "goals", moment, row }), "Goal of blue, 2 points · <b> · slam dunk · 12.3 m/s");
  for (const [width, height] of [
    [1200, 700],
    [360, 640],
  ] as const) {
    const at = ground(width, height);
    for (const corner of [
      [-15, 0, -40],
      [15, 0, 40],
    ]) {
      const [x, y] = onGround(at, corner);
      assert.ok(x >= 0 && x <= width && y >= 0 && y <= height, `${width}×${height}`);
    }
    // Blue is at the left, or at the bottom.
    const [blue, orange] = [onGround(at, [0, 0, -36]), onGround(at, [0, 0, 36])];
    assert.ok(width > height ? blue[0] < orange[0] : blue[1] > orange[1]);
  }
});

test("all cameras see the arena from one side: blue at the left, as in the score, and nothing mirrored", () => {
  const found = columns(PLAYERS, DISC);
  const held = [
    rows(PLAYERS, [1, 2], [player(1, [3, 0, 20]), player(2, [-3, 0, -20])]),
    rows(DISC, [7], [[2, 1, 4, 0, 0, 0]]),
  ];
  const now = view(frame(0, ...held), null, 0);
  const actors = new Actors(found);
  actors.update(now);
  const [blue, orange, above, near, far] = [
    [0, 0, -36],
    [0, 0, 36],
    [0, 5, 0],
    [-8, 0, 0],
    [8, 0, 0],
  ] as const;
  const seen = (camera: PerspectiveCamera, at: readonly number[]): Vector3 =>
    new Vector3().fromArray(at as number[]).project(camera);
  const shots: Readonly<Record<string, Shot>> = {
    broadcast: broadcast(now, actors, found, 46, 1.5),
    overview: overview(46, 1.5),
    everybody: everybody(actors, 46, 1.5)!,
  };
  for (const [name, { from, to, up }] of Object.entries(shots)) {
    const camera = new PerspectiveCamera(46, 1.5, 0.05, 400);
    camera.position.fromArray(from);
    camera.up.fromArray(up);
    camera.lookAt(...to);
    camera.updateMatrixWorld();
    assert.ok(seen(camera, blue).x < seen(camera, orange).x, `${name}: blue at the left`);
    assert.ok(seen(camera, above).y > seen(camera, [0, 0, 0]).y, `${name}: upright`);
    const away = ([x, y, z]: readonly [number, number, number]): number => camera.position.distanceTo(new Vector3(x, y, z));
    assert.ok(away(near) < away(far), `${name}: from where the map has its lower edge`);
  }
  for (const [width, height] of [
    [1200, 700],
    [360, 640],
  ] as const) {
    const map = ground(width, height);
    const pixel = (at: readonly number[]): Vector3 => {
      const [x, y] = onGround(map, at);
      return new Vector3(x, -y, 0);
    };
    const [middle, x, z] = [pixel([0, 0, 0]), pixel([1, 0, 0]), pixel([0, 0, 1])];
    // The axes are right-handed: from above, z to the right means x upwards.
    const facing = z.sub(middle).cross(x.sub(middle)).z;
    assert.ok(facing > 0, "seen from above, and not from below");
    if (width > height) {
      assert.ok(pixel(near).y < pixel(far).y, "what is near to the cameras is below");
    }
  }
});

test("the broadcast is further away while players are", () => {
  const found = columns(PLAYERS, DISC);
  const shot = (far: number): ReturnType<typeof broadcast> => {
    const held = [
      rows(PLAYERS, [1, 2], [player(1, [0, 0, far]), player(2, [0, 0, -far])]),
      rows(DISC, [7], [[0, 0, 0, 0, 0, 0]]),
    ];
    const now = view(frame(0, ...held), null, 0);
    const actors = new Actors(found);
    actors.update(now);
    assert.equal(actors.spread(0), far);
    return broadcast(now, actors, found, 46, 1.5);
  };
  const back = (far: number): number => Math.abs(shot(far).from[0]);
  assert.ok(back(35) > back(25) && back(25) > back(5));
  assert.equal(back(5), back(2), "it never comes too near");
  assert.equal(back(400), back(300), "nor goes further than it has to");
});
