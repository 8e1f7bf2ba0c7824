// The page of a recording: everything around the stage, and the loop that moves it.

import { el, offTheme, onTheme, reducedMotion, say } from "../dom.js";
import { grouped } from "../format.js";
import type { Loader } from "../play/loader.js";
import { Edge, Playhead, type Stretch } from "../play/playhead.js";
import type { Address, Viewpoint } from "./address.js";
import { Head, Transport } from "./bars.js";
import { type Commands, Focus, act, help, reached } from "./keys.js";
import { Panel, Side } from "./side.js";
import type { Theatre } from "./theatre.js";
import { Timeline, type Track } from "./timeline.js";

/** The time between two updates of panels of text while it plays, in milliseconds. */
const PANELS = 120;
/** The moment is written to the address after nothing has changed for so long. */
const SETTLED = 400;
/** As in the style sheet. */
const PHONE = "(max-width: 760px)";
/** A message of the page stays for so long. */
const SPOKEN = 1800;

/** The actions of the page around it. */
interface PageRequests {
  /** Writes this to the address. */
  address(of: Viewpoint): void;
  /** The live recording has ended: another one may begin. */
  ended(): void;
  /** Asks for a recording to show beside this one, or removes it. */
  beside(): void;
  /** Shows the library; null where there is none to choose from. */
  readonly library: (() => void) | null;
  copyLink(of: Viewpoint): void;
}

export class Player implements Commands {
  readonly element = el("div", { class: "player" });
  readonly playhead: Playhead;
  readonly loader: Loader;
  private interpolate = !reducedMotion();
  private readonly main: Side;
  private other: Side | null = null;
  private readonly edge = new Edge();
  private packets = 0;
  private readonly around: PageRequests;
  private readonly head: Head;
  private readonly timeline: Timeline;
  private readonly transport: Transport;
  private readonly panel: Panel;
  private readonly stagesRow = el("div", { class: "stages" });
  private readonly alert = el("p", { class: "alert", role: "alert", hidden: true });
  /** The description of the picture, for users who can't see it; and a message of the page, for everybody. */
  private readonly spoken = el("p", { class: "spoken", role: "status", "aria-live": "polite" });
  private readonly word = el("p", { class: "word", role: "status", "aria-live": "polite" });
  private speaking: ReturnType<typeof setTimeout> | undefined;
  /** The recording that has begun since this one ended. */
  private readonly begun = el("p", { class: "begun", role: "status", hidden: true });
  /** The reason why nothing more comes for now. */
  private trouble: string | null = null;
  private frame = 0;
  private last = 0;
  private panelsAt = 0;
  private settling = 0;
  private gone = false;
  private readonly themed = (): void => {
    this.timeline.draw();
    this.sides.forEach(({ plots }) => plots.themed());
  };
  private readonly focus = new Focus();
  private readonly pressed = (event: KeyboardEvent): void => {
    const others = event.ctrlKey || event.metaKey || event.altKey || this.focus.takes(event);
    if (others || document.querySelector("dialog[open]") !== null) {
      return;
    }
    if (act(this, this.theatre.stage?.keys ?? [], event)) {
      event.preventDefault();
    }
  };

  constructor(loader: Loader, around: PageRequests) {
    this.loader = loader;
    this.around = around;
    const { tables, published } = loader;
    this.playhead = new Playhead(loader.from, loader.to, tables.times);
    this.playhead.live = published.live;
    this.panel = new Panel(() => {
      this.panelsAt = 0;
      this.redraw();
    });
    this.main = this.side(loader, (at) => at);
    this.timeline = new Timeline(this.track(), (at) => this.seek(at));
    this.transport = new Transport(this);
    this.head = new Head(this, around.library !== null);
    this.head.of(published);
    this.stagesRow.append(this.theatre.element);
    this.element.append(
      this.head.element,
      this.alert,
      this.begun,
      el("main", { class: "middle" }, this.stagesRow, this.panel.element),
      el("footer", { class: "bottom" }, this.timeline.element, this.transport.element),
      this.spoken,
      this.word,
    );
    this.panel.of(this.sides);
    this.panel.show("moments");
    this.tellProblems();
    document.addEventListener("keydown", this.pressed);
    onTheme(this.themed);
  }

  /** The recordings that are shown. */
  private get sides(): readonly Side[] {
    return this.other === null ? [this.main] : [this.main, this.other];
  }

  get theatre(): Theatre {
    return this.main.theatre;
  }

  /** A recording with its stage and panels; `here` converts a moment of it to the clock of this page. */
  private side(loader: Loader, here: (at: number) => number): Side {
    return new Side(loader, {
      redraw: () => this.redraw(),
      saved: () => this.settle(),
      go: (at) => this.seek(here(at)),
      plots: () => {
        this.element.classList.remove("nopanel");
        this.panel.show("plots");
      },
      began: () => this.edge.began(performance.now()),
      grown: () => this.grown(),
      changed: () => this.changed(),
      marked: () => this.timeline.change(this.track()),
      trouble: (why) => {
        this.trouble = why;
        this.tellProblems();
      },
    });
  }

  /** Begins at the moment that a link names. */
  async start(address: Address): Promise<void> {
    const { theatre, playhead } = this;
    const loop = this.clipped(address.loop);
    // A clip begins at its start, unless the link names a moment within it.
    const within = loop !== null && address.at !== null && address.at >= loop.from && address.at < loop.to;
    const at = loop === null || within ? address.at : loop.from;
    playhead.seek(at ?? this.loader.from);
    playhead.loop = loop;
    if (playhead.live && at === null) {
      // A live recording begins at its newest moment.
      playhead.follow();
    }
    const stage = theatre.stages.find(({ id }) => id === address.stage) ?? theatre.chosen;
    const saved = address.stage === stage.id ? address.saved : null;
    const up = stage === theatre.chosen ? (theatre.stage?.save() ?? null) : null;
    if (up !== null && (saved ?? up) === up) {
      // The stage is shown already, as the link asks.
      this.settle();
      this.redraw();
      return;
    }
    await this.chooseStage(stage.id, saved);
  }

  /** The part of a clip that is in the recording; more of it may still come. */
  private clipped(loop: Stretch | null): Stretch | null {
    const { from, to, live } = this.playhead;
    if (loop === null || live) {
      return loop;
    }
    const clip = { from: Math.max(from, loop.from), to: Math.min(to, loop.to) };
    if (clip.from < clip.to) {
      return clip;
    }
    this.speak("The clip of this link is not in this recording.");
    return null;
  }

  /** More of a recording has come. */
  private grown(): void {
    const { loader, playhead, timeline } = this;
    const packets = loader.packets;
    if (packets > this.packets) {
      this.edge.heard(loader.to, packets - this.packets, loader.pace, performance.now());
    }
    this.packets = packets;
    [playhead.from, playhead.to] = [loader.from, loader.to];
    timeline.grow(loader.from, loader.to);
    if (playhead.times !== this.times) {
      // It is known only now: nothing was there before.
      playhead.times = this.times;
      timeline.change(this.track());
    }
    this.drawSoon();
  }

  /** The description of a recording has changed; perhaps it has ended. */
  private changed(): void {
    const { loader, playhead } = this;
    this.head.of(loader.published);
    this.timeline.change(this.track());
    if (playhead.live && !loader.published.live) {
      playhead.ended();
      this.speak("The recording has ended.");
      this.around.ended();
    }
    this.redraw();
  }

  /** Another recording has begun, which this link leads to. */
  next(name: string, link: string): void {
    this.begun.hidden = false;
    this.begun.replaceChildren("This recording has ended, and another one has begun: ", el("a", { href: link }, name));
  }

  private track(): Track {
    const { loader } = this;
    // The events of the recording beside it are on the same clock.
    const markers = this.sides.flatMap(({ loader: one, moments }) => {
      return one.published.markers.flatMap((marker) => {
        const { moment } = marker;
        const at = moment === null ? 0 : one.atOf(moment) - one.from + loader.from;
        return moment === null ? [] : [{ at, marker, pinned: moments.pinned(marker) }];
      });
    });
    const foresee = (at: number): void => this.foresee(at);
    return { from: loader.from, to: loader.to, times: this.times, markers, foresee, loaded: () => loader.loaded() };
  }

  /** A moment of this recording on the clock of one that is shown. */
  private there(at: number, { loader }: Side): number {
    return loader === this.loader ? at : at - this.loader.from + loader.from;
  }

  /** The state at a moment may be wanted soon. */
  private foresee(at: number): void {
    this.sides.forEach((side) => side.foresee(this.there(at, side)));
  }

  /** The moments that can be reached from here may be wanted soon. */
  private getReady(): void {
    const { playhead, timeline } = this;
    const { at } = playhead;
    const markers = ([1, -1] as const).map((by) => timeline.markerFrom(at, by)).filter(Number.isFinite);
    [...markers, ...reached(playhead, this.times)].forEach((other) => this.foresee(other));
    this.sides.forEach((side) => side.gather(at));
  }

  /** Shows another stage. */
  async chooseStage(id: string, saved: string | null = null): Promise<void> {
    const { theatre } = this;
    const def = theatre.stages.find((stage) => stage.id === id);
    if (def === undefined) {
      return;
    }
    this.head.stages(theatre.stages, def.id);
    // Side by side one compares like with like.
    const chosen = this.sides.map(({ theatre }) => {
      const same = theatre.stages.find((stage) => stage.id === id);
      return same === undefined ? Promise.resolve() : theatre.choose(same, saved);
    });
    await Promise.all(chosen);
    this.settle();
  }

  /** Shows another recording beside this one, on the same clock; null removes it. */
  async beside(loader: Loader | null): Promise<void> {
    this.other?.dispose();
    this.other = null;
    this.theatre.show.other = null;
    this.element.classList.toggle("two", loader !== null);
    this.theatre.element.dataset["name"] = this.loader.published.name;
    if (loader !== null) {
      // On a phone there is room for two stages, or for one and a panel.
      const { classList } = this.element;
      classList.toggle("nopanel", matchMedia(PHONE).matches || classList.contains("nopanel"));
      const other = this.side(loader, (at) => at - loader.from + this.loader.from);
      const { theatre } = other;
      theatre.element.dataset["name"] = loader.published.name;
      this.other = other;
      this.stagesRow.append(theatre.element);
      const same = theatre.stages.find(({ id }) => id === this.theatre.chosen.id) ?? theatre.chosen;
      await theatre.choose(same, this.theatre.stage?.save() ?? null);
    }
    this.panel.of(this.sides);
    this.timeline.change(this.track());
    this.redraw();
  }

  get times(): boolean {
    return this.loader.tables.times;
  }

  toLibrary(): void {
    this.around.library?.();
  }

  toggleBeside(): void {
    this.around.beside();
  }

  turnPanel(): void {
    this.panel.turn();
  }

  seek(at: number): void {
    this.playhead.seek(at);
    // It begins to come before the next frame of the screen.
    this.foresee(this.playhead.at);
    this.settle();
    this.redraw();
  }

  /** Goes to the end; follows a live recording. */
  toEnd(): void {
    if (this.playhead.live) {
      this.playhead.follow();
      this.settle();
      this.redraw();
    } else {
      this.seek(this.playhead.to);
    }
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

  /** Goes a packet back or forward. */
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
    const to = this.timeline.markerFrom(this.playhead.at, by);
    if (Number.isFinite(to)) {
      this.seek(to);
    }
  }

  setLoop(loop: Stretch | null): void {
    const { playhead } = this;
    playhead.loop = loop !== null && loop.to > loop.from ? loop : null;
    playhead.following &&= playhead.loop === null;
    this.settle();
    this.redraw();
  }

  /** A loop of what follows, or none. */
  toggleLoop(): void {
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
    const { loop } = this.playhead;
    const where = this.where();
    // A clip begins at its start, wherever the playhead is.
    this.around.copyLink(loop === null ? where : { ...where, at: null });
    this.speak(loop === null ? "A link to this moment is copied." : "A link to this clip is copied.");
  }

  /** Describes the picture. */
  describe(): void {
    const [words, beside] = this.sides.map(({ theatre }) => theatre.describe());
    if (words) {
      say(this.spoken, beside ? `${words} Beside it: ${beside}` : words);
    }
  }

  private speak(words: string): void {
    say(this.word, words);
    clearTimeout(this.speaking);
    this.speaking = setTimeout(() => say(this.word, ""), SPOKEN);
  }

  private tellProblems(): void {
    const problems = this.loader.problems();
    const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : "";
    const said =
      problems.length > 0 ? `Not all of this recording can be shown: ${problems[0]}${more}` : (this.trouble ?? "");
    this.alert.hidden = said === "";
    say(this.alert, said);
  }

  private where(): Viewpoint {
    const { theatre, playhead } = this;
    const first = theatre.stages[0]?.id;
    const saved = theatre.stage?.save() ?? "";
    return {
      // A link to a live recording leads to its newest moment.
      at: playhead.following ? null : playhead.at,
      loop: playhead.loop,
      stage: theatre.chosen.id === first && saved === "" ? null : theatre.chosen.id,
      saved,
    };
  }

  /** Writes the moment to the address once nothing has changed for a while. */
  private settle(): void {
    clearTimeout(this.settling);
    this.settling = window.setTimeout(() => {
      if (!this.gone) {
        this.around.address(this.where());
        if (!this.playhead.playing) {
          this.describe();
          this.getReady();
        }
      }
    }, SETTLED);
  }

  /** Has the next frame of the screen drawn, because something was asked for that is not shown yet. */
  redraw(): void {
    if (!this.playhead.playing) {
      this.busy(true);
    }
    this.drawSoon();
  }

  private drawSoon(): void {
    if (this.frame === 0 && !this.gone) {
      this.frame = requestAnimationFrame((now) => this.draw(now));
    }
  }

  /** Whether the picture is not yet of the moment that is asked for. */
  private busy(is: boolean): void {
    const text = String(is);
    if (this.element.getAttribute("aria-busy") !== text) {
      this.element.setAttribute("aria-busy", text);
    }
  }

  /** Moves the playhead by the time since the last frame of the screen. */
  private advance(now: number): void {
    const { playhead, loader } = this;
    const ms = this.last === 0 ? 0 : now - this.last;
    if (playhead.following) {
      const smooth = this.interpolate && this.times;
      playhead.followed(this.edge.onward(playhead.at, loader.to, loader.pace, smooth, now, ms));
    } else if (!playhead.playing || loader.have(loader.indexAt(playhead.at)) !== undefined) {
      // While a segment is still to come, the clock waits for it.
      playhead.elapsed(ms);
    }
    this.last = playhead.playing ? now : 0;
  }

  private draw(now: number): void {
    this.frame = 0;
    const { playhead, theatre, other } = this;
    const wasPlaying = playhead.playing;
    this.advance(now);
    theatre.show.interpolate = this.interpolate;
    const there = theatre.show.moveTo(playhead.at, playhead.playing);
    if (other !== null) {
      this.drawOther(other);
    }
    theatre.draw();
    this.timeline.show(playhead.at, playhead.loop);
    this.main.plots.show(playhead.at);
    this.transport.show(playhead, this.times, this.counted(), this.interpolate);
    const { side } = this.panel;
    if (side?.theatre.show.ready === true && (!playhead.playing || now - this.panelsAt > PANELS)) {
      this.panelsAt = now;
      this.tellProblems();
      side.show(this.panel.tab);
    }
    this.busy(!there || theatre.stage === null);
    if (playhead.playing) {
      this.drawSoon();
    } else if (wasPlaying) {
      this.settle();
    }
  }

  private drawOther(other: Side): void {
    const { loader, theatre, plots } = other;
    theatre.show.interpolate = this.interpolate;
    const at = Math.min(loader.to, this.there(this.playhead.at, other));
    theatre.show.moveTo(at, this.playhead.playing);
    const here = this.theatre.show;
    here.other = theatre.show.ready ? theatre.show : null;
    theatre.show.other = here.ready ? here : null;
    theatre.draw();
    plots.show(at);
  }

  /** The step that is shown, and its tick, with their names. */
  private counted(): string {
    const { described } = this.loader.published;
    const { before } = this.theatre.show.deck;
    if (before === null) {
      return "";
    }
    const { step, tick } = before.moment;
    const ticked = tick !== null ? ` · tick ${grouped(tick)}` : "";
    return `${described.step} ${grouped(step)}${ticked}`;
  }

  dispose(): void {
    this.gone = true;
    cancelAnimationFrame(this.frame);
    clearTimeout(this.settling);
    document.removeEventListener("keydown", this.pressed);
    this.focus.dispose();
    offTheme(this.themed);
    this.sides.forEach((side) => side.dispose());
    this.element.remove();
  }
}
