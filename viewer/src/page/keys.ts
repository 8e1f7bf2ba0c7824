// The keys of the page: what each does, the help that lists them, and whether a key is for the page or for the element
// that has the focus.

import { dialog, el, switchTheme } from "../dom.js";
import type { StageDef, StageKey } from "../model.js";
import type { Playhead, Stretch } from "../play/playhead.js";

/** The actions of keys and buttons on the page of a recording. */
export interface Commands {
  readonly playhead: Playhead;
  readonly times: boolean;
  readonly theatre: { readonly stages: readonly StageDef[] };
  toggle(): void;
  seek(at: number): void;
  toEnd(): void;
  step(by: -1 | 1): void;
  toMarker(by: -1 | 1): void;
  setLoop(loop: Stretch | null): void;
  toggleLoop(): void;
  toggleSmooth(): void;
  togglePanel(): void;
  toggleBeside(): void;
  turnPanel(): void;
  toLibrary(): void;
  chooseStage(id: string): Promise<void>;
  copyLink(): void;
  describe(): void;
  help(): void;
  redraw(): void;
}

/** `far` is the stride of an arrow key. */
type Act = (page: Commands, far: number) => void;

/** As the help shows them, what they do in words, and the action of each key. */
const KEYS: readonly (readonly [shown: string, what: string, acts: Readonly<Record<string, Act>>])[] = [
  [
    "Space, K",
    "play or pause (Space presses a button that was reached by Tab)",
    { " ": (page) => page.toggle(), k: (page) => page.toggle() },
  ],
  [
    "← →",
    "a second back or forward (with Shift ten)",
    {
      ArrowLeft: (page, far) => page.seek(page.playhead.at - far),
      ArrowRight: (page, far) => page.seek(page.playhead.at + far),
    },
  ],
  [", .", "a packet back or forward", { ",": (page) => page.step(-1), ".": (page) => page.step(1) }],
  [
    "Home, End",
    "to the start, to the end; in a live recording, End follows it (0, too)",
    { Home: (page) => page.seek(page.playhead.from), End: (page) => page.toEnd(), "0": (page) => page.toEnd() },
  ],
  [
    "− +",
    "slower, faster",
    {
      "-": ({ playhead }) => playhead.faster(-1),
      "+": ({ playhead }) => playhead.faster(1),
      "=": ({ playhead }) => playhead.faster(1),
    },
  ],
  ["P, N", "to the marker before, to the next", { p: (page) => page.toMarker(-1), n: (page) => page.toMarker(1) }],
  [
    "[ ]",
    "the loop begins here, ends here",
    {
      "[": (page) => {
        const { at, loop, to } = page.playhead;
        page.setLoop({ from: at, to: loop !== null && loop.to > at ? loop.to : to });
      },
      "]": (page) => {
        const { at, loop, from } = page.playhead;
        page.setLoop({ from: loop !== null && loop.from < at ? loop.from : from, to: at });
      },
    },
  ],
  ["\\", "no loop", { "\\": (page) => page.setLoop(null) }],
  ["I", "motion between packets on or off", { i: (page) => page.toggleSmooth() }],
  ["1 … 9", "another stage", {}],
  ["M", "panel on or off", { m: (page) => page.togglePanel() }],
  ["D", "describe the picture in words", { d: (page) => page.describe() }],
  ["C", "copy a link to this moment, or to the loop as a clip", { c: (page) => page.copyLink() }],
  ["B", "another recording beside this one", { b: (page) => page.toggleBeside() }],
  ["J", "the other recording in the panel", { j: (page) => page.turnPanel() }],
  ["T", "dark or light", { t: () => switchTheme() }],
  ["L", "the library", { l: (page) => page.toLibrary() }],
  ["?", "this help", { "?": (page) => page.help() }],
];

const ACTS = new Map(KEYS.flatMap(([, , acts]) => Object.entries(acts)));

/** The strides of the arrow keys, alone and with Shift: milliseconds, or steps. */
function strides(times: boolean): readonly [near: number, far: number] {
  return times ? [1000, 10_000] : [10, 100];
}

/** The moments that keys can jump to from here. */
export function reached({ at, from, to }: Playhead, times: boolean): number[] {
  const [, far] = strides(times);
  return [from, to, at - far, at + far].filter((other) => other >= from && other <= to);
}

/** Does the action of a key, of the page or else of its stage; returns false for a key that neither uses. */
export function act(page: Commands, stage: readonly StageKey[], event: KeyboardEvent): boolean {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const chosen = /^[1-9]$/.test(key) ? page.theatre.stages[Number(key) - 1] : undefined;
  if (chosen !== undefined) {
    void page.chooseStage(chosen.id);
    return true;
  }
  const found = ACTS.get(key);
  if (found === undefined) {
    const own = stage.find(([shown, , act]) => act !== undefined && shown.charAt(0).toLowerCase() === key);
    return own !== undefined && own[2]?.(event) !== false;
  }
  found(page, strides(page.times)[event.shiftKey ? 1 : 0]);
  page.redraw();
  return true;
}

function list(keys: readonly (readonly [shown: string, what: string, ...rest: unknown[]])[]): HTMLElement {
  return el(
    "dl",
    { class: "keys" },
    ...keys.flatMap(([shown, what]) => [el("dt", {}, el("kbd", {}, shown)), el("dd", {}, what)]),
  );
}

/** Shows the keys of the page and of the stage. */
export function help(stage: string, keys: readonly StageKey[]): void {
  dialog("Keys", list(KEYS), ...(keys.length > 0 ? [el("h3", {}, stage), list(keys)] : []));
}

/** Elements that use nearly every key. */
const TEXT = "textarea, select, input:not([type=range]):not([type=checkbox]):not([type=radio]):not([type=button])";
const SLIDER_KEYS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"];

/**
 * Knows how the focus got where it is. A button that was reached by Tab is pressed by Space and Enter, as everywhere.
 * After a click the focus is on the clicked element, although the user did not put it there: Space plays then, and
 * Enter presses the element again.
 */
export class Focus {
  private clicked = false;
  private readonly pressed = (): void => void (this.clicked = true);
  private readonly tabbed = ({ key }: KeyboardEvent): void => {
    this.clicked &&= key !== "Tab";
  };
  /** After a choice with the pointer, a list no longer needs the keys. */
  private readonly chosen = ({ target }: Event): void => {
    if (this.clicked && target instanceof HTMLSelectElement) {
      target.blur();
    }
  };
  /** Some browsers press a button when Space is let go. */
  private readonly released = (event: KeyboardEvent): void => {
    if (event.key === " " && this.clicked && event.target instanceof HTMLElement && event.target.matches("button, a")) {
      event.preventDefault();
    }
  };

  constructor() {
    document.addEventListener("pointerdown", this.pressed, true);
    document.addEventListener("keydown", this.tabbed, true);
    document.addEventListener("keyup", this.released);
    document.addEventListener("change", this.chosen);
  }

  /** Whether the element that has the focus uses this key itself. */
  takes({ key, target }: KeyboardEvent): boolean {
    if (!(target instanceof HTMLElement)) {
      return false;
    }
    if (target.matches(TEXT) || target.isContentEditable) {
      return true;
    }
    if (target.matches("input[type=range]")) {
      return SLIDER_KEYS.includes(key);
    }
    return target.matches("button, a, input") && (key === "Enter" || (key === " " && !this.clicked));
  }

  dispose(): void {
    document.removeEventListener("pointerdown", this.pressed, true);
    document.removeEventListener("keydown", this.tabbed, true);
    document.removeEventListener("keyup", this.released);
    document.removeEventListener("change", this.chosen);
  }
}
