// Measures how fast the page computes: reads packets of a thousand ships, works out pictures without drawing them, and,
// of published recordings, seeks and goes on by a frame of the screen. Figures to look at; no test takes the time.
//
//     node target/viewer/out/bench/compute.js [SITE [ID …]]
//
// The packets are there after `cargo xtask test viewer`; SITE is a folder that gametape publish wrote.

import type { Rows, TableDef } from "../src/model.js";
import { Loader } from "../src/play/loader.js";
import { Show } from "../src/play/show.js";
import { library } from "../src/source/published.js";
import { Actors } from "../src/stages/arena/actors.js";
import { Skeletons } from "../src/stages/arena/bones.js";
import { arenaColumns } from "../src/stages/arena/columns.js";
import { extent, paint, paintSpread, ramp, range, spread } from "../src/stages/field/paint.js";
import { plane, slice } from "../src/stages/field/plane.js";
import { Decoder, NO_LIMITS, Schema, Snapshot } from "../src/wire/index.js";
import { Folder } from "../test/recordings.js";
import { frame, recording, rows, table, view } from "../test/stage-made.js";
import { lines, unhex } from "../test/support.js";

const SECONDS = 2;
const SEEKS = 200;
const FRAMES = 2000;
/** Milliseconds of a frame of the screen. */
const FRAME = 1000 / 60;

function shown(times: number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number): string => sorted[Math.floor(share * (sorted.length - 1))]!.toFixed(3);
  return `median ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms`;
}

/** Measures a run; `before` each, something is done that does not count. */
function measure(name: string, run: (round: number) => void, before: () => void = () => {}): void {
  const times: number[] = [];
  const end = performance.now() + SECONDS * 1000;
  for (let round = 0; round < 50 || performance.now() < end; round += 1) {
    before();
    const start = performance.now();
    run(round);
    // The first runs are slow: they are compiled.
    if (round >= 25) {
      times.push(performance.now() - start);
    }
  }
  console.log(`${name.padEnd(44)} ${shown(times)}`);
}

function packets(): void {
  const [first, ...rest] = lines<{ schema: unknown } & { packet: string }>("arena.jsonl");
  const schema = Schema.from(first!.schema);
  const [full, ...deltas] = rest.map(({ packet }) => unhex(packet));
  const decoder = new Decoder(schema, { limits: NO_LIMITS });
  let [held, next] = [new Snapshot(schema), new Snapshot(schema)];
  const readFull = (): void => decoder.full(full!, held);
  measure(`a full packet of ${full!.length} bytes`, readFull);
  const bytes = deltas.reduce((sum, { length }) => sum + length, 0) / deltas.length;
  const readDeltas = (): void => {
    for (const delta of deltas) {
      decoder.delta(held, delta, next);
      [held, next] = [next, held];
    }
  };
  measure(`${deltas.length} deltas of ${bytes.toFixed(0)} bytes, ${held.length} ships`, readDeltas, readFull);
}

function fields(): void {
  const [wide, high] = [256, 256];
  const fields = Array.from({ length: 16 }, (_, number) =>
    Float64Array.from(
      { length: wide * high },
      (_, cell) => Math.sin((cell % wide) / 20 + number) * Math.cos(cell / wide / 30),
    ),
  );
  const cells = slice(plane(["row", "col"]), [high, wide], []);
  const colours = ramp(true, "dark");
  const pixels = new Uint32Array(wide * high);
  const field = (round: number): Float64Array => fields[round % fields.length] ?? new Float64Array(0);
  measure("a field of 256 × 256 squares", (round) => {
    const numbers = field(round);
    paint(numbers, cells, range(...extent(numbers)), colours, pixels);
  });
  const [across, down] = [900, 700];
  const shown = spread({ tiling: "hexes", x: 0, y: 0, w: across, h: down, size: 1.3 }, cells, across, down);
  const picture = new Uint32Array(across * down);
  measure("a field of 256 × 256 hexes, 900 × 700 pixels", (round) => {
    const numbers = field(round);
    paint(numbers, cells, range(...extent(numbers)), colours, pixels);
    paintSpread(shown, pixels, picture);
  });
}

function numbered(def: TableDef, count: number, number: (row: number, column: number) => number): Rows {
  const ids = Array.from({ length: count }, (_, row) => row);
  return rows(
    def,
    ids,
    ids.map((row) => def.columns.map((_, column) => number(row, column))),
  );
}

function players(): void {
  const parts = ["head", "body", "left_hand", "right_hand"];
  const columns = parts.flatMap((part) =>
    ["", "_forward", "_up"].flatMap((way) => ["x", "y", "z"].map((axis) => `${part}${way}_${axis}`)),
  );
  const def = table("players", "state", `player! team:text name:text ${columns.join(" ")}`);
  const bones = table("bones", "state", "player! bone! x y z");
  const found = arenaColumns(recording(def, bones));
  if (found?.bones === undefined) {
    throw new Error("these are no players with bones");
  }
  const [before, after] = [0, 33].map((time) =>
    frame(
      time,
      numbered(def, 10, (row, column) => (column === 0 ? row : Math.sin(row + column) + time / 1000)),
      numbered(bones, 230, (row, column) =>
        column === 0 ? Math.floor(row / 23) : column === 1 ? row % 23 : Math.sin(7 * row + column),
      ),
    ),
  );
  const actors = new Actors(found);
  const skeletons = new Skeletons(found.bones);
  measure("10 players with 23 bones each", (round) => {
    const now = view(before!, after!, (round % 10) / 10);
    actors.update(now);
    skeletons.update(now, actors.all);
  });
}

/** Goes to a moment, and waits for what has to come. */
async function go(show: Show, at: number): Promise<void> {
  while (!show.moveTo(at, false)) {
    await new Promise<void>((resolve) => (show.loader.onChange = resolve));
  }
}

/** The same numbers in each run. */
function* random(): Generator<number, never> {
  for (let state = 1; ;) {
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

async function play(site: string, wanted: readonly string[]): Promise<void> {
  const files = new Folder(site);
  let seen = 0;
  const all = library(await files.text("library.json"));
  for (const { id } of all.filter(({ id }) => wanted.length === 0 || wanted.includes(id))) {
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
}

const [site, ...wanted] = process.argv.slice(2);
packets();
fields();
players();
if (site !== undefined) {
  await play(site, wanted);
}
