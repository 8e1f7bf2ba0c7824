// Finds the tables and columns that the arena draws: players with heads and hands, a disc, bones.

import type { Recording, TableDef } from "../../model.js";
import { column, fact, hasAll } from "../shared/tables.js";

/** Three columns: x, y and z. */
export type Columns3 = readonly [x: number, y: number, z: number];

/** The position and the directions of something. */
export interface PoseColumns {
  readonly at: Columns3;
  /** Unit vectors; `undefined` where the table has none. */
  readonly forward: Columns3 | undefined;
  readonly up: Columns3 | undefined;
}

export const PARTS = ["head", "body", "left_hand", "right_hand"] as const;
export type BodyPart = (typeof PARTS)[number];

export type ArenaColumns = NonNullable<ReturnType<typeof arenaColumns>>;
/** The columns that are read from a table of players; −1 where it has none. */
export type PlayerColumns = ArenaColumns["players"];
export type DiscColumns = NonNullable<ArenaColumns["disc"]>;
export type BoneColumns = NonNullable<ArenaColumns["bones"]>;

function three(def: TableDef, stem: string): Columns3 | undefined {
  const [x, y, z] = ["x", "y", "z"].map((axis) => column(def, stem === "" ? axis : `${stem}_${axis}`));
  return x === undefined || y === undefined || z === undefined || Math.min(x, y, z) < 0 ? undefined : [x, y, z];
}

function pose(def: TableDef, stem: string): PoseColumns | undefined {
  const at = three(def, stem);
  const turned = (way: string): Columns3 | undefined => three(def, stem === "" ? way : `${stem}_${way}`);
  return at === undefined ? undefined : { at, forward: turned("forward"), up: turned("up") };
}

function players(def: TableDef) {
  const [head, body, left_hand, right_hand] = PARTS.map((part) => pose(def, part));
  const key = def.columns.findIndex((column) => column.key);
  if (
    def.lane !== "state" ||
    key < 0 ||
    head === undefined ||
    body === undefined ||
    left_hand === undefined ||
    right_hand === undefined
  ) {
    return undefined;
  }
  return {
    def,
    key,
    name: column(def, "name"),
    team: column(def, "team"),
    possession: column(def, "possession"),
    blocking: column(def, "blocking"),
    stunned: column(def, "stunned"),
    parts: { head, body, left_hand, right_hand },
  };
}

function disc(recording: Recording) {
  const def = recording.tables.find((def) => def.lane === "state" && def.name === "disc");
  const at = def === undefined ? undefined : pose(def, "");
  return def === undefined || at === undefined ? undefined : { def, pose: at, velocity: three(def, "velocity") };
}

function bones(recording: Recording, key: string) {
  const def = recording.tables.find((def) => def.lane === "state" && hasAll(def, [key, "bone", "x", "y", "z"]));
  const at = def === undefined ? undefined : three(def, "");
  return def === undefined || at === undefined || def.rows === 0
    ? undefined
    : { def, player: column(def, key), bone: column(def, "bone"), at };
}

export function arenaColumns(recording: Recording) {
  for (const def of recording.tables) {
    const found = players(def);
    if (found !== undefined) {
      const of = def.columns[found.key]?.name ?? "";
      const game = fact(recording, "game");
      return {
        players: found,
        disc: disc(recording),
        bones: bones(recording, of),
        // Whether the place is the arena with two goals: for other places only the ground is drawn.
        court: game === undefined || game === "arena",
      };
    }
  }
  return undefined;
}
