// How fast packets of a thousand ships are read: `node target/viewer/out/bench/decode.js`, after
// `cargo xtask test viewer`. A figure to look at; no test takes the time.

import { readFileSync } from "node:fs";

import { Decoder, NO_LIMITS, Schema, Snapshot } from "../src/wire/index.js";

const CASES = new URL("../../cases/arena.jsonl", import.meta.url);
const SECONDS = 2;

const [first, ...rest] = readFileSync(CASES, "utf8").trim().split("\n").map((line) => JSON.parse(line));
const schema = Schema.from(first.schema);
const packets = rest.map(({ packet }) => Uint8Array.from(Buffer.from(packet, "hex")));
const [full, ...deltas] = packets;
const decoder = new Decoder(schema, { limits: NO_LIMITS });

let held = new Snapshot(schema);
let next = new Snapshot(schema);

function readFull(): void {
  decoder.full(full!, held);
}

/** All deltas, one after the other. */
function readDeltas(): void {
  for (const delta of deltas) {
    decoder.delta(held, delta, next);
    [held, next] = [next, held];
  }
}

/** Packets a second of a run of `packets`, and what it leaves on the heap. */
function measure(name: string, packets: Uint8Array[], before: () => void, run: () => void): void {
  let time = 0;
  let count = 0;
  let entities = 0;
  const end = performance.now() + SECONDS * 1000;
  // The first runs are slow: they are compiled.
  for (let round = 0; round < 20; round += 1) {
    before();
    run();
  }
  while (performance.now() < end) {
    before();
    const start = performance.now();
    run();
    time += performance.now() - start;
    count += packets.length;
    entities = held.length;
  }
  const bytes = packets.reduce((sum, { length }) => sum + length, 0) / packets.length;
  const rate = (count / time) * 1000;
  console.log(
    `${name.padEnd(6)} entities=${entities} bytes=${bytes.toFixed(0)} packets/s=${rate.toFixed(0)} ` +
      `us=${(1e6 / rate).toFixed(1)} MB/s=${((rate * bytes) / 1e6).toFixed(0)}`,
  );
}

measure("full", [full!], () => {}, readFull);
measure("delta", deltas, readFull, readDeltas);
