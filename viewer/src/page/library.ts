// The library: the list of all recordings.

import type { Entry } from "../source/published.js";
import { badge, el, say } from "./dom.js";
import { clock } from "./format.js";
import { formatAddress } from "./address.js";

/** The text that a search looks into. */
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

/** A list with a search. */
interface Searched {
  readonly parts: HTMLElement[];
  /** The recordings have changed. */
  show(entries: readonly Entry[]): void;
}

/** A search field, the number of recordings found, and their list. */
function searched(entries: readonly Entry[], make: (entry: Entry) => HTMLElement): Searched {
  const search = el("input", {
    type: "search",
    placeholder: "Search names, formats, facts",
    "aria-label": "Search the library",
    autocomplete: "off",
  });
  const count = el("p", { class: "quiet", role: "status" });
  const list = el("ul", { class: "cards" });
  let all = entries;
  // Unchanged cards stay in the page, because the user may be about to choose one.
  let made = new Map<string, { readonly text: string; readonly item: HTMLElement }>();
  const show = (): void => {
    const these = found(all, search.value);
    const number = `${all.length} ${all.length === 1 ? "recording" : "recordings"}`;
    say(count, these.length === all.length ? number : `${these.length} of ${number}`);
    const items = new Map<string, { readonly text: string; readonly item: HTMLElement }>();
    for (const entry of these) {
      const text = card(entry)
        .map(({ textContent }) => textContent)
        .join("\n");
      const old = made.get(entry.id);
      items.set(entry.id, old?.text === text ? old : { text, item: el("li", {}, make(entry)) });
    }
    made = items;
    const wanted = [...items.values()].map(({ item }) => item);
    if (wanted.length !== list.childElementCount || wanted.some((item, at) => list.children[at] !== item)) {
      const focused = document.activeElement;
      list.replaceChildren(...wanted);
      if (focused instanceof HTMLElement && focused.isConnected) {
        focused.focus();
      }
    }
  };
  search.addEventListener("input", show);
  show();
  return {
    parts: [search, count, list],
    show: (entries) => {
      all = entries;
      show();
    },
  };
}

/** The list of all recordings. */
export interface Library {
  readonly element: HTMLElement;
  show(entries: readonly Entry[]): void;
}

/** The list of all recordings, with a search. */
export function library(entries: readonly Entry[]): Library {
  const link = (entry: Entry): HTMLElement => {
    const to = { recording: entry.id, at: null, stage: null, saved: null, beside: null, loop: null };
    return el("a", { href: formatAddress(to) }, ...card(entry));
  };
  const { parts, show } = searched(entries, link);
  return { element: el("main", { class: "library" }, el("h1", {}, "Recordings"), ...parts), show };
}

/** The same list to choose from: recordings with the most tables in common come first. */
export function chooser(
  entries: readonly Entry[],
  beside: Entry | undefined,
  choose: (entry: Entry) => void,
): HTMLElement[] {
  const common = ({ tables }: Entry): number => tables.filter((name) => beside?.tables.includes(name) === true).length;
  const others = entries.filter((entry) => entry !== beside).sort((a, b) => common(b) - common(a));
  const choosing = (entry: Entry): HTMLElement => {
    const made = el("button", { type: "button" }, ...card(entry));
    made.addEventListener("click", () => choose(entry));
    return made;
  };
  return searched(others, choosing).parts;
}
