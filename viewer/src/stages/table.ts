// The stage for recordings that have no other: the current state as tables.

import type { Recording, Stage, StageDef, Stageplay, TableDef, View } from "../model.js";
import { el } from "../page/dom.js";
import { TableView, current } from "../page/tableview.js";

/** While it plays, texts change no faster than one can read. */
const PAUSE = 100;

class Tables implements Stage {
  private readonly tabs = el("div", { class: "tabs", role: "tablist", "aria-label": "Tables" });
  private host: HTMLElement | null = null;
  private recording: Recording | null = null;
  private page: Stageplay | null = null;
  private table: TableDef | null = null;
  private view: TableView | null = null;
  private drawn = 0;

  mount(host: HTMLElement, recording: Recording, page: Stageplay): void {
    this.host = el("div", { class: "tablestage" });
    this.recording = recording;
    this.page = page;
    this.host.append(this.tabs);
    host.append(this.host);
    const first = current(recording)[0];
    if (first !== undefined) {
      this.choose(first);
    }
  }

  private choose(table: TableDef): void {
    this.table = table;
    this.view?.element.remove();
    this.view = new TableView(table);
    this.drawn = 0;
    this.tabs.replaceChildren(
      ...current(this.recording!).map((one) => {
        const tab = el(
          "button",
          { type: "button", role: "tab", "aria-selected": String(one === table), title: one.doc },
          one.name,
        );
        tab.addEventListener("click", () => {
          this.choose(one);
          this.page?.saved();
          this.page?.redraw();
        });
        return tab;
      }),
    );
    this.host!.append(this.view.element);
  }

  draw(view: View): void {
    const now = performance.now();
    if (view.playing && now - this.drawn < PAUSE) {
      return;
    }
    this.drawn = now;
    this.view?.show(view.before);
  }

  resize(): void {
    this.drawn = 0;
    this.page?.redraw();
  }

  describe(view: View): string {
    const { table } = this;
    if (table === null) {
      return "No table of this recording has a current state.";
    }
    const rows = view.before.rows(table.name);
    return rows === undefined
      ? `The grid ${table.name}.`
      : `The table ${table.name}, with ${rows.length} ${rows.length === 1 ? "row" : "rows"}.`;
  }

  save(): string {
    return this.table?.name ?? "";
  }

  restore(saved: string): void {
    const table = current(this.recording!).find(({ name }) => name === saved);
    if (table !== undefined) {
      this.choose(table);
    }
  }

  dispose(): void {
    this.host?.remove();
  }
}

export const tableStage: StageDef = {
  id: "table",
  title: "Tables",
  // Every other stage that suits is better.
  suits: () => 0.01,
  load: () => Promise.resolve(new Tables()),
};
