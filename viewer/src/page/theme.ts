// Dark and light: as the system says, until the user chooses.

export type Theme = "dark" | "light";

const KEY = "gametape-theme";
const listeners = new Set<(theme: Theme) => void>();
const dark = matchMedia("(prefers-color-scheme: dark)");
let chosen: Theme | null = null;

export const reducedMotion = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

export function theme(): Theme {
  return chosen ?? (dark.matches ? "dark" : "light");
}

function apply(): void {
  document.documentElement.dataset["theme"] = theme();
  for (const listener of listeners) {
    listener(theme());
  }
}

/** Changes dark to light, and light to dark. */
export function switchTheme(): void {
  chosen = theme() === "dark" ? "light" : "dark";
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // The choice lasts until the page is closed.
  }
  apply();
}

export function onTheme(listener: (theme: Theme) => void): void {
  listeners.add(listener);
}

export function offTheme(listener: (theme: Theme) => void): void {
  listeners.delete(listener);
}

export function startTheme(): void {
  try {
    const kept = localStorage.getItem(KEY);
    chosen = kept === "dark" || kept === "light" ? kept : null;
  } catch {
    chosen = null;
  }
  dark.addEventListener("change", apply);
  apply();
}
