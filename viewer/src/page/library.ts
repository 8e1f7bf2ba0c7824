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
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return entries.filter((entry) => {
    const text = haystack(entry);
    return words.every((word) => text.includes(word));
  });
}

function length({ durationMs, steps }: Entry): string {
  const parts = [
    durationMs === null ? "" : clock(durationMs, 0),
    steps === null ? "" : `${steps.toLocaleString("en")} steps`,
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

function card(entry: Entry): HTMLElement[] {
  return [
    el("span", { class: "name" }, entry.name),
    el("span", { class: "quiet" }, length(entry)),
    el(
      "span",
      { class: "badges" },
      el("span", { class: "format" }, entry.format),
      ...badge(entry.verdict),
      ...(entry.live ? [el("span", { class: "live" }, "live")] : []),
    ),
  ];
}

/** A search, how many it finds, and those. */
function searched(entries: readonly Entry[], make: (entry: Entry) => HTMLElement): HTMLElement[] {
  const search = el("input", {
    type: "search",
    placeholder: "Search names, formats, facts",
    "aria-label": "Search the library",
    autocomplete: "off",
  });
  const count = el("p", { class: "quiet", role: "status" });
  const list = el("ul", { class: "cards" });
  const show = (): void => {
    const these = found(entries, search.value);
    say(
      count,
      these.length === entries.length
        ? `${entries.length} recordings`
        : `${these.length} of ${entries.length} recordings`,
    );
    list.replaceChildren(...these.map((entry) => el("li", {}, make(entry))));
  };
  search.addEventListener("input", show);
  show();
  return [search, count, list];
}

/** The list of all recordings, with a search. */
export function library(entries: readonly Entry[]): HTMLElement {
  const link = (entry: Entry): HTMLElement => {
    const to = { recording: entry.id, at: null, stage: null, saved: null, beside: null, loop: null };
    return el("a", { href: formatAddress(to) }, ...card(entry));
  };
  return el("main", { class: "library" }, el("h1", {}, "Recordings"), ...searched(entries, link));
}

/** The same to choose from: those with the most tables in common with one come first. */
export function chooser(
  entries: readonly Entry[],
  beside: Entry | undefined,
  choose: (entry: Entry) => void,
): HTMLElement[] {
  const common = ({ tables }: Entry): number => tables.filter((name) => beside?.tables.includes(name) === true).length;
  const others = entries.filter((entry) => entry !== beside).sort((a, b) => common(b) - common(a));
  return searched(others, (entry) => {
    const made = el("button", { type: "button" }, ...card(entry));
    made.addEventListener("click", () => choose(entry));
    return made;
  });
}
