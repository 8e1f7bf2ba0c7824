// The keys of the page, and their actions.

import type { Stretch } from "../play/playhead.js";
import type { Playhead } from "../play/playhead.js";
import type { StageDef } from "../model.js";
import { switchTheme } from "./theme.js";

/** The parts of a recording's page that keys act on. */
export interface Keyed {
  readonly playhead: Playhead;
  readonly times: boolean;
  readonly theatre: { readonly stages: readonly StageDef[] };
  toggle(): void;
  seek(at: number): void;
  toEnd(): void;
  step(by: -1 | 1): void;
  toMarker(by: -1 | 1): void;
  setLoop(loop: Stretch | null): void;
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

/** How far the arrow keys go, alone and with Shift: milliseconds, or steps. */
function strides(times: boolean): readonly [near: number, far: number] {
  return times ? [1000, 10_000] : [10, 100];
}

/** The moments that keys can jump to from here. */
export function reached({ at, from, to }: Playhead, times: boolean): number[] {
  const [, far] = strides(times);
  return [from, to, at - far, at + far].filter((other) => other >= from && other <= to);
}

/** Does the action of a key; returns false for a key that the page does not use. */
export function act(page: Keyed, event: KeyboardEvent): boolean {
  const { playhead } = page;
  const { at, loop, from, to } = playhead;
  const far = strides(page.times)[event.shiftKey ? 1 : 0];
  const stage = /^[1-9]$/.test(event.key) ? page.theatre.stages[Number(event.key) - 1] : undefined;
  if (stage !== undefined) {
    void page.chooseStage(stage.id);
    return true;
  }
  const keys: Readonly<Record<string, () => void>> = {
    " ": () => page.toggle(),
    k: () => page.toggle(),
    ArrowLeft: () => page.seek(at - far),
    ArrowRight: () => page.seek(at + far),
    ",": () => page.step(-1),
    ".": () => page.step(1),
    Home: () => page.seek(from),
    End: () => page.toEnd(),
    "0": () => page.toEnd(),
    "-": () => playhead.faster(-1),
    "+": () => playhead.faster(1),
    "=": () => playhead.faster(1),
    p: () => page.toMarker(-1),
    n: () => page.toMarker(1),
    "[": () => page.setLoop({ from: at, to: loop !== null && loop.to > at ? loop.to : to }),
    "]": () => page.setLoop({ from: loop !== null && loop.from < at ? loop.from : from, to: at }),
    "\\": () => page.setLoop(null),
    i: () => page.toggleSmooth(),
    m: () => page.togglePanel(),
    d: () => page.describe(),
    c: () => page.copyLink(),
    b: () => page.toggleBeside(),
    j: () => page.turnPanel(),
    t: () => switchTheme(),
    l: () => page.toLibrary(),
    "?": () => page.help(),
  };
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const found = Object.hasOwn(keys, key) ? keys[key] : undefined;
  if (found === undefined) {
    return false;
  }
  found();
  page.redraw();
  return true;
}
