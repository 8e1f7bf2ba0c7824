// The panel of moments: findings of the audit, and events.

import type { Loader } from "../play/loader.js";
import type { Marker } from "../source/published.js";
import { el, say } from "./dom.js";
import { when } from "./format.js";
import { saying } from "./marked.js";

const SEVERITIES = ["error", "warning", "info"] as const;
/** Lines of the list; it says how many more are on the timeline. */
const MOST_LISTED = 2000;
/** A table with more than one event in so many steps has no pins at first: they would hide those of other tables. */
const RARE = 8;

type Line = Pick<Marker, "kind" | "source" | "text" | "moment">;

/** A list that writes only as many lines as there is room for. */
class List {
  readonly element = el("ul");
  private readonly rest = el("p", { class: "quiet" });
  private readonly line: (of: Line) => HTMLElement;
  private written: readonly unknown[] = [];

  constructor(line: (of: Line) => HTMLElement) {
    this.line = line;
  }

  get parts(): HTMLElement[] {
    return [this.element, this.rest];
  }

  /** Lines that are written already stay: a live recording adds a few at a time. */
  show<T>(all: readonly T[], lineOf: (one: T) => Line): void {
    const listed = all.slice(0, MOST_LISTED);
    let same = 0;
    while (same < listed.length && listed[same] === this.written[same]) {
      same += 1;
    }
    while (this.element.childElementCount > same) {
      this.element.lastElementChild!.remove();
    }
    this.element.append(...listed.slice(same).map((one) => this.line(lineOf(one))));
    this.written = listed;
    const left = all.length - listed.length;
    this.rest.hidden = left === 0;
    say(this.rest, `and ${left.toLocaleString("en")} more, on the timeline`);
  }
}

/** A table of events, and how many it has. */
interface Happening {
  readonly source: string;
  readonly count: number;
}

export class Moments {
  readonly element = el("div", { class: "moments" });
  private readonly loader: Loader;
  private readonly changed: () => void;
  private readonly found = el("h3");
  private readonly nothing = el("p", { class: "quiet" });
  private readonly findings: List;
  private readonly happened = el("h3");
  private readonly tables = el("div", { class: "sources", role: "group", "aria-label": "Events on the timeline" });
  private readonly lacking = el("p", { class: "quiet" });
  private readonly events: List;
  /** The tables that the user has put on the timeline, or taken off it. */
  private readonly chosen = new Map<string, boolean>();
  private counts: readonly Happening[] = [];
  private offered = "";

  /** `go` goes to a moment; `changed` is called when the timeline shows other tables. */
  constructor(loader: Loader, go: (at: number) => void, changed: () => void) {
    this.loader = loader;
    this.changed = changed;
    const line = ({ kind, source, text, moment }: Line): HTMLElement => {
      const inside = [
        el("span", { class: `mark ${kind}`, role: "img", "aria-label": kind }),
        el("span", { class: "time" }, moment === null ? "whole" : when(moment, loader.tables.times)),
        el("span", { class: "what" }, text, " ", el("code", {}, source)),
      ];
      if (moment === null) {
        return el("li", {}, el("div", { class: "moment" }, ...inside));
      }
      const made = el("button", { type: "button", class: "moment" }, ...inside);
      made.addEventListener("click", () => go(loader.atOf(moment)));
      return el("li", {}, made);
    };
    this.findings = new List(line);
    this.events = new List(line);
    this.element.append(
      this.found,
      this.nothing,
      ...this.findings.parts,
      this.happened,
      this.tables,
      this.lacking,
      ...this.events.parts,
    );
    this.show();
  }

  /** Whether the events of a table have pins, and are in the list. */
  pinned({ kind, source }: Marker): boolean {
    return kind !== "event" || this.isOn(source);
  }

  private isOn(source: string): boolean {
    const chosen = this.chosen.get(source);
    if (chosen !== undefined) {
      return chosen;
    }
    const { infos } = this.loader;
    const steps = (infos.at(-1)?.to.step ?? 0) - (infos[0]?.from.step ?? 0);
    return (this.counts.find((of) => of.source === source)?.count ?? 0) * RARE <= steps;
  }

  /** Writes the current list. */
  show(): void {
    const { published } = this.loader;
    const findings = [...published.findings].sort(
      (a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity),
    );
    say(this.found, `Findings (${findings.length.toLocaleString("en")})`);
    this.nothing.hidden = findings.length > 0;
    say(
      this.nothing,
      published.live ? "The audit comes when the recording has ended." : "The audit found nothing.",
    );
    this.findings.show(findings, ({ severity, code, message, moment }) => {
      return { kind: severity, source: code, text: message, moment };
    });
    this.count();
    const events = published.markers.filter((marker) => marker.kind === "event" && this.pinned(marker));
    const all = this.counts.reduce((sum, { count }) => sum + count, 0);
    this.happened.hidden = all === 0;
    say(this.happened, `Events (${all.toLocaleString("en")})`);
    this.offer();
    this.events.show(events, (marker) => ({ ...marker, text: saying(marker) }));
  }

  private count(): void {
    const counts = new Map<string, number>();
    for (const { kind, source, count } of this.loader.published.markers) {
      if (kind === "event") {
        counts.set(source, (counts.get(source) ?? 0) + count);
      }
    }
    this.counts = [...counts].map(([source, count]) => ({ source, count }));
    // Earlier versions did not count events, and published no markers for tables with many of them.
    const { described, live } = this.loader.published;
    const lacking = described.tables.flatMap(({ def: { name, lane, rows } }) => {
      return lane === "events" && rows > 0 && !counts.has(name) ? [`${name} (${rows.toLocaleString("en")})`] : [];
    });
    this.lacking.hidden = live || lacking.length === 0;
    say(this.lacking, `Without markers, for they were published by an earlier version: ${lacking.join(", ")}.`);
  }

  /** The switches that put a table on the timeline, or take it off. */
  private offer(): void {
    const buttons = this.counts.map(({ source, count }) => [source, count.toLocaleString("en"), this.isOn(source)]);
    const offered = JSON.stringify(buttons);
    this.tables.hidden = buttons.length === 0;
    if (offered === this.offered) {
      return;
    }
    this.offered = offered;
    const focused = [...this.tables.children].findIndex((one) => one === document.activeElement);
    this.tables.replaceChildren(
      ...this.counts.map(({ source, count }) => {
        const on = this.isOn(source);
        const title = on ? `Take ${source} off the timeline` : `Put ${source} on the timeline, one by one`;
        const made = el("button", { type: "button", class: "text", "aria-pressed": String(on), title });
        made.append(`${source} `, el("span", { class: "quiet" }, count.toLocaleString("en")));
        made.addEventListener("click", () => {
          this.chosen.set(source, !on);
          this.show();
          this.changed();
        });
        return made;
      }),
    );
    (this.tables.children[focused] as HTMLElement | undefined)?.focus();
  }
}
