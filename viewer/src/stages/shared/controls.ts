// Buttons and lists of a stage, and how they look. The page's Content-Security-Policy allows
// no styles but those that a script sets.

import { choice as select, el, pushButton } from "../../dom.js";
import type { Theme } from "../../model.js";
import { type Colours, FONT, colours } from "./canvas.js";

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
export function dress(host: HTMLElement, theme: Theme): Colours {
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

export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  className: string,
  parent: HTMLElement,
  text = "",
): HTMLElementTagNameMap[K] {
  const made = el(name, className === "" ? {} : { class: className });
  made.textContent = text;
  parent.append(made);
  return made;
}

export function button(parent: HTMLElement, text: string, title: string, act: () => void): HTMLButtonElement {
  const made = pushButton({ title }, act, text);
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
  const made = button(parent, text, title, () => change(made.getAttribute("aria-pressed") !== "true"));
  const show = (on: boolean): void => made.setAttribute("aria-pressed", String(on));
  show(on);
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
  const buttons = options.map(
    ([value, text, title]) => [value, button(group, text, title, () => chosen(value))] as const,
  );
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
  const made = select(label, options, "", chosen);
  element("label", "", parent).append(made);
  return made;
}

/** Gives a list other options; the choice stays if it is among them. */
export function fill(select: HTMLSelectElement, options: readonly (readonly [value: string, text: string])[]): void {
  const { value } = select;
  select.replaceChildren(...options.map(([value, text]) => el("option", { value }, text)));
  if (options.some(([of]) => of === value)) {
    select.value = value;
  }
}

/** A label that stays where something is. */
export class FloatingLabel {
  readonly element: HTMLElement;
  private text = "";
  private shown = true;

  constructor(parent: HTMLElement) {
    this.element = element("span", "stage-tag", parent);
  }

  say(text: string): void {
    if (text !== this.text) {
      this.element.textContent = this.text = text;
    }
  }

  show(on: boolean): void {
    if (on !== this.shown) {
      this.shown = on;
      this.element.style.display = on ? "" : "none";
    }
  }

  /** `near`, if it is given, is 1 up close and less far away: nearer labels are larger, and above others. */
  move(x: number, y: number, near?: number, below = false): void {
    const { style } = this.element;
    const place = below ? "translate(-50%, 8px)" : "translate(-50%, -100%)";
    const scale = near === undefined ? "" : ` scale(${near.toFixed(2)})`;
    style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) ${place}${scale}`;
    style.zIndex = near === undefined ? "" : String(Math.round(near * 100));
  }
}
