// The bars above and below a recording: its name, format and verdict; buttons for the whole page; play, pause, steps,
// speed, loop.

import { badge, button, choice, el, pushButton, say, setIcon, switchTheme } from "../dom.js";
import { position } from "../format.js";
import type { StageDef } from "../model.js";
import { type Playhead, SPEEDS } from "../play/playhead.js";
import type { Published } from "../source/published.js";
import type { Commands } from "./keys.js";

export class Head {
  readonly element: HTMLElement;
  private readonly name = el("h1");
  private readonly about = el("span", { class: "about" });
  private readonly picker = el("span", { class: "picker" });
  private readonly page: Commands;

  /** `library` says whether there is one to choose from. */
  constructor(page: Commands, library: boolean) {
    this.page = page;
    this.element = el(
      "header",
      { class: "top" },
      ...(library ? [button("library", "The library", "L", () => page.toLibrary())] : []),
      this.name,
      this.about,
      el("span", { class: "space" }),
      this.picker,
      button("link", "Copy a link to this moment", "C", () => page.copyLink()),
      button("beside", "Another recording beside this one", "B", () => page.toggleBeside()),
      button("panel", "Panel on or off", "M", () => page.togglePanel()),
      button("theme", "Dark or light", "T", switchTheme),
      button("help", "Keys", "?", () => page.help()),
    );
  }

  /** Shows what is known about the recording. */
  of({ name, format, verdict, summary, live }: Published): void {
    this.name.textContent = this.name.title = name;
    this.about.replaceChildren(
      el("span", { class: "format" }, format),
      ...(live ? [el("span", { class: "live" }, "live")] : badge(verdict, summary)),
    );
  }

  /** Offers these stages, with one of them chosen. */
  stages(all: readonly StageDef[], chosen: string): void {
    const options = all.map(({ id, title }) => [id, title] as const);
    const pick = choice("Stage", options, chosen, (id) => {
      void this.page.chooseStage(id);
      pick.blur();
    });
    pick.hidden = options.length < 2;
    this.picker.replaceChildren(pick);
  }
}

export class Transport {
  readonly element: HTMLElement;
  private readonly play: HTMLButtonElement;
  private readonly loop: HTMLButtonElement;
  private readonly smooth: HTMLButtonElement;
  private readonly speed: HTMLSelectElement;
  private readonly live: HTMLButtonElement;
  private readonly now = el("span", { class: "clock" });
  private readonly all = el("span", { class: "quiet" });
  private readonly step = el("span", { class: "quiet step" });

  constructor(page: Commands) {
    const { playhead } = page;
    this.play = button("play", "Play", "Space", () => page.toggle());
    this.play.classList.add("main");
    this.loop = button("loop", "Loop from here", "[ ]", () => page.toggleLoop());
    this.smooth = button("smooth", "Motion between packets", "I", () => page.toggleSmooth());
    const speeds = SPEEDS.map(
      (speed) => [String(speed), speed === 0.25 ? "¼×" : speed === 0.5 ? "½×" : `${speed}×`] as const,
    );
    this.speed = choice("Speed", speeds, "1", (speed) => {
      playhead.speed = Number(speed);
      playhead.following &&= playhead.speed >= 1;
      page.redraw();
    });
    this.live = pushButton({ class: "golive" }, () => page.toEnd(), "Live");
    this.element = el(
      "div",
      { class: "transport", role: "toolbar", "aria-label": "Playback" },
      button("back", "A packet back", ",", () => page.step(-1)),
      this.play,
      button("forth", "A packet on", ".", () => page.step(1)),
      el("span", { class: "where" }, this.now, this.all, this.step),
      this.live,
      el("span", { class: "space" }),
      this.speed,
      this.loop,
      this.smooth,
    );
  }

  show(playhead: Playhead, times: boolean, step: string, interpolate: boolean): void {
    setIcon(this.play, playhead.playing ? "pause" : "play", playhead.playing ? "Pause" : "Play", "Space");
    say(this.now, position(playhead.at, times));
    say(this.all, ` / ${position(playhead.to, times, 0)}`);
    say(this.step, step);
    this.speed.value = String(playhead.speed);
    this.live.hidden = !playhead.live;
    const { following } = playhead;
    if (this.live.getAttribute("aria-pressed") !== String(following)) {
      this.live.setAttribute("aria-pressed", String(following));
      this.live.title = following ? "What is being recorded, as it comes" : "Go to what is being recorded (0, End)";
    }
    this.loop.setAttribute("aria-pressed", String(playhead.loop !== null));
    this.smooth.setAttribute("aria-pressed", String(interpolate));
  }
}
