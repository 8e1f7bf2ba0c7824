// The panel that says what holds now, of any table.

import type { Frame, TableDef } from "../model.js";
import type { Loader } from "../play/loader.js";
import { choice, el } from "./dom.js";
import { TableView } from "./tableview.js";

export class NowPanel {
  readonly element = el("div", { class: "nowpanel" });
  private view: TableView | null = null;

  constructor({ tables }: Loader, redraw: () => void) {
    const offered = tables.tables.filter(({ lane, rows }) => (lane === "state" || lane === "grid") && rows > 0);
    const first = offered[0];
    if (first === undefined) {
      this.element.append(el("p", { class: "quiet" }, "No table of this recording says what holds."));
      return;
    }
    const show = (def: TableDef): void => {
      this.view?.element.remove();
      this.view = new TableView(def);
      this.element.append(this.view.element);
    };
    const pick = choice("Table", offered.map(({ name }) => [name, name] as const), first.name, (name) => {
      show(offered.find((def) => def.name === name)!);
      redraw();
    });
    this.element.append(el("div", { class: "row" }, pick));
    show(first);
  }

  show(frame: Frame): void {
    this.view?.show(frame);
  }
}
