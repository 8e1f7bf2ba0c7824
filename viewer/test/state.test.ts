// States: a thousand ships over a hundred ticks, and the reads of a page.

import assert from "node:assert/strict";
import { test } from "node:test";

import { blake3 } from "../src/wire/blake3.js";
import { Baselines, Decoder, NO_LIMITS, Schema, Snapshot, WireError } from "../src/wire/index.js";
import { lines, unhex } from "./support.js";

interface Tick {
  readonly packet: string;
  readonly hash: string;
}

const [first, ...rest] = lines<{ schema: unknown } | Tick>("arena.jsonl");
assert.ok(first !== undefined && "schema" in first);
const SCHEMA = Schema.from(first.schema);
const TICKS = rest.filter((line): line is Tick => "packet" in line);

/** A line for each component of each entity: `id component: value value …`. */
function stateText(state: Snapshot): string {
  let text = `tick ${state.tick}\n`;
  for (let row = 0; row < state.length; row += 1) {
    SCHEMA.components.forEach(({ id, fields }, place) => {
      if (state.has(row, place)) {
        const values = fields.map((_, field) => ` ${state.value(row, place, field)}`);
        text += `${state.ids[row]} ${id}:${values.join("")}\n`;
      }
    });
  }
  return text;
}

function hash(state: Snapshot): string {
  return Buffer.from(blake3(Buffer.from(stateText(state)))).toString("hex");
}

/** The state of each tick, by two states in turn. */
function* replay(): Generator<Snapshot> {
  const decoder = new Decoder(SCHEMA, { limits: NO_LIMITS });
  let [held, next] = [new Snapshot(SCHEMA), new Snapshot(SCHEMA)];
  for (const [at, { packet }] of TICKS.entries()) {
    if (at === 0) {
      decoder.full(unhex(packet), next);
    } else {
      decoder.delta(held, unhex(packet), next);
    }
    [held, next] = [next, held];
    yield held;
  }
}

test("a thousand ships over a hundred ticks: each state is Rust's", () => {
  assert.equal(TICKS.length, 100);
  let at = 0;
  for (const state of replay()) {
    assert.equal(hash(state), TICKS[at]!.hash, `tick ${state.tick}`);
    at += 1;
  }
  assert.equal(at, 100);
});

test("columns have the same values as single reads", () => {
  const column = new Float64Array(1000);
  for (const state of replay()) {
    SCHEMA.components.forEach(({ fields }, component) => {
      fields.forEach((_, field) => {
        state.column(component, field, column);
        for (let row = 0; row < state.length; row += 1) {
          assert.equal(column[row], Number(state.value(row, component, field) ?? NaN));
        }
      });
    });
  }
});

test("values by ids, and undefined where there is none", () => {
  const [state] = replay();
  assert.ok(state !== undefined);
  const id = state.ids[3]!;
  assert.equal(state.get(id, 1, 1), state.value(3, 0, 0));
  for (const [entity, component, field] of [
    [0, 1, 1],
    [id, 9, 1],
    [id, 1, 9],
    [4_294_967_295, 1, 1],
  ] as const) {
    assert.equal(state.get(entity, component, field), undefined);
  }
  assert.equal(state.value(state.length, 0, 0), undefined);
  assert.equal(state.value(-1, 0, 0), undefined);
  assert.equal(state.value(0, -1, 0), undefined);
});

test("a receiver keeps the last states, and asks for a full one where the baseline is gone", () => {
  const decoder = new Decoder(SCHEMA, { limits: NO_LIMITS });
  const held = new Baselines(SCHEMA, 3);
  const read = (at: number): Snapshot => {
    const state = held.takeSpare();
    try {
      decoder.apply(held, unhex(TICKS[at]!.packet), state);
    } catch (error) {
      held.giveBack(state);
      throw error;
    }
    assert.ok(held.push(state));
    return state;
  };
  for (let at = 0; at < 10; at += 1) {
    assert.equal(hash(read(at)), TICKS[at]!.hash);
  }
  assert.equal(held.length, 3);
  assert.throws(() => read(12), (error: unknown) => {
    assert.ok(error instanceof WireError && error.needsFull);
    assert.deepEqual([error.code, error.offset], ["delta.baseline-missing", 20]);
    return true;
  });
  assert.throws(() => decoder.apply(held, unhex(TICKS[10]!.packet), held.latest()!), TypeError);
  // A refused packet has changed nothing, and a state that is too old is not kept.
  assert.equal(hash(read(10)), TICKS[10]!.hash);
  const old = new Snapshot(SCHEMA);
  decoder.full(unhex(TICKS[0]!.packet), old);
  assert.equal(held.push(old), false);
  held.clear();
  assert.equal(held.latest(), undefined);
});

test("states of another schema, and the baseline itself, are refused", () => {
  const other = Schema.parse('{"components":[]}');
  const decoder = new Decoder(SCHEMA);
  const baseline = new Snapshot(other);
  baseline.tick = 1;
  const into = new Snapshot(other);
  const delta = unhex(TICKS[1]!.packet);
  assert.throws(() => decoder.delta(baseline, delta, into), (error: unknown) => {
    assert.ok(error instanceof WireError);
    assert.equal(error.code, "delta.baseline-schema");
    assert.equal(
      error.message,
      `byte 20: the state given has schema ${other.hashText}, ours is ${SCHEMA.hashText}`,
    );
    return true;
  });
  assert.throws(() => decoder.delta(baseline, delta, baseline), TypeError);
  // A state that is written to takes the schema of the packet.
  decoder.full(unhex(TICKS[0]!.packet), into);
  assert.equal(hash(into), TICKS[0]!.hash);
});

test("headers are read without a state", () => {
  const decoder = new Decoder(SCHEMA);
  const [full, delta] = TICKS.map(({ packet }) => decoder.header(unhex(packet)));
  assert.deepEqual(full, { full: true, tick: 1, baseline: 0, schemaHash: SCHEMA.hash });
  assert.deepEqual(delta, { full: false, tick: 2, baseline: 1, schemaHash: SCHEMA.hash });
});
