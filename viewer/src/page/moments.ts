// The panel of moments: findings of the audit, and events.

import { el, pushButton, say } from "../dom.js";
import { grouped, when } from "../format.js";
import type { Loader } from "../play/loader.js";
import type { Marker } from "../source/published.js";
import { saying } from "./marked.js";

const SEVERITIES = ["error", "warning", "info"] as const;
/** Lines of the list; it says how many more are on the timeline. */
const MOST_LISTED = 2000;
/** A table with more than one event in so many steps has no pins at first: they would hide those of other tables. */
const RARE = 8;

type MomentLine = Pick<Marker, "kind" | "source" | "text" | "moment">;

/** A list that writes only as many lines as there is room for. */
class MomentList {
  readonly element = el("ul");
  private readonly rest = el("p", { class: "quiet" });
  private readonly line: (of: MomentLine) => HTMLElement;
  private written: readonly unknown[] = [];

  constructor(line: (of: MomentLine) => HTMLElement) {
    this.line = line;
  }

  get parts(): HTMLElement[] {
    return [this.element, this.rest];
  }

  /** Lines that are written already stay: a live recording adds a few at a time. */
  show<T>(all: readonly T[], lineOf: (one: T) => MomentLine): void {
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
    say(this.rest, `and ${grouped(left)} more, on the timeline`);
  }
}

export class Moments {
  readonly element = el("div", { class: "moments" });
  private readonly loader: Loader;
  private readonly changed: () => void;
  private readonly found = el("h3");
  private readonly nothing = el("p", { class: "quiet" });
  private readonly findings: MomentList;
  private readonly happened = el("h3");
  private readonly tables = el("div", { class: "sources", role: "group", "aria-label": "Events on the timeline" });
  private readonly lacking = el("p", { class: "quiet" });
  private readonly events: MomentList;
  /** The tables that the user has put on the timeline, or taken off it. */
  private readonly chosen = new Map<string, boolean>();
  /** The number of events of each table. */
  private readonly counts = new Map<string, number>();
  private offered = "";

  /** `go` goes to a moment; `changed` is called when the timeline shows other tables. */
  constructor(loader: Loader, go: (at: number) => void, changed: () => void) {
    this.loader = loader;
    this.changed = changed;
    const line = ({ kind, source, text, moment }: MomentLine): HTMLElement => {
      const inside = [
        el("span", { class: `mark ${kind}`, role: "img", "aria-label": kind }),
        el("span", { class: "time" }, moment === null ? "whole" : when(moment, loader.tables.times)),
        el("span", { class: "what" }, text, " ", el("code", {}, source)),
      ];
      const attributes = { class: "moment" };
      const whole = moment === null;
      return el(
        "li",
        {},
        whole ? el("div", attributes, ...inside) : pushButton(attributes, () => go(loader.atOf(moment)), ...inside),
      );
    };
    this.findings = new MomentList(line);
    this.events = new MomentList(line);
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
    return (this.counts.get(source) ?? 0) * RARE <= steps;
  }

  /** Writes the current list. */
  show(): void {
    const { published } = this.loader;
    const findings = [...published.findings].sort(
      (a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity),
    );
    say(this.found, `Findings (${grouped(findings.length)})`);
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
    const all = [...this.counts.values()].reduce((sum, count) => sum + count, 0);
    this.happened.hidden = all === 0;
    say(this.happened, `Events (${grouped(all)})`);
    this.offer();
    this.events.show(events, (marker) => ({ ...marker, text: saying(marker) }));
  }

  private count(): void {
    const { counts } = this;
    counts.clear();
    for (const { kind, source, count } of this.loader.published.markers) {
      if (kind === "event") {
        counts.set(source, (counts.get(source) ?? 0) + count);
      }
    }
    // Earlier versions did not count events, and published no markers for tables with many of them.
    const { described, live } = this.loader.published;
    const lacking = described.tables.flatMap(({ def: { name, lane, rows } }) => {
      return lane === "events" && rows > 0 && !counts.has(name) ? [`${name} (${grouped(rows)})`] : [];
    });
    this.lacking.hidden = live || lacking.length === 0;
    say(this.lacking, `Without markers, for they were published by an earlier version: ${lacking.join(", ")}.`);
  }

  /** The switches that put a table on the timeline, or take it off. */
  private offer(): void {
    const buttons = [...this.counts].map(([source, count]) => [source, grouped(count), this.isOn(source)] as const);
    const offered = JSON.stringify(buttons);
    this.tables.hidden = buttons.length === 0;
    if (offered === this.offered) {
      return;
    }
    this.offered = offered;
    const focused = [...this.tables.children].findIndex((one) => one === document.activeElement);
    this.tables.replaceChildren(
      ...buttons.map(([source, count, on]) => {
        const title = on ? `Take ${source} off the timeline` : `Put ${source} on the timeline, one by one`;
        const turn = (): void => {
          this.chosen.set(source, !on);
          this.show();
          this.changed();
        };
        const number = el("span", { class: "quiet" }, count);
        return pushButton({ class: "text", "aria-pressed": String(on), title }, turn, `${source} `, number);
      }),
    );
    (this.tables.children[focused] as HTMLElement | undefined)?.focus();
  }
}
