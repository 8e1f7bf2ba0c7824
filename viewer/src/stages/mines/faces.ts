// The faces of squares: the names that tables use, and how each is drawn.

export type Look = "closed" | "pressed" | "flag" | "question" | "pressed-question" | "open" | "blast" | "unknown";

export interface Face {
  readonly look: Look;
  /** For open squares the number of mines around; -1 where it is not recorded. */
  readonly number: number;
}

const NAMED: Readonly<Record<string, Face>> = {
  closed: { look: "closed", number: -1 },
  pressed: { look: "pressed", number: -1 },
  flag: { look: "flag", number: -1 },
  qm: { look: "question", number: -1 },
  pressed_qm: { look: "pressed-question", number: -1 },
  open: { look: "open", number: -1 },
  open_blast: { look: "blast", number: -1 },
};
const NUMBERS: readonly Face[] = Array.from({ length: 9 }, (_, number) => ({ look: "open", number }));
const UNKNOWN: Face = { look: "unknown", number: -1 };

/** Every face there is, in an order that never changes: a square's picture is at its place in it. */
export const FACES: readonly Face[] = [...Object.values(NAMED), ...NUMBERS, UNKNOWN];

const PLACES = new Map<string, number>([
  ...Object.keys(NAMED).map((name, place) => [name, place] as const),
  ...NUMBERS.map((_, number) => [`open_${number}`, Object.keys(NAMED).length + number] as const),
]);

/** The place of a name among the faces; of one that is not known, the last. */
export function place(name: unknown): number {
  return (typeof name === "string" ? PLACES.get(name) : undefined) ?? FACES.length - 1;
}

/** Whether a square is neither opened nor marked; a square that is pressed counts as closed. */
export function untouched(name: unknown): boolean {
  const look = FACES[place(name)]?.look;
  return look === "closed" || look === "pressed";
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
export function parts(recorded: unknown, rules: unknown): boolean {
  return typeof recorded === "string" && typeof rules === "string" && recorded !== rules;
}
