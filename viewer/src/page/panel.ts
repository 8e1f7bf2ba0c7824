// The panel beside the stage: its tabs, and the choice of the recording that it shows.

import { el } from "./dom.js";
import { type Side, TABS, type Tab } from "./side.js";

const NAMES: Readonly<Record<Tab, string>> = {
  moments: "Moments",
  now: "Current state",
  plots: "Plots",
  facts: "Facts",
};

export class Panel {
  readonly element = el("aside", { class: "panel", "aria-label": "Panel" });
  tab: Tab = "moments";
  private readonly bodies = new Map<Tab, HTMLElement>();
  private readonly tabs = new Map<Tab, HTMLElement>();
  private readonly switch = el("div", { class: "sides", role: "group", "aria-label": "Recording", hidden: true });
  private sides: readonly Side[] = [];
  private chosen = 0;
  private readonly changed: () => void;

  constructor(changed: () => void) {
    this.changed = changed;
    const tabs = el("div", { class: "tabs", role: "tablist", "aria-label": "Panels" });
    for (const tab of TABS) {
      const made = el(
        "button",
        { type: "button", role: "tab", id: `tab-${tab}`, "aria-controls": `panel-${tab}` },
        NAMES[tab],
      );
      made.addEventListener("click", () => this.show(tab));
      tabs.append(made);
      this.tabs.set(tab, made);
      this.bodies.set(tab, el("div", { id: `panel-${tab}`, role: "tabpanel", "aria-labelledby": `tab-${tab}` }));
    }
    this.element.append(this.switch, tabs, ...this.bodies.values());
  }

  /** Shows these recordings, one at a time. */
  of(sides: readonly Side[]): void {
    this.sides = sides;
    this.switch.hidden = sides.length < 2;
    const buttons = sides.map((side, at) => {
      const made = el("button", { type: "button", title: side.loader.published.name }, side.loader.published.name);
      made.addEventListener("click", () => this.choose(at));
      return made;
    });
    this.switch.replaceChildren(...buttons);
    this.choose(Math.min(this.chosen, sides.length - 1));
  }

  /** Shows the other recording. */
  turn(): void {
    this.choose((this.chosen + 1) % this.sides.length);
  }

  get side(): Side | undefined {
    return this.sides[this.chosen];
  }

  private choose(at: number): void {
    this.chosen = at;
    [...this.switch.children].forEach((button, of) => button.setAttribute("aria-pressed", String(of === at)));
    for (const [tab, body] of this.bodies) {
      body.replaceChildren(...(this.side === undefined ? [] : [this.side.panels[tab]]));
    }
    this.changed();
  }

  show(tab: Tab): void {
    this.tab = tab;
    for (const other of TABS) {
      this.bodies.get(other)!.hidden = other !== tab;
      this.tabs.get(other)!.setAttribute("aria-selected", String(other === tab));
    }
    this.changed();
  }
}
