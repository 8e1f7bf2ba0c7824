// Buttons and lists of a stage, and how they look. Styles are set by script alone, as the page's
// Content-Security-Policy wants it.

import { type Colours, FONT, colours } from "./theme.js";

const RULES = `
.stage-host { width: 100%; height: 100%; overflow: hidden; display: flex; flex-direction: column;
  color: var(--stage-ink); background: var(--stage-back); font: 13px/1.35 ${FONT}; }
.stage-host .stage-bar [hidden] { display: none; }
.stage-body { position: relative; flex: 1 1 auto; min-height: 0; min-width: 0; overflow: hidden; }
.stage-canvas { position: absolute; inset: 0; width: 100%; height: 100%; display: block; touch-action: none; }
.stage-canvas:focus-visible { outline: 2px solid var(--stage-accent); outline-offset: -2px; }
.stage-bar { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 10px; padding: 6px 10px;
  background: var(--stage-panel); border-bottom: 1px solid var(--stage-line); flex: none; }
.stage-bar label { display: inline-flex; align-items: center; gap: 5px; color: var(--stage-faint); }
.stage-bar button, .stage-bar select, .stage-bar input[type=number] { font: inherit; color: var(--stage-ink);
  background: var(--stage-back); border: 1px solid var(--stage-line); border-radius: 6px; padding: 3px 9px;
  min-height: 28px; box-sizing: border-box; max-width: 100%; }
.stage-bar button { cursor: pointer; }
.stage-bar button:hover, .stage-bar select:hover { border-color: var(--stage-faint); }
.stage-bar button[aria-pressed=true] { background: var(--stage-accent); border-color: var(--stage-accent);
  color: var(--stage-on-accent); }
.stage-bar :focus-visible { outline: 2px solid var(--stage-accent); outline-offset: 1px; }
.stage-bar input[type=range] { accent-color: var(--stage-accent); width: 110px; }
.stage-bar input[type=number] { width: 84px; }
.stage-bar input[type=checkbox] { accent-color: var(--stage-accent); }
.stage-group { display: inline-flex; }
.stage-group button { border-radius: 0; margin-left: -1px; }
.stage-group button:first-child { border-radius: 6px 0 0 6px; margin-left: 0; }
.stage-group button:last-child { border-radius: 0 6px 6px 0; }
.stage-status { display: flex; gap: 14px; flex: none; height: 26px; align-items: center; padding: 0 10px;
  background: var(--stage-panel); border-top: 1px solid var(--stage-line); font-size: 12.5px; }
.stage-status > * { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; min-width: 0; }
.stage-status > :last-child { flex: 1 0 auto; max-width: 100%; }
.stage-status > :empty { display: none; }
.stage-note { color: var(--stage-faint); font-variant-numeric: tabular-nums; }
.stage-overlay { position: absolute; inset: 0; pointer-events: none; overflow: hidden; }
.stage-tag { position: absolute; left: 0; top: 0; white-space: nowrap; font-size: 12px; line-height: 1.25;
  padding: 1px 6px; border-radius: 4px; color: #fff; transform-origin: 50% 100%; }
.stage-score { position: absolute; z-index: 200; top: 8px; left: 50%; transform: translateX(-50%); display: flex;
  align-items: stretch; border-radius: 8px; overflow: hidden; font-weight: 600; font-variant-numeric: tabular-nums;
  box-shadow: 0 1px 6px #0005; background: var(--stage-panel); }
.stage-score > span { padding: 4px 12px; display: flex; align-items: center; white-space: nowrap; }
@media (max-width: 480px) {
  .stage-bar { gap: 5px 6px; padding: 5px 6px; flex-wrap: nowrap; overflow-x: auto; scrollbar-width: none; }
  .stage-bar > * { flex: none; }
  .stage-bar.stage-wrap { flex-wrap: wrap; overflow: visible; }
  .stage-bar button, .stage-bar select { padding: 3px 7px; min-height: 32px; }
  .stage-tag { font-size: 11px; padding: 0 4px; }
}
`;

let sheet: CSSStyleSheet | undefined;

/** Gives an element the styles of a stage, and the colours of a theme. */
export function dress(host: HTMLElement, theme: "dark" | "light"): Colours {
  if (sheet === undefined) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(RULES);
    document.adoptedStyleSheets.push(sheet);
  }
  host.classList.add("stage-host");
  const set = colours(theme);
  for (const [name, colour] of Object.entries(set) as [string, string][]) {
    host.style.setProperty(`--stage-${name}`, colour);
  }
  host.style.setProperty("--stage-on-accent", theme === "dark" ? "#07121f" : "#ffffff");
  return set;
}

/** Takes them away again. */
export function undress(host: HTMLElement): void {
  host.replaceChildren();
  host.classList.remove("stage-host");
  for (const name of [...Object.keys(colours("dark")), "on-accent"]) {
    host.style.removeProperty(`--stage-${name}`);
  }
}

export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  className: string,
  parent: HTMLElement,
  text = "",
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  if (className !== "") {
    made.className = className;
  }
  made.textContent = text;
  parent.append(made);
  return made;
}

/** A button that is on or off. */
export function toggle(
  parent: HTMLElement,
  text: string,
  title: string,
  on: boolean,
  change: (on: boolean) => void,
): (on: boolean) => void {
  const button = element("button", "", parent, text);
  button.type = "button";
  button.title = title;
  const show = (on: boolean): void => button.setAttribute("aria-pressed", String(on));
  show(on);
  button.addEventListener("click", () => change(button.getAttribute("aria-pressed") !== "true"));
  return show;
}

/** A row of buttons, one of them chosen. */
export function choice<T extends string>(
  parent: HTMLElement,
  label: string,
  options: readonly (readonly [value: T, text: string, title: string])[],
  chosen: (value: T) => void,
): (value: T) => void {
  const group = element("span", "stage-group", parent);
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", label);
  const buttons = options.map(([value, text, title]) => {
    const button = element("button", "", group, text);
    button.type = "button";
    button.title = title;
    button.addEventListener("click", () => chosen(value));
    return [value, button] as const;
  });
  return (value) => {
    for (const [of, button] of buttons) {
      button.setAttribute("aria-pressed", String(of === value));
    }
  };
}

/** A list, one entry of it chosen. */
export function list(
  parent: HTMLElement,
  label: string,
  options: readonly (readonly [value: string, text: string])[],
  chosen: (value: string) => void,
): HTMLSelectElement {
  const holder = element("label", "", parent);
  const select = document.createElement("select");
  select.setAttribute("aria-label", label);
  select.title = label;
  fill(select, options);
  select.addEventListener("change", () => chosen(select.value));
  holder.append(select);
  return select;
}

/** Gives a list other options; the choice stays if it is among them. */
export function fill(select: HTMLSelectElement, options: readonly (readonly [value: string, text: string])[]): void {
  const { value } = select;
  select.replaceChildren(
    ...options.map(([value, text]) => {
      const option = document.createElement("option");
      option.value = value;
      option.textContent = text;
      return option;
    }),
  );
  if (options.some(([of]) => of === value)) {
    select.value = value;
  }
}
