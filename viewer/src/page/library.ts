// The library: which recordings there are.

import type { Entry } from "../source/published.js";
import { badge, el, say } from "./dom.js";
import { clock } from "./format.js";
import { formatAddress } from "./address.js";

/** What a search looks into. */
function haystack({ name, format, verdict, tables, details }: Entry): string {
  return `${name} ${format} ${verdict ?? ""} ${tables.join(" ")} ${JSON.stringify(details)}`.toLowerCase();
}

/** The entries that have all words of a search. */
export function found(entries: readonly Entry[], search: string): Entry[] {
  const words = search.toLowerCase().split(/\s+/).filter((word) => word !== "");
  return entries.filter((entry) => {
    const text = haystack(entry);
    return words.every((word) => text.includes(word));
  });
}

function length({ durationMs, steps }: Entry): string {
  const parts = [durationMs === null ? "" : clock(durationMs, 0), steps === null ? "" : `${steps.toLocaleString("en")} steps`];
  return parts.filter((part) => part !== "").join(" · ");
}

export function card(entry: Entry): HTMLElement[] {
  return [
    el("span", { class: "name" }, entry.name),
    el("span", { class: "quiet" }, length(entry)),
    el("span", { class: "badges" }, el("span", { class: "format" }, entry.format), ...badge(entry.verdict), ...(entry.live ? [el("span", { class: "live" }, "live")] : [])),
  ];
}

/** The list of all recordings, with a search. */
export function library(entries: readonly Entry[]): HTMLElement {
  const search = el("input", { type: "search", placeholder: "Search names, formats, facts", "aria-label": "Search the library", autocomplete: "off" });
  const count = el("p", { class: "quiet", role: "status" });
  const list = el("ul", { class: "cards" });
  const show = (): void => {
    const these = found(entries, search.value);
    say(count, these.length === entries.length ? `${entries.length} recordings` : `${these.length} of ${entries.length} recordings`);
    list.replaceChildren(
      ...these.map((entry) => {
        const to = { recording: entry.id, at: null, stage: null, saved: null, beside: null, loop: null };
        return el("li", {}, el("a", { href: formatAddress(to) }, ...card(entry)));
      }),
    );
  };
  search.addEventListener("input", show);
  show();
  return el("main", { class: "library" }, el("h1", {}, "Recordings"), search, count, list);
}
