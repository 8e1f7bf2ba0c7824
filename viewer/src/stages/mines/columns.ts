// Finds the tables and columns that the board of Minesweeper is drawn from.

import type { Recording, TableDef } from "../../model.js";
import { column, findTable } from "../shared/tables.js";

/** The tables and columns that the board is drawn from. */
export interface BoardColumns {
  readonly board: TableDef;
  /** The columns of the recorded squares, and of those that the rules give; -1 where there is none. */
  readonly recorded: number;
  readonly rules: number;
  /** The key that counts the columns of squares. */
  readonly across: 0 | 1;
  readonly cursor: TableDef;
}

/** The board's table and the cursor's, where the recording has both. */
export function boardColumns(recording: Recording): BoardColumns | undefined {
  const board = recording.tables.find((def) => def.lane === "grid" && def.name === "board");
  const cursor = findTable(recording, "state", ["x", "y"], "cursor");
  const keys = board?.columns.filter((column) => column.key).map((column) => column.name);
  if (board === undefined || cursor === undefined || keys?.length !== 2 || board.shape.length !== 2) {
    return undefined;
  }
  const text = (name: string): number =>
    board.columns[column(board, name)]?.kind === "text" ? column(board, name) : -1;
  const [recorded, rules] = [text("recorded"), text("rules")];
  const across = keys.indexOf("col");
  if (Math.max(recorded, rules) < 0 || across < 0 || !keys.includes("row")) {
    return undefined;
  }
  return { board, recorded, rules, across: across === 0 ? 0 : 1, cursor };
}
