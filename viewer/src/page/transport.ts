// Play, pause, steps, speed, loop.

import { type Playhead, SPEEDS } from "../play/playhead.js";
import { button, choice, el, say, setIcon } from "./dom.js";
import { position } from "./format.js";

/** The actions of the buttons. */
export interface Acts {
  toggle(): void;
  step(by: -1 | 1): void;
  loop(): void;
  smooth(): void;
  follow(): void;
  changed(): void;
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

  constructor(playhead: Playhead, acts: Acts) {
    this.play = button("play", "Play", "Space", () => acts.toggle());
    this.play.classList.add("main");
    this.loop = button("loop", "Loop from here", "[ ]", () => acts.loop());
    this.smooth = button("smooth", "Motion between packets", "I", () => acts.smooth());
    const speeds = SPEEDS.map(
      (speed) => [String(speed), speed === 0.25 ? "¼×" : speed === 0.5 ? "½×" : `${speed}×`] as const,
    );
    this.speed = choice("Speed", speeds, "1", (speed) => {
      playhead.speed = Number(speed);
      playhead.following &&= playhead.speed >= 1;
      acts.changed();
    });
    this.live = el("button", { type: "button", class: "golive" }, "Live");
    this.live.addEventListener("click", () => acts.follow());
    this.element = el(
      "div",
      { class: "transport", role: "toolbar", "aria-label": "Playback" },
      button("back", "A packet back", ",", () => acts.step(-1)),
      this.play,
      button("forth", "A packet on", ".", () => acts.step(1)),
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
