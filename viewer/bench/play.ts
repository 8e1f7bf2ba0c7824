// How long it takes to seek in a published recording, and to go on by a frame of the screen.
//
//     node target/viewer/out/bench/play.js SITE [ID …]

import { readFile } from "node:fs/promises";

import { Loader } from "../src/play/loader.js";
import { Show } from "../src/play/show.js";
import type { Files } from "../src/source/files.js";
import { library } from "../src/source/published.js";

const SEEKS = 200;
const FRAMES = 2000;
/** Milliseconds of a frame of the screen. */
const FRAME = 1000 / 60;

const [site, ...wanted] = process.argv.slice(2);
if (site === undefined) {
  throw new Error("give a folder that gametape publish wrote");
}
const files: Files = {
  text: (path) => readFile(`${site}/${path}`, "utf8"),
  bytes: async (path) => new Uint8Array(await readFile(`${site}/${path}`)),
};

function shown(times: number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number): string => sorted[Math.floor(share * (sorted.length - 1))]!.toFixed(2);
  return `median ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms`;
}

/** Goes to a moment, and waits for what has to come. */
async function go(show: Show, at: number): Promise<void> {
  while (!show.moveTo(at, false)) {
    await new Promise<void>((resolve) => (show.loader.onChange = resolve));
  }
}

/** The same numbers in each run. */
function* random(): Generator<number, never> {
  for (let state = 1; ; ) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    yield state / 2 ** 32;
  }
}

/** Asks for what stages ask for. */
function look(show: Show): number {
  let sum = 0;
  for (const { name, lane, columns } of show.loader.tables.tables) {
    const rows = lane === "state" ? show.before.rows(name) : undefined;
    for (let row = 0; rows !== undefined && row < rows.length; row += 1) {
      for (let column = 0; column < columns.length; column += 1) {
        sum += rows.number(row, column);
      }
    }
    const grid = lane === "grid" ? show.before.grid(name) : undefined;
    sum += grid?.numbers(columns.length - 1)[0] ?? 0;
  }
  return sum;
}

let seen = 0;
for (const { id } of library(await files.text("library.json"))) {
  if (wanted.length > 0 && !wanted.includes(id)) {
    continue;
  }
  const loader = await Loader.open(files, id);
  const show = new Show(loader);
  const numbers = random();
  const seeks: number[] = [];
  for (let seek = 0; seek < SEEKS; seek += 1) {
    const at = loader.from + numbers.next().value * (loader.to - loader.from);
    const began = performance.now();
    await go(show, at);
    seen += look(show);
    seeks.push(performance.now() - began);
  }
  console.log(`${id}: seek, segments loaded as needed: ${shown(seeks)}`);
  for (const speed of [1, 16]) {
    const frames: number[] = [];
    let at = loader.from;
    for (let frame = 0; frame < FRAMES; frame += 1) {
      at = at + FRAME * speed > loader.to ? loader.from : at + FRAME * speed;
      const began = performance.now();
      if (show.moveTo(at, true)) {
        seen += look(show);
        frames.push(performance.now() - began);
      } else {
        // On the page it comes while the frames before it are shown.
        await go(show, at);
      }
    }
    console.log(`${id}: a frame at ${speed}×, every number of every table read: ${shown(frames)}`);
  }
}
console.log(`(${Number.isNaN(seen) ? "numbers and gaps" : "numbers"} were read)`);
