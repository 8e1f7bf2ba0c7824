// One of the recordings that are shown: its stage and its panels.

import { Follower, type FollowerEvents } from "../play/follower.js";
import type { Loader } from "../play/loader.js";
import { el } from "./dom.js";
import { NowPanel } from "./tableview.js";
import { Moments } from "./moments.js";
import { facts } from "./panels.js";
import { Plots } from "./plots.js";
import { Theatre } from "./theatre.js";

export const TABS = ["moments", "now", "plots", "facts"] as const;
export type Tab = (typeof TABS)[number];

/** The requests of a recording to the page around it. */
export interface Stand {
  redraw(): void;
  /** The picture of a stage has changed: camera, choices. */
  saved(): void;
  /** Goes to a moment of this recording. */
  go(at: number): void;
  /** The panel of plots is to be shown. */
  plots(): void;
  /** A connection has begun; the first packets were recorded a while ago. */
  began(): void;
  /** More of the recording has come. */
  grown(): void;
  /** The description of the recording has changed. */
  changed(): void;
  /** The timeline shows other moments of it. */
  marked(): void;
  /** The reason why nothing more of it comes for now; null when all is well again. */
  trouble(why: string | null): void;
}

/** How often facts that come one by one are written anew, in milliseconds. */
const FACTS = 1000;

export class Side {
  readonly loader: Loader;
  readonly theatre: Theatre;
  readonly follower: Follower | null;
  readonly plots: Plots;
  readonly panels: Readonly<Record<Tab, HTMLElement>>;
  readonly moments: Moments;
  private readonly now: NowPanel;
  private readonly stand: Stand;
  private readonly leaving = new AbortController();
  private facted: number;
  private factedAt = 0;
  private gathering = false;

  constructor(loader: Loader, stand: Stand) {
    this.loader = loader;
    this.stand = stand;
    this.now = new NowPanel(loader, stand.redraw);
    this.plots = new Plots(loader, stand.go, stand.redraw);
    this.moments = new Moments(loader, stand.go, stand.marked);
    this.theatre = new Theatre(loader, {
      redraw: stand.redraw,
      saved: stand.saved,
      plot: (wanted) => {
        this.plots.add(wanted);
        stand.plots();
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
    loader.onChange = () => stand.redraw();
    const events: FollowerEvents = {
      began: () => stand.began(),
      grown: () => this.grown(),
      changed: () => this.changed(),
      trouble: (why) => stand.trouble(why),
    };
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
    this.stand.grown();
  }

  private changed(): void {
    this.tell();
    this.stand.changed();
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
