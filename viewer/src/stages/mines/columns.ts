// Finds the tables and columns that the board of Minesweeper is drawn from, and what the names of squares in them mean.

import type { Recording } from "../../model.js";
import { column, findTable } from "../shared/tables.js";

export type BoardColumns = NonNullable<ReturnType<typeof boardColumns>>;

/**
 * The board's table and the cursor's, where the recording has both; the columns of the recorded squares and of those
 * that the rules give, -1 where there is none; and the number of the board's key that goes across.
 */
export function boardColumns(recording: Recording) {
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
  return { board, recorded, rules, across, cursor };
}

type SquareLook = "closed" | "pressed" | "flag" | "question" | "pressed-question" | "open" | "blast" | "unknown";

export interface Face {
  readonly look: SquareLook;
  /** For open squares the number of mines around; -1 where it is not recorded. */
  readonly number: number;
}

const UNKNOWN: Face = { look: "unknown", number: -1 };

const NAMED: readonly (readonly [name: string, look: SquareLook, number: number])[] = [
  ["closed", "closed", -1],
  ["pressed", "pressed", -1],
  ["flag", "flag", -1],
  ["qm", "question", -1],
  ["pressed_qm", "pressed-question", -1],
  ["open", "open", -1],
  ["open_blast", "blast", -1],
  ...Array.from({ length: 9 }, (_, number) => [`open_${number}`, "open", number] as const),
];

/** Every face there is: the picture of a square is at the place of its face. */
export const FACES: readonly Face[] = [...NAMED.map(([, look, number]) => ({ look, number })), UNKNOWN];

const PLACES = new Map(NAMED.map(([name], place) => [name, place]));

/** The place of a name among the faces; of one that is not known, the last. */
export function place(name: unknown): number {
  return (typeof name === "string" ? PLACES.get(name) : undefined) ?? FACES.length - 1;
}

/** The face of a square, in words. */
export function words(name: unknown): string {
  const face = FACES[place(name)] ?? UNKNOWN;
  switch (face.look) {
    case "open":
      return face.number < 0 ? "open" : face.number === 0 ? "open, no mine around" : `open, ${face.number}`;
    case "blast":
      return "the mine that went off";
    case "question":
      return "a question mark";
    case "pressed-question":
      return "a question mark, pressed";
    case "flag":
      return "a flag";
    case "unknown":
      return name === null || name === undefined ? "nothing" : String(name);
    default:
      return face.look;
  }
}

/** Whether the recording and the rules differ in a square. Where one of them says nothing, they do not. */
export function differ(recorded: unknown, rules: unknown): boolean {
  return typeof recorded === "string" && typeof rules === "string" && recorded !== rules;
}
