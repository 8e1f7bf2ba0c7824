// The library: the list of all recordings.

import { badge, el, pushButton, say } from "../dom.js";
import { clock, count, grouped, joined } from "../format.js";
import type { Entry } from "../source/published.js";
import { NOWHERE, formatAddress } from "./address.js";

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
  const time = durationMs === null ? "" : clock(durationMs, 0);
  return joined([time, steps === null ? "" : `${grouped(steps)} steps`], " · ");
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

/** A search field, the number of recordings found, and their list. */
class Searched {
  readonly parts: readonly HTMLElement[];
  private readonly search = el("input", {
    type: "search",
    placeholder: "Search names, formats, facts",
    "aria-label": "Search the library",
    autocomplete: "off",
  });
  private readonly count = el("p", { class: "quiet", role: "status" });
  private readonly list = el("ul", { class: "cards" });
  private readonly make: (entry: Entry) => HTMLElement;
  private entries: readonly Entry[] = [];
  private made = new Map<string, { readonly text: string; readonly item: HTMLElement }>();

  constructor(entries: readonly Entry[], make: (entry: Entry) => HTMLElement) {
    this.make = make;
    this.parts = [this.search, this.count, this.list];
    this.search.addEventListener("input", () => this.show(this.entries));
    this.show(entries);
  }

  /** Unchanged cards stay in the page, because the user may be about to choose one. */
  show(entries: readonly Entry[]): void {
    this.entries = entries;
    const these = found(entries, this.search.value);
    const all = count(entries.length, "recording");
    say(this.count, these.length === entries.length ? all : `${these.length} of ${all}`);
    const { made, list } = this;
    this.made = new Map(
      these.map((entry) => {
        const text = card(entry)
          .map(({ textContent }) => textContent)
          .join("\n");
        const old = made.get(entry.id);
        return [entry.id, old?.text === text ? old : { text, item: el("li", {}, this.make(entry)) }];
      }),
    );
    const wanted = [...this.made.values()].map(({ item }) => item);
    if (wanted.length !== list.childElementCount || wanted.some((item, at) => list.children[at] !== item)) {
      const focused = document.activeElement;
      list.replaceChildren(...wanted);
      if (focused instanceof HTMLElement && focused.isConnected) {
        focused.focus();
      }
    }
  }
}

/** The list of all recordings, with a search. */
export class Library {
  readonly element: HTMLElement;
  private readonly searched: Searched;

  constructor(entries: readonly Entry[]) {
    this.searched = new Searched(entries, (entry) =>
      el("a", { href: formatAddress({ ...NOWHERE, recording: entry.id }) }, ...card(entry)),
    );
    this.element = el("main", { class: "library" }, el("h1", {}, "Recordings"), ...this.searched.parts);
  }

  /** The recordings have changed. */
  show(entries: readonly Entry[]): void {
    this.searched.show(entries);
  }
}

/** The same list to choose from: recordings with the most tables in common come first. */
export function chooser(
  entries: readonly Entry[],
  beside: Entry | undefined,
  choose: (entry: Entry) => void,
): readonly HTMLElement[] {
  const common = ({ tables }: Entry): number => tables.filter((name) => beside?.tables.includes(name) === true).length;
  const others = entries.filter((entry) => entry !== beside).sort((a, b) => common(b) - common(a));
  return new Searched(others, (entry) => pushButton({}, () => choose(entry), ...card(entry))).parts;
}
