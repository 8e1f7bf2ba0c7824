// Elements and colours. Text of recordings comes in by `textContent` alone: it is never markup.

import { obtain } from "./lists.js";
import type { Theme } from "./model.js";

type Attributes = Readonly<Record<string, string | number | boolean | null>>;

/** An element with these attributes and children; texts are text. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) {
      made.setAttribute(name, "");
    } else if (value !== false && value !== null) {
      made.setAttribute(name, String(value));
    }
  }
  made.append(...children);
  return made;
}

const PATHS = {
  play: "M7 4.5v15l12-7.5z",
  pause: "M6.5 5h4v14h-4zM13.5 5h4v14h-4z",
  back: "M17 5.5v13L8.5 12zM5.5 5.5h2.4v13H5.5z",
  forth: "M7 5.5v13l8.5-6.5zM16.1 5.5h2.4v13h-2.4z",
  loop: "M17 2.8 21.2 7 17 11.2V8.2H8A3.8 3.8 0 0 0 4.2 12H2A6 6 0 0 1 8 5.8h9zM7 21.2 2.8 17 7 12.8v3h9a3.8 3.8 0 0 0 3.8-3.8H22a6 6 0 0 1-6 6.2H7z",
  smooth: "M2 16c4 0 5-9 10-9s6 9 10 9v2.2C16 18.2 16 9.2 12 9.2S8 18.2 2 18.2z",
  link: "M10.6 13.4a4 4 0 0 1 0-5.7l3-3a4 4 0 0 1 5.7 5.7l-1.5 1.5-1.5-1.5 1.5-1.5a1.9 1.9 0 0 0-2.7-2.7l-3 3a1.9 1.9 0 0 0 0 2.7zm2.8-2.8a4 4 0 0 1 0 5.7l-3 3a4 4 0 0 1-5.7-5.7l1.5-1.5 1.5 1.5-1.5 1.5a1.9 1.9 0 0 0 2.7 2.7l3-3a1.9 1.9 0 0 0 0-2.7z",
  beside: "M3 5h8v14H3zm2 2v10h4V7zm8-2h8v14h-8zm2 2v10h4V7z",
  theme: "M12 3a9 9 0 1 0 0 18zm0 0a9 9 0 0 1 0 18v-2a7 7 0 0 0 0-14z",
  help: "M11 17h2.2v2.2H11zM12 4a5 5 0 0 0-5 5h2.2A2.8 2.8 0 1 1 12 11.8c-.6 0-1 .5-1 1V15h2.2v-1.2A5 5 0 0 0 12 4z",
  panel: "M3 5h18v14H3zm2 2v10h8V7zm10 0v10h4V7z",
  library: "M4 5h4v14H4zm6 0h4v14h-4zm5.5.6 3.8-1 3.4 13.4-3.9 1z",
  close: "M6.4 5 12 10.6 17.6 5 19 6.4 13.4 12l5.6 5.6-1.4 1.4L12 13.4 6.4 19 5 17.6 10.6 12 5 6.4z",
  plus: "M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z",
} as const;

type IconName = keyof typeof PATHS;

const SVG = "http://www.w3.org/2000/svg";

/** A picture on a button; the button's label says what it means. */
function icon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

/** A button with these attributes, what it does, and its children. */
export function pushButton(
  attributes: Attributes,
  act: () => void,
  ...children: readonly (Node | string)[]
): HTMLButtonElement {
  const made = el("button", { type: "button", ...attributes }, ...children);
  made.addEventListener("click", act);
  return made;
}

/** A button with a picture, a name, and the key that does the same. */
export function button(name: IconName, title: string, key: string, act: () => void): HTMLButtonElement {
  const spoken = key === "" ? title : `${title} (${key})`;
  return pushButton({ class: "icon", title: spoken, "aria-label": title }, act, icon(name));
}

/** Changes the picture of a button. */
export function setIcon(of: HTMLButtonElement, name: IconName, title: string, key: string): void {
  if (of.dataset["icon"] !== name) {
    of.dataset["icon"] = name;
    of.replaceChildren(icon(name));
    of.setAttribute("aria-label", title);
    of.title = `${title} (${key})`;
  }
}

/** Sets the text of an element, unless it is the same. */
export function say(of: Element, text: string): void {
  if (of.textContent !== text) {
    of.textContent = text;
  }
}

const colours = new Map<string, string>();
let coloursOf = "";

/** A colour of the page's style sheet. */
export function colour(name: string): string {
  const theme = document.documentElement.dataset["theme"] ?? "";
  if (theme !== coloursOf) {
    colours.clear();
    coloursOf = theme;
  }
  const styles = (): CSSStyleDeclaration => getComputedStyle(document.documentElement);
  return obtain(colours, name, () => styles().getPropertyValue(name).trim());
}

/** The verdict of the audit, in a word; empty where there was no audit. */
export function badge(verdict: string | null, title: string | null = null): HTMLElement[] {
  return verdict === null ? [] : [el("span", { class: `verdict ${verdict}`, title }, verdict)];
}

/** A choice among texts. */
export function choice(
  label: string,
  options: readonly (readonly [value: string, text: string])[],
  chosen: string,
  act: (value: string) => void,
): HTMLSelectElement {
  const made = el("select", { "aria-label": label, title: label });
  for (const [value, text] of options) {
    made.append(el("option", { value, selected: value === chosen }, text));
  }
  made.addEventListener("change", () => act(made.value));
  return made;
}

/** A window in front of the page; closed by Escape. */
export function dialog(title: string, ...content: Node[]): HTMLDialogElement {
  const made = el("dialog", { "aria-label": title });
  made.append(
    el(
      "header",
      {},
      el("h2", {}, title),
      button("close", "Close", "Esc", () => made.close()),
    ),
    el("div", { class: "inside" }, ...content),
  );
  made.addEventListener("click", (event) => {
    if (event.target === made) {
      made.close();
    }
  });
  made.addEventListener("close", () => made.remove());
  document.body.append(made);
  made.showModal();
  return made;
}

// Dark and light: as the system says, until the user chooses.

const KEY = "gametape-theme";
const listeners = new Set<(theme: Theme) => void>();
let chosen: Theme | null = null;

const dark = (): MediaQueryList => matchMedia("(prefers-color-scheme: dark)");

export const reducedMotion = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

export function theme(): Theme {
  return chosen ?? (dark().matches ? "dark" : "light");
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
  dark().addEventListener("change", apply);
  apply();
}
