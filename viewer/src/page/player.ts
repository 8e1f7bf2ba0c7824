// The page of a recording: everything around the stage, and what moves it.

import type { Stretch } from "../play/playhead.js";
import { Playhead } from "../play/playhead.js";
import type { Loader } from "../play/loader.js";
import type { Address } from "./address.js";
import { badge, button, choice, el, say } from "./dom.js";
import { help } from "./help.js";
import { act } from "./keys.js";
import { NowPanel } from "./now.js";
import { factsPanel, momentsPanel } from "./panels.js";
import { Plots } from "./plots.js";
import { Theatre } from "./theatre.js";
import { type Theme, offTheme, onTheme, reducedMotion, switchTheme } from "./theme.js";
import { Timeline, type Track } from "./timeline.js";
import { Transport } from "./transport.js";

/** How often panels of text follow while it plays. */
const PANELS = 120;
/** How long nothing may change before the address says where one is. */
const SETTLED = 400;

const TABS = ["moments", "now", "plots", "facts"] as const;
type Tab = (typeof TABS)[number];
const TAB_NAMES: Readonly<Record<Tab, string>> = { moments: "Moments", now: "What holds", plots: "Plots", facts: "Facts" };

/** How often a recording that is being written is asked for more, in milliseconds. */
const FOLLOWS = 1500;

/** What the page around it does. */
export interface Around {
  /** The address is to say this. */
  address(of: Omit<Address, "recording" | "beside">): void;
  /** Asks which recording is to be seen beside this one, or puts it away. */
  beside(): void;
  /** Shows the library; null where there is none to choose from. */
  readonly library: (() => void) | null;
  copyLink(of: Omit<Address, "recording" | "beside">): void;
}

export class Player {
  readonly element = el("div", { class: "player" });
  readonly playhead: Playhead;
  readonly theatre: Theatre;
  interpolate = !reducedMotion();
  private other: Theatre | null = null;
  private readonly loader: Loader;
  private readonly around: Around;
  private readonly timeline: Timeline;
  private readonly transport: Transport;
  private readonly now: NowPanel;
  private readonly plots: Plots;
  private readonly panel = el("aside", { class: "panel", "aria-label": "Panel" });
  private readonly bodies: Readonly<Record<Tab, HTMLElement>>;
  private readonly stagesRow = el("div", { class: "stages" });
  private readonly alert = el("p", { class: "alert", role: "alert", hidden: true });
  private readonly spoken = el("p", { class: "spoken", role: "status", "aria-live": "polite" });
  private readonly picker = el("span", { class: "picker" });
  private tab: Tab = "moments";
  private frame = 0;
  private last = 0;
  private panelsAt = 0;
  private settling = 0;
  private following = 0;
  private gone = false;
  private readonly themed = (_: Theme): void => {
    this.timeline.draw();
    this.plots.themed();
  };
  private readonly pressed = (event: KeyboardEvent): void => {
    const typing = event.target instanceof HTMLElement && event.target.matches("input, select, textarea");
    if (event.ctrlKey || event.metaKey || event.altKey || typing || document.querySelector("dialog[open]") !== null) {
      return;
    }
    const onButton = event.target instanceof HTMLElement && event.target.matches("button, a") && [" ", "Enter"].includes(event.key);
    if (!onButton && (act(this, event) || (this.theatre.stage?.key?.(event) ?? false))) {
      event.preventDefault();
    }
  };

  constructor(loader: Loader, around: Around) {
    this.loader = loader;
    this.around = around;
    const { tables, published } = loader;
    this.playhead = new Playhead(loader.from, loader.to, tables.times);
    const redraw = (): void => this.redraw();
    this.theatre = new Theatre(loader, redraw, () => this.settle());
    const go = (at: number): void => this.seek(at);
    this.timeline = new Timeline(this.track(), go);
    this.playhead.live = published.live;
    this.transport = new Transport(this.playhead, {
      toggle: () => this.toggle(),
      step: (by) => this.step(by),
      loop: () => this.toggleLoop(),
      smooth: () => this.toggleSmooth(),
      changed: redraw,
    });
    this.now = new NowPanel(loader, redraw);
    this.plots = new Plots(loader, go);
    this.bodies = {
      moments: momentsPanel(loader, go, (moment) => loader.atOf(moment)),
      now: this.now.element,
      plots: this.plots.element,
      facts: factsPanel(loader),
    };
    loader.onChange = () => {
      this.tellProblems();
      this.redraw();
    };
    this.build();
    this.tellProblems();
    document.addEventListener("keydown", this.pressed);
    onTheme(this.themed);
  }

  private build(): void {
    const { published } = this.loader;
    const library = this.around.library;
    const name = el("h1", { title: published.name }, published.name);
    const head = el(
      "header",
      { class: "top" },
      ...(library === null ? [] : [button("library", "The library", "L", library)]),
      name,
      el("span", { class: "format" }, published.format),
      ...badge(published.verdict, published.summary),
      ...(published.live ? [el("span", { class: "live" }, "live")] : []),
      el("span", { class: "space" }),
      this.picker,
      button("link", "Copy a link to this moment", "C", () => this.copyLink()),
      button("beside", "Another recording beside this one", "B", () => this.around.beside()),
      button("panel", "Panel on or off", "M", () => this.togglePanel()),
      button("theme", "Dark or light", "T", switchTheme),
      button("help", "Keys", "?", () => this.help()),
    );
    this.stagesRow.append(this.theatre.element);
    const tabs = el("div", { class: "tabs", role: "tablist", "aria-label": "Panels" });
    for (const tab of TABS) {
      const made = el("button", { type: "button", role: "tab", id: `tab-${tab}`, "aria-controls": `panel-${tab}` }, TAB_NAMES[tab]);
      made.addEventListener("click", () => this.showTab(tab));
      tabs.append(made);
      const body = this.bodies[tab];
      body.id = `panel-${tab}`;
      body.setAttribute("role", "tabpanel");
      body.setAttribute("aria-labelledby", `tab-${tab}`);
    }
    this.panel.append(tabs, ...TABS.map((tab) => this.bodies[tab]));
    const bottom = el("footer", { class: "bottom" }, this.timeline.element, this.transport.element);
    this.element.append(head, this.alert, el("main", { class: "middle" }, this.stagesRow, this.panel), bottom, this.spoken);
    this.showTab("moments");
  }

  /** Begins where a link says. */
  async start(address: Address): Promise<void> {
    const { theatre, playhead } = this;
    playhead.seek(address.at ?? this.loader.from);
    playhead.loop = address.loop;
    if (address.loop !== null && address.at === null) {
      playhead.seek(address.loop.from);
    }
    if (this.playhead.live && address.at === null) {
      // Who comes to see something live wants to see what is happening now.
      playhead.seek(this.loader.to);
      playhead.play();
    }
    if (playhead.live && this.following === 0) {
      this.following = window.setTimeout(() => void this.follow(), FOLLOWS);
    }
    const stage = theatre.stages.find(({ id }) => id === address.stage) ?? theatre.chosen;
    await this.chooseStage(stage.id, address.stage === stage.id ? address.saved : null);
  }

  /** Asks again and again for what has come, as long as the recording is being written. */
  private async follow(): Promise<void> {
    const { loader, playhead, timeline } = this;
    try {
      if (await loader.refresh()) {
        playhead.to = loader.to;
        playhead.live = loader.published.live;
        timeline.change(this.track());
        this.redraw();
      }
    } catch (error) {
      this.alert.hidden = false;
      say(this.alert, `Nothing more comes of this recording for now: ${error instanceof Error ? error.message : String(error)}.`);
    }
    if (loader.published.live && !this.gone) {
      this.following = window.setTimeout(() => void this.follow(), FOLLOWS);
    }
  }

  private track(): Track {
    const { loader } = this;
    // What happened in the recording beside it lies on the same clock.
    const markers = [loader, this.other?.loader ?? null].flatMap((one) => {
      return (one?.published.markers ?? []).flatMap((marker) => {
        return marker.moment === null ? [] : [{ at: one!.atOf(marker.moment) - one!.from + loader.from, marker }];
      });
    });
    return { from: loader.from, to: loader.to, times: this.times, markers, loaded: () => loader.loaded() };
  }

  /** Puts up another stage. */
  async chooseStage(id: string, saved: string | null = null): Promise<void> {
    const { theatre } = this;
    const def = theatre.stages.find((stage) => stage.id === id);
    if (def === undefined) {
      return;
    }
    const options = theatre.stages.map((stage) => [stage.id, stage.title] as const);
    const pick = choice("Stage", options, def.id, (chosen) => {
      void this.chooseStage(chosen);
      pick.blur();
    });
    pick.hidden = options.length < 2;
    this.picker.replaceChildren(pick);
    const chosen = [theatre.choose(def, saved)];
    // Side by side one compares like with like.
    const same = this.other?.stages.find((stage) => stage.id === id);
    if (this.other !== null && same !== undefined) {
      chosen.push(this.other.choose(same, saved));
    }
    await Promise.all(chosen);
    this.settle();
  }

  /** Puts another recording beside this one, on the same clock; null takes it away. */
  async beside(loader: Loader | null): Promise<void> {
    this.other?.dispose();
    this.other = null;
    this.theatre.show.other = null;
    this.element.classList.toggle("two", loader !== null);
    this.theatre.element.dataset["name"] = this.loader.published.name;
    if (loader !== null) {
      loader.onChange = () => this.redraw();
      const other = new Theatre(loader, () => this.redraw(), () => this.settle());
      other.element.dataset["name"] = loader.published.name;
      this.other = other;
      this.stagesRow.append(other.element);
      const same = other.stages.find(({ id }) => id === this.theatre.chosen.id) ?? other.chosen;
      await other.choose(same, this.theatre.stage?.save() ?? null);
    }
    this.timeline.change(this.track());
    this.redraw();
  }

  get times(): boolean {
    return this.loader.tables.times;
  }

  get hasLibrary(): boolean {
    return this.around.library !== null;
  }

  toLibrary(): void {
    this.around.library?.();
  }

  toggleBeside(): void {
    this.around.beside();
  }

  seek(at: number): void {
    this.playhead.seek(at);
    this.settle();
    this.redraw();
  }

  toggle(): void {
    if (this.playhead.playing) {
      this.playhead.pause();
    } else {
      this.playhead.play();
    }
    this.settle();
    this.redraw();
  }

  /** A packet back or on. */
  step(by: -1 | 1): void {
    this.playhead.pause();
    const { deck } = this.theatre.show;
    const to = by > 0 ? deck.later() : deck.earlier();
    if (to !== null) {
      this.seek(to);
    }
  }

  /** To the next marker, or the one before. */
  toMarker(by: -1 | 1): void {
    const ats = this.loader.published.markers.flatMap(({ moment }) => (moment === null ? [] : [this.loader.atOf(moment)]));
    const { at } = this.playhead;
    const to = by > 0 ? Math.min(...ats.filter((other) => other > at + 1e-6)) : Math.max(...ats.filter((other) => other < at - 1e-6));
    if (Number.isFinite(to)) {
      this.seek(to);
    }
  }

  setLoop(loop: Stretch | null): void {
    this.playhead.loop = loop !== null && loop.to > loop.from ? loop : null;
    this.settle();
    this.redraw();
  }

  /** A loop of what follows, or none. */
  private toggleLoop(): void {
    const { at, loop, from, to } = this.playhead;
    const length = Math.min(to - from, this.times ? 5000 : 100);
    const begin = Math.min(at, to - length);
    this.setLoop(loop === null ? { from: begin, to: begin + length } : null);
  }

  toggleSmooth(): void {
    this.interpolate = !this.interpolate;
    this.redraw();
  }

  togglePanel(): void {
    this.element.classList.toggle("nopanel");
  }

  help(): void {
    help(this.theatre.chosen.title, this.theatre.stage?.keys ?? []);
  }

  copyLink(): void {
    this.around.copyLink(this.where());
    this.speak(this.playhead.loop === null ? "A link to this moment is copied." : "A link to this clip is copied.");
  }

  /** Says what is to be seen. */
  describe(): void {
    const words = this.theatre.describe();
    if (words !== "") {
      say(this.spoken, words);
    }
  }

  private speak(words: string): void {
    say(this.spoken, words);
    this.spoken.classList.add("shown");
    setTimeout(() => this.spoken.classList.remove("shown"), 1800);
  }

  showTab(tab: Tab): void {
    this.tab = tab;
    for (const other of TABS) {
      this.bodies[other].hidden = other !== tab;
      this.panel.querySelector(`#tab-${other}`)?.setAttribute("aria-selected", String(other === tab));
    }
    this.panelsAt = 0;
    this.redraw();
  }

  private tellProblems(): void {
    const problems = this.loader.problems();
    this.alert.hidden = problems.length === 0;
    const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
    say(this.alert, problems.length === 0 ? "" : `Not all of this recording can be shown: ${problems[0]}${more}`);
  }

  private where(): Omit<Address, "recording" | "beside"> {
    const { theatre, playhead } = this;
    const first = theatre.stages[0]?.id;
    const saved = theatre.stage?.save() ?? "";
    return {
      at: playhead.at,
      loop: playhead.loop,
      stage: theatre.chosen.id === first && saved === "" ? null : theatre.chosen.id,
      saved,
    };
  }

  /** The address says where one is, once nothing has changed for a while. */
  private settle(): void {
    clearTimeout(this.settling);
    this.settling = window.setTimeout(() => {
      if (!this.gone) {
        this.around.address(this.where());
        if (!this.playhead.playing) {
          this.describe();
        }
      }
    }, SETTLED);
  }

  /** Sees to it that the next frame of the screen is drawn. */
  redraw(): void {
    if (this.frame === 0 && !this.gone) {
      this.frame = requestAnimationFrame((now) => this.draw(now));
    }
  }

  private draw(now: number): void {
    this.frame = 0;
    const { playhead, theatre, other, loader } = this;
    const wasPlaying = playhead.playing;
    // While a segment is still to come, the clock waits for it.
    const waiting = wasPlaying && loader.have(loader.indexAt(playhead.at)) === undefined;
    if (!waiting) {
      playhead.elapsed(this.last === 0 ? 0 : now - this.last);
    }
    this.last = playhead.playing ? now : 0;
    theatre.show.interpolate = this.interpolate;
    theatre.show.moveTo(playhead.at, playhead.playing);
    if (other !== null) {
      other.show.interpolate = this.interpolate;
      const at = Math.min(other.loader.to, other.loader.from + playhead.at - loader.from);
      other.show.moveTo(at, playhead.playing);
      theatre.show.other = other.show.ready ? other.show : null;
      other.show.other = theatre.show.ready ? theatre.show : null;
      other.draw();
    }
    theatre.draw();
    this.timeline.show(playhead.at, playhead.loop);
    this.plots.show(playhead.at);
    const before = theatre.show.deck.before;
    const { described } = loader.published;
    const tick = described.ticks && before !== null && before.moment.tick !== null ? ` · tick ${before.moment.tick.toLocaleString("en")}` : "";
    const step = before === null ? "" : `${described.step} ${before.moment.step.toLocaleString("en")}${tick}`;
    this.transport.show(playhead, this.times, step, this.interpolate);
    if (before !== null && (!playhead.playing || now - this.panelsAt > PANELS)) {
      this.panelsAt = now;
      if (this.tab === "now") {
        this.now.show(before);
      } else if (this.tab === "plots") {
        this.plots.offer(before);
      }
    }
    if (playhead.playing) {
      this.redraw();
    } else if (wasPlaying) {
      this.settle();
    }
  }

  dispose(): void {
    this.gone = true;
    cancelAnimationFrame(this.frame);
    clearTimeout(this.settling);
    clearTimeout(this.following);
    document.removeEventListener("keydown", this.pressed);
    offTheme(this.themed);
    this.theatre.dispose();
    this.other?.dispose();
    this.plots.dispose();
    this.element.remove();
  }
}
