// The panel of facts.

import { badge, el } from "../dom.js";
import { grouped, valueText, withUnit } from "../format.js";
import type { Value } from "../model.js";
import type { Loader } from "../play/loader.js";
import type { Json } from "../source/check.js";

const MOST_ROWS = 500;

function words(name: string): string {
  return name.replaceAll("_", " ");
}

/** The format's own JSON about a recording, as names and values. */
function details(json: Json, list: HTMLElement, before = ""): void {
  for (const [name, value] of Object.entries(json)) {
    if (value === null || value === "") {
      continue;
    }
    if (typeof value === "object" && !Array.isArray(value)) {
      details(value as Json, list, `${before}${words(name)}: `);
    } else {
      const text = Array.isArray(value)
        ? value.map((one) => (typeof one === "object" ? JSON.stringify(one) : String(one))).join(", ")
        : String(value);
      list.append(el("dt", {}, `${before}${words(name)}`), el("dd", {}, text));
    }
  }
}

/** The facts: values that are true for the whole recording, as far as they are known. */
export function facts({ published, tables }: Loader): HTMLElement[] {
  const about = el("dl");
  about.append(el("dt", {}, "format"), el("dd", {}, published.format));
  if (published.verdict !== null) {
    about.append(el("dt", {}, "verdict"), el("dd", {}, ...badge(published.verdict), ` ${published.summary}`));
  }
  const panel = el("div", {}, el("h3", {}, published.name), about);
  for (const note of [...published.lost.map(({ text }) => text), ...published.notes]) {
    panel.append(el("p", { class: "quiet" }, note));
  }
  for (const def of tables.tables.filter(({ lane }) => lane === "facts")) {
    const rows = tables.facts(def.name);
    const text = (row: Readonly<Record<string, Value>>, name: string): string =>
      valueText(
        row[name] ?? null,
        def.columns.find((column) => column.name === name)!,
      );
    const columns = def.columns.filter(
      ({ name, notRecorded }) => !notRecorded && rows.some((row) => row[name] !== null && row[name] !== ""),
    );
    if (rows.length === 0 || columns.length === 0) {
      continue;
    }
    panel.append(el("h3", { title: def.doc }, words(def.name)));
    if (rows.length === 1) {
      const list = el("dl");
      for (const { name, unit, doc } of columns) {
        list.append(
          el("dt", { title: doc }, words(name)),
          el("dd", {}, withUnit(text(rows[0]!, name), unit)),
        );
      }
      panel.append(list);
    } else {
      const head = el("tr", {}, ...columns.map(({ name, doc }) => el("th", { scope: "col", title: doc }, words(name))));
      const body = rows
        .slice(0, MOST_ROWS)
        .map((row) => el("tr", {}, ...columns.map(({ name }) => el("td", {}, text(row, name)))));
      panel.append(el("div", { class: "scroll" }, el("table", {}, el("thead", {}, head), el("tbody", {}, ...body))));
      if (rows.length > MOST_ROWS) {
        panel.append(el("p", { class: "quiet" }, `and ${grouped(rows.length - MOST_ROWS)} more rows`));
      }
    }
  }
  const list = el("dl");
  details(published.details, list);
  if (list.childElementCount > 0) {
    panel.append(el("h3", {}, "as the format has it"), list);
  }
  return [...panel.children] as HTMLElement[];
}
