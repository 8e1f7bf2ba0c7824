// The line above a recording: its name, format and verdict, and buttons for the whole page.

import type { StageDef } from "../model.js";
import type { Published } from "../source/published.js";
import { badge, button, choice, el } from "./dom.js";
import { switchTheme } from "./theme.js";

/** The actions of its buttons. */
export interface HeadActs {
  /** Null where there is no library to choose from. */
  readonly library: (() => void) | null;
  copyLink(): void;
  beside(): void;
  panel(): void;
  help(): void;
  stage(id: string): void;
}

export class Head {
  readonly element: HTMLElement;
  private readonly name = el("h1");
  private readonly about = el("span", { class: "about" });
  private readonly picker = el("span", { class: "picker" });
  private readonly acts: HeadActs;

  constructor(acts: HeadActs) {
    this.acts = acts;
    this.element = el(
      "header",
      { class: "top" },
      ...(acts.library === null ? [] : [button("library", "The library", "L", acts.library)]),
      this.name,
      this.about,
      el("span", { class: "space" }),
      this.picker,
      button("link", "Copy a link to this moment", "C", () => acts.copyLink()),
      button("beside", "Another recording beside this one", "B", () => acts.beside()),
      button("panel", "Panel on or off", "M", () => acts.panel()),
      button("theme", "Dark or light", "T", switchTheme),
      button("help", "Keys", "?", () => acts.help()),
    );
  }

  /** Shows what is known about the recording. */
  of({ name, format, verdict, summary, live }: Published): void {
    this.name.textContent = this.name.title = name;
    this.about.replaceChildren(
      el("span", { class: "format" }, format),
      ...(live ? [] : badge(verdict, summary)),
      ...(live ? [el("span", { class: "live" }, "live")] : []),
    );
  }

  /** Offers these stages, with one of them chosen. */
  stages(all: readonly StageDef[], chosen: string): void {
    const options = all.map(({ id, title }) => [id, title] as const);
    const pick = choice("Stage", options, chosen, (id) => {
      this.acts.stage(id);
      pick.blur();
    });
    pick.hidden = options.length < 2;
    this.picker.replaceChildren(pick);
  }
}
