// What stages work out for a picture, without drawing it: `node target/viewer/out/bench/stages.js`, after
// `cargo xtask viewer`. A figure to look at; no test takes the time.

import type { Frame, Rows, TableDef, View } from "../src/model.js";
import { Actors } from "../src/stages/arena/actors.js";
import { Skeletons } from "../src/stages/arena/bones.js";
import { arenaColumns } from "../src/stages/arena/columns.js";
import { plane, slice } from "../src/stages/field/plane.js";
import { paint, paintSpread, spread } from "../src/stages/field/raster.js";
import { extent, ramp, range } from "../src/stages/field/scale.js";
import { recording, table } from "../test/stage-made.js";

const SECONDS = 2;

/** Milliseconds of a run: the median, and what all but one in a hundred stay below. */
function measure(name: string, run: (round: number) => void): void {
  const times: number[] = [];
  const end = performance.now() + SECONDS * 1000;
  for (let round = 0; round < 50 || performance.now() < end; round++) {
    const start = performance.now();
    run(round);
    // The first runs are slow: they are compiled.
    if (round >= 25) {
      times.push(performance.now() - start);
    }
  }
  times.sort((a, b) => a - b);
  const at = (share: number): string => (times[Math.floor(times.length * share)] ?? 0).toFixed(3);
  console.log(`${name.padEnd(44)} ${at(0.5)} ms, 99 of 100 below ${at(0.99)} ms`);
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

/** Rows whose numbers stand in an array. */
function rows(def: TableDef, count: number, number: (row: number, column: number) => number): Rows {
  const wide = def.columns.length;
  const numbers = Float64Array.from({ length: count * wide }, (_, at) => number(Math.floor(at / wide), at % wide));
  const read = (row: number, column: number): number => numbers[row * wide + column] ?? Number.NaN;
  return { def, length: count, id: (row) => row, value: read, number: read };
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
  const frame = (time: number): Frame => {
    const held = [
      rows(def, 10, (row, column) => (column === 0 ? row : Math.sin(row + column) + time / 1000)),
      rows(bones, 230, (row, column) =>
        column === 0 ? Math.floor(row / 23) : column === 1 ? row % 23 : Math.sin(7 * row + column),
      ),
    ];
    return {
      moment: { step: time, tick: null, timeMs: time },
      rows: (name) => held.find((rows) => rows.def.name === name),
      grid: () => undefined,
    };
  };
  const [before, after] = [frame(0), frame(33)];
  const actors = new Actors(found);
  const skeletons = new Skeletons(found.bones);
  measure("10 players with 23 bones each", (round) => {
    const view: View = {
      before,
      after,
      mix: (round % 10) / 10,
      at: 0,
      playing: true,
      other: null,
      events: () => [],
      trail: () => [],
    };
    actors.update(view);
    skeletons.update(view, actors.all);
  });
}

fields();
players();
