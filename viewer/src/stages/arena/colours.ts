// Colours of the arena, by team and theme.

export interface ArenaColours {
  readonly back: number;
  readonly wall: number;
  readonly wallOpacity: number;
  readonly line: number;
  readonly floor: number;
}

const DARK: ArenaColours = { back: 0x0b0f16, wall: 0x5f7d9c, wallOpacity: 0.05, line: 0x34475c, floor: 0x22303f };
const LIGHT: ArenaColours = { back: 0xe9eef4, wall: 0x7d95ad, wallOpacity: 0.12, line: 0xa9b9ca, floor: 0xc6d2de };

export function arenaColours(theme: "dark" | "light"): ArenaColours {
  return theme === "dark" ? DARK : LIGHT;
}

const TEAMS: Readonly<Record<string, number>> = { blue: 0x2f8dff, orange: 0xff8420 };

export function teamColour(team: string): number {
  return TEAMS[team] ?? 0x9aa5b1;
}

/** Behind white letters. */
const TAGS: Readonly<Record<string, string>> = { blue: "#1562c8", orange: "#b95300" };

export function tagColour(team: string): string {
  return TAGS[team] ?? "#56616e";
}

export function hex(colour: number): string {
  return `#${colour.toString(16).padStart(6, "0")}`;
}
