// A field of cells as a heat map: which recordings it suits, and which tables are fields.

import type { Recording, StageDef, TableDef } from "../../model.js";
import { numeric } from "../../tables/components.js";

/** The grids that can be drawn. */
export function fields(recording: Recording): TableDef[] {
  return recording.tables.filter(
    (def) =>
      def.lane === "grid" && def.shape.length > 0 && def.shape.every((cells) => cells > 0) && numeric(def).length > 0,
  );
}

/** The field to begin with: the liveliest of those with one value a cell. */
export function liveliest(all: readonly TableDef[]): TableDef | undefined {
  const single = all.filter((def) => numeric(def).length === 1);
  return [...(single.length > 0 ? single : all)].sort((a, b) => b.rows - a.rows)[0];
}

export const field: StageDef = {
  id: "field",
  title: "Field",
  suits: (recording) => (fields(recording).length > 0 ? 80 : 0),
  load: async () => new (await import("./field.js")).Field(),
};
