// The stages there are. A stage says itself which tables suit it.

import type { Recording, StageDef } from "../model.js";
import { arena } from "./arena/index.js";
import { entities } from "./entities/index.js";
import { field } from "./field/index.js";
import { mines } from "./mines/index.js";
import { tableStage } from "./table.js";

export const stages: readonly StageDef[] = [mines, arena, field, entities, tableStage];

/** The stages that suit a recording, the best first; among equals, in the order of the list. */
export function suitable(recording: Recording, from: readonly StageDef[] = stages): StageDef[] {
  return from
    .map((stage) => ({ stage, suits: stage.suits(recording) }))
    .filter(({ suits }) => suits > 0)
    .sort((a, b) => b.suits - a.suits)
    .map(({ stage }) => stage);
}
