// Colours of the stages, dark and light.

export interface Colours {
  /** The background of everything. */
  readonly back: string;
  /** The background of panels above it. */
  readonly panel: string;
  readonly line: string;
  readonly grid: string;
  readonly ink: string;
  readonly faint: string;
  readonly accent: string;
  readonly wrong: string;
}

const DARK: Colours = {
  back: "#0e1116",
  panel: "#171c24",
  line: "#2c3542",
  grid: "#1d2530",
  ink: "#e7ecf3",
  faint: "#94a1b3",
  accent: "#5aa9ff",
  wrong: "#ff4fa3",
};

const LIGHT: Colours = {
  back: "#f4f6f9",
  panel: "#ffffff",
  line: "#c9d1dc",
  grid: "#e1e6ed",
  ink: "#18202b",
  faint: "#5b6878",
  accent: "#0b66d0",
  wrong: "#d4006f",
};

export function colours(theme: "dark" | "light"): Colours {
  return theme === "dark" ? DARK : LIGHT;
}

/** Colours to tell things apart by, readable on both backgrounds. */
export const DISTINCT: readonly string[] = [
  "#4c9be8",
  "#f2913d",
  "#4fb477",
  "#d65db1",
  "#b59a00",
  "#8b7bea",
  "#e0605e",
  "#2aa9b8",
];

export const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
