// Finds the tables and columns that the arena draws: players with heads and hands, a disc, bones.

import type { Recording, TableDef } from "../../model.js";
import { column, fact, hasAll } from "../shared/tables.js";

/** Three columns: x, y and z. */
export type Columns3 = readonly [x: number, y: number, z: number];

/** Where something is and how it is turned. */
export interface PoseColumns {
  readonly at: Columns3;
  /** Unit vectors; `undefined` where the table has none. */
  readonly forward: Columns3 | undefined;
  readonly up: Columns3 | undefined;
}

export const PARTS = ["head", "body", "left_hand", "right_hand"] as const;
export type Part = (typeof PARTS)[number];

/** The columns that are read from a table of players. */
export interface PlayerColumns {
  readonly def: TableDef;
  readonly key: number;
  readonly name: number;
  readonly team: number;
  readonly possession: number;
  readonly blocking: number;
  readonly stunned: number;
  readonly parts: Readonly<Record<Part, PoseColumns>>;
}

export interface DiscColumns {
  readonly def: TableDef;
  readonly pose: PoseColumns;
  readonly velocity: Columns3 | undefined;
}

export interface BoneColumns {
  readonly def: TableDef;
  readonly player: number;
  readonly bone: number;
  readonly at: Columns3;
}

export interface ArenaColumns {
  readonly players: PlayerColumns;
  readonly disc: DiscColumns | undefined;
  readonly bones: BoneColumns | undefined;
  /** Whether the place is the arena with two goals: for other places only the ground is drawn. */
  readonly court: boolean;
}

function three(def: TableDef, stem: string): Columns3 | undefined {
  const [x, y, z] = ["x", "y", "z"].map((axis) => column(def, stem === "" ? axis : `${stem}_${axis}`));
  return x === undefined || y === undefined || z === undefined || Math.min(x, y, z) < 0 ? undefined : [x, y, z];
}

function pose(def: TableDef, stem: string): PoseColumns | undefined {
  const at = three(def, stem);
  const turned = (way: string): Columns3 | undefined => three(def, stem === "" ? way : `${stem}_${way}`);
  return at === undefined ? undefined : { at, forward: turned("forward"), up: turned("up") };
}

function players(def: TableDef): PlayerColumns | undefined {
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
  const [name = -1, team = -1, possession = -1, blocking = -1, stunned = -1] = [
    "name",
    "team",
    "possession",
    "blocking",
    "stunned",
  ].map((name) => column(def, name));
  return { def, key, name, team, possession, blocking, stunned, parts: { head, body, left_hand, right_hand } };
}

function disc(recording: Recording): DiscColumns | undefined {
  const def = recording.tables.find((def) => def.lane === "state" && def.name === "disc");
  const at = def === undefined ? undefined : pose(def, "");
  return def === undefined || at === undefined ? undefined : { def, pose: at, velocity: three(def, "velocity") };
}

function bones(recording: Recording, key: string): BoneColumns | undefined {
  const def = recording.tables.find((def) => def.lane === "state" && hasAll(def, [key, "bone", "x", "y", "z"]));
  const at = def === undefined ? undefined : three(def, "");
  return def === undefined || at === undefined || def.rows === 0
    ? undefined
    : { def, player: column(def, key), bone: column(def, "bone"), at };
}

export function arenaColumns(recording: Recording): ArenaColumns | undefined {
  for (const def of recording.tables) {
    const found = players(def);
    if (found !== undefined) {
      const of = def.columns[found.key]?.name ?? "";
      const game = fact(recording, "game");
      return {
        players: found,
        disc: disc(recording),
        bones: bones(recording, of),
        court: game === undefined || game === "arena",
      };
    }
  }
  return undefined;
}
