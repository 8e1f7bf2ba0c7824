// The help panel: keys, of the page and of the stage.

import { button, el } from "./dom.js";

export type Keys = readonly (readonly [key: string, what: string])[];

export const PAGE_KEYS: Keys = [
  ["Space, K", "play or pause (Space presses a button that was reached by Tab)"],
  ["← →", "a second back or forward (with Shift ten)"],
  [", .", "a packet back or forward"],
  ["Home, End", "to the start, to the end; in a live recording, End follows it (0, too)"],
  ["− +", "slower, faster"],
  ["P, N", "to the marker before, to the next"],
  ["[ ]", "the loop begins here, ends here"],
  ["\\", "no loop"],
  ["I", "motion between packets on or off"],
  ["1 … 9", "another stage"],
  ["M", "panel on or off"],
  ["D", "describe the picture in words"],
  ["C", "copy a link to this moment, or to the loop as a clip"],
  ["B", "another recording beside this one"],
  ["J", "the other recording in the panel"],
  ["T", "dark or light"],
  ["L", "the library"],
  ["?", "this help"],
];

/** A window in front of the page; closed by Escape. */
export function dialog(title: string, ...content: Node[]): HTMLDialogElement {
  const made = el("dialog", { "aria-label": title });
  made.append(
    el(
      "header",
      {},
      el("h2", {}, title),
      button("close", "Close", "Esc", () => made.close()),
    ),
    el("div", { class: "inside" }, ...content),
  );
  made.addEventListener("click", (event) => {
    if (event.target === made) {
      made.close();
    }
  });
  made.addEventListener("close", () => made.remove());
  document.body.append(made);
  made.showModal();
  return made;
}

function list(keys: Keys): HTMLElement {
  return el(
    "dl",
    { class: "keys" },
    ...keys.flatMap(([key, what]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, what)]),
  );
}

export function help(stage: string, keys: Keys): void {
  const content: Node[] = [list(PAGE_KEYS)];
  if (keys.length > 0) {
    content.push(el("h3", {}, stage), list(keys));
  }
  dialog("Keys", ...content);
}
