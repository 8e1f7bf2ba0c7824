// One of the recordings that are shown, with its stage and its panels; and the panel beside the stages, which shows one
// of them.

import { choice, el, pushButton } from "../dom.js";
import type { Frame, TableDef } from "../model.js";
import { Follower, type FollowerEvents } from "../play/follower.js";
import type { Loader } from "../play/loader.js";
import { TableView, current } from "../stages/table.js";
import { facts } from "./facts.js";
import { Moments } from "./moments.js";
import { Plots } from "./plots.js";
import { Theatre } from "./theatre.js";

const NAMES = { moments: "Moments", now: "Current state", plots: "Plots", facts: "Facts" } as const;
type Tab = keyof typeof NAMES;
const TABS = Object.keys(NAMES) as Tab[];

/** The requests of a recording to the page around it. */
interface SideRequests extends FollowerEvents {
  redraw(): void;
  /** The picture of a stage has changed: camera, choices. */
  saved(): void;
  /** Goes to a moment of this recording. */
  go(at: number): void;
  /** The panel of plots is to be shown. */
  plots(): void;
  /** The timeline shows other moments of it. */
  marked(): void;
}

/** The panel that shows the current state of any table. */
class NowPanel {
  readonly element = el("div", { class: "nowpanel" });
  private view: TableView | null = null;

  constructor({ tables }: Loader, redraw: () => void) {
    const offered = current(tables);
    const [first] = offered;
    if (first === undefined) {
      this.element.append(el("p", { class: "quiet" }, "No table of this recording has a current state."));
      return;
    }
    const show = (def: TableDef): void => {
      this.view?.element.remove();
      this.view = new TableView(def);
      this.element.append(this.view.element);
    };
    const names = offered.map(({ name }) => [name, name] as const);
    const pick = choice("Table", names, first.name, (name) => {
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

/** Facts that come one by one are shown at most once in so many milliseconds. */
const FACTS = 1000;

export class Side {
  readonly loader: Loader;
  readonly theatre: Theatre;
  private readonly follower: Follower | null;
  readonly plots: Plots;
  readonly panels: Readonly<Record<Tab, HTMLElement>>;
  readonly moments: Moments;
  private readonly now: NowPanel;
  private readonly requests: SideRequests;
  private readonly leaving = new AbortController();
  private facted: number;
  private factedAt = 0;
  private gathering = false;

  constructor(loader: Loader, requests: SideRequests) {
    this.loader = loader;
    this.requests = requests;
    this.now = new NowPanel(loader, requests.redraw);
    this.plots = new Plots(loader, requests.go, requests.redraw);
    this.moments = new Moments(loader, requests.go, requests.marked);
    this.theatre = new Theatre(loader, {
      redraw: requests.redraw,
      saved: requests.saved,
      plot: (wanted) => {
        this.plots.add(wanted);
        requests.plots();
      },
    });
    this.panels = {
      moments: this.moments.element,
      now: this.now.element,
      plots: this.plots.element,
      facts: el("div", { class: "facts" }),
    };
    this.facted = loader.tables.labels.facted;
    this.tell();
    loader.onChange = () => requests.redraw();
    const events: FollowerEvents = { ...requests, grown: () => this.grown(), changed: () => this.changed() };
    this.follower = loader.published.live ? new Follower(loader, events) : null;
    this.follower?.start();
  }

  private tell(): void {
    this.moments.show();
    this.panels.facts.replaceChildren(...facts(this.loader));
  }

  private grown(): void {
    const { facted } = this.loader.tables.labels;
    const now = performance.now();
    if (facted !== this.facted && now - this.factedAt > FACTS) {
      [this.facted, this.factedAt] = [facted, now];
      this.panels.facts.replaceChildren(...facts(this.loader));
    }
    this.plots.grown();
    this.requests.grown();
  }

  private changed(): void {
    this.tell();
    this.requests.changed();
  }

  /** Updates the panel that is shown. */
  show(tab: Tab): void {
    const { before } = this.theatre.show.deck;
    if (before !== null && tab === "now") {
      this.now.show(before);
    } else if (before !== null && tab === "plots") {
      this.plots.offer(before);
    }
  }

  /** The state at a moment of it may be wanted soon. */
  foresee(at: number): void {
    this.loader.want(this.loader.indexAt(at));
  }

  /** Loads what the next jump may need. */
  gather(at: number): void {
    if (!this.loader.published.live && !this.gathering) {
      this.gathering = true;
      void this.loader.gather(at, this.leaving.signal);
    }
  }

  dispose(): void {
    this.leaving.abort();
    this.loader.onChange = () => {};
    this.follower?.stop();
    this.theatre.dispose();
    this.plots.dispose();
  }
}

export class Panel {
  readonly element = el("aside", { class: "panel", "aria-label": "Panel" });
  tab: Tab = "moments";
  private readonly bodies = new Map<Tab, HTMLElement>();
  private readonly tabs = new Map<Tab, HTMLElement>();
  private readonly switch = el("div", { class: "sides", role: "group", "aria-label": "Recording", hidden: true });
  private sides: readonly Side[] = [];
  private chosen = 0;
  private readonly changed: () => void;

  constructor(changed: () => void) {
    this.changed = changed;
    const tabs = el("div", { class: "tabs", role: "tablist", "aria-label": "Panels" });
    for (const tab of TABS) {
      const attributes = { role: "tab", id: `tab-${tab}`, "aria-controls": `panel-${tab}` };
      const made = pushButton(attributes, () => this.show(tab), NAMES[tab]);
      tabs.append(made);
      this.tabs.set(tab, made);
      this.bodies.set(tab, el("div", { id: `panel-${tab}`, role: "tabpanel", "aria-labelledby": `tab-${tab}` }));
    }
    this.element.append(this.switch, tabs, ...this.bodies.values());
  }

  /** Shows these recordings, one at a time. */
  of(sides: readonly Side[]): void {
    this.sides = sides;
    this.switch.hidden = sides.length < 2;
    const buttons = sides.map(({ loader: { published } }, at) =>
      pushButton({ title: published.name }, () => this.choose(at), published.name),
    );
    this.switch.replaceChildren(...buttons);
    this.choose(Math.min(this.chosen, sides.length - 1));
  }

  /** Shows the other recording. */
  turn(): void {
    this.choose((this.chosen + 1) % this.sides.length);
  }

  get side(): Side | undefined {
    return this.sides[this.chosen];
  }

  private choose(at: number): void {
    this.chosen = at;
    [...this.switch.children].forEach((button, of) => button.setAttribute("aria-pressed", String(of === at)));
    for (const [tab, body] of this.bodies) {
      body.replaceChildren(...(this.side === undefined ? [] : [this.side.panels[tab]]));
    }
    this.changed();
  }

  show(tab: Tab): void {
    this.tab = tab;
    for (const other of TABS) {
      this.bodies.get(other)!.hidden = other !== tab;
      this.tabs.get(other)!.setAttribute("aria-selected", String(other === tab));
    }
    this.changed();
  }
}
