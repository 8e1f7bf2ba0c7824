// The list of stages. Each stage says itself which tables suit it, and its code is loaded when it is chosen.

import type { Recording, StageDef } from "../model.js";
import { arenaColumns } from "./arena/columns.js";
import { layers } from "./entities/columns.js";
import { fields } from "./field/columns.js";
import { boardColumns } from "./mines/columns.js";
import { tableStage } from "./table.js";

export const mines: StageDef = {
  id: "board",
  title: "Board",
  suits: (recording) => (boardColumns(recording) === undefined ? 0 : 100),
  load: async () => new (await import("./mines/board.js")).Board(),
};

export const arena: StageDef = {
  id: "arena",
  title: "Arena",
  suits: (recording) => (arenaColumns(recording) === undefined ? 0 : 100),
  load: async () => new (await import("./arena/arena.js")).Arena(),
};

export const field: StageDef = {
  id: "field",
  title: "Field",
  suits: (recording) => (fields(recording).length > 0 ? 80 : 0),
  load: async () => new (await import("./field/field.js")).Field(),
};

export const entities: StageDef = {
  id: "entities",
  title: "Entities",
  suits: (recording) => (layers(recording).length > 0 ? 40 : 0),
  load: async () => new (await import("./entities/entities.js")).Entities(),
};

export const stages: readonly StageDef[] = [mines, arena, field, entities, tableStage];

/** The stages that suit a recording, the best first; stages that suit equally well, in the order of the list. */
export function suitable(recording: Recording, from: readonly StageDef[] = stages): StageDef[] {
  return from
    .map((stage) => ({ stage, suits: stage.suits(recording) }))
    .filter(({ suits }) => suits > 0)
    .sort((a, b) => b.suits - a.suits)
    .map(({ stage }) => stage);
}
