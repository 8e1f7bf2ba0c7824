// The states that the page reads from published recordings, compared with those of the library.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";

import type { ColumnDef, EventRow, Frame, TableDef, Value } from "../src/model.js";
import { Deck } from "../src/play/deck.js";
import { Loader } from "../src/play/loader.js";
import { Samples, sample } from "../src/play/sampler.js";
import { Show } from "../src/play/show.js";
import { real } from "../src/source/check.js";
import type { Files } from "../src/source/files.js";
import { compareKeys } from "../src/tables/labels.js";
import { Folder, LACKING, type Line, SITE, dump, dumpOf, listed } from "./recordings.js";
import { fingerprint } from "./support.js";

/** The page's clock, and the same moment for the command: times there are whole milliseconds. */
function moments(loader: Loader): { at: number; option: string }[] {
  const shares = [0.5, 0.1, 0.97, 0.0, 0.33, 1, 0.05, 0.72];
  return shares.map((share) => {
    const at = Math.floor(loader.from + share * (loader.to - loader.from));
    const { times } = loader.tables;
    return { at: times ? at + 0.999_999 : at, option: times ? (at / 1000).toFixed(3) : `step:${at}` };
  });
}

/** Goes to a moment, and waits for its segments. */
async function go(deck: Deck, at: number): Promise<void> {
  while (!deck.moveTo(at)) {
    await new Promise<void>((resolve) => (deck.loader.onChange = resolve));
  }
}

function agree(column: ColumnDef, found: Value, said: unknown, where: string): void {
  if (column.notRecorded || said === undefined) {
    return;
  }
  if (said === null) {
    assert.equal(found, null, where);
  } else if (column.kind === "float32" || column.kind === "float64") {
    const [value, wanted] = [found as number, real(said)!];
    const expected = column.kind === "float32" ? Math.fround(wanted) : wanted;
    const off = Math.abs(value - expected);
    const near =
      column.precision === null ? Object.is(value, expected) : off <= column.precision || Object.is(value, expected);
    assert.ok(near, `${where}: ${value} is not ${expected}`);
  } else {
    assert.equal(found, said, where);
  }
}

/** Compares the values of all current rows; returns their number. */
function compare(frame: Frame, def: TableDef, lines: readonly Line[], where: string): number {
  let values = 0;
  const each = (line: Line, value: (column: number) => Value): void => {
    def.columns.forEach((column, at) => {
      agree(
        column,
        value(at),
        line[column.name],
        `${where}, ${def.name}.${column.name} of ${JSON.stringify(line).slice(0, 60)}`,
      );
      values += 1;
    });
  };
  if (def.lane === "state") {
    const rows = frame.rows(def.name)!;
    assert.equal(rows.length, lines.length, `${where}: rows of ${def.name}`);
    const key = (line: Line): Value[] => def.columns.flatMap(({ key, name }) => (key ? [line[name] as Value] : []));
    const inOrder = [...lines].sort((a, b) => compareKeys(key(a), key(b)));
    inOrder.forEach((line, row) => each(line, (column) => rows.value(row, column)));
  } else {
    const grid = frame.grid(def.name)!;
    const keys = def.columns.filter(({ key }) => key);
    let stated = 0;
    for (let cell = 0; cell < grid.shape.reduce((a, b) => a * b, 1); cell += 1) {
      stated += def.columns.some((_, column) => grid.value(cell, column) !== null) ? 1 : 0;
    }
    assert.equal(stated, lines.length, `${where}: cells of ${def.name}`);
    for (const line of lines) {
      const cell = keys.reduce(
        (at, { name }, key) => at * grid.shape[key]! + Number(line[name]) - grid.origin[key]!,
        0,
      );
      each(line, (column) => grid.value(cell, column));
      def.columns.forEach((column, at) => {
        const [number, value] = [grid.numbers(at)[cell], grid.value(cell, at)];
        assert.ok(
          typeof value === "number" ? Object.is(number, value) : typeof value !== "string" || Number.isNaN(number),
          column.name,
        );
      });
    }
  }
  return values;
}

test("of several doubts the newest is shown, in any order of the list", { skip: LACKING }, async () => {
  const loader = await Loader.open(new Folder(SITE), listed()[0]!.id);
  const moment = (share: number) => {
    const at = loader.from + share * (loader.to - loader.from);
    return { step: at, tick: null, timeMs: at };
  };
  const [early, late] = [
    { text: "early", moment: moment(0.25) },
    { text: "late", moment: moment(0.5) },
  ];
  const always = { text: "of the file", moment: null };
  for (const lost of [[late, always, early], [early, late, always]]) {
    loader.published = { ...loader.published, lost };
    const said = [0, 0.25, 0.4, 0.5, 1].map((share) => loader.doubtAt(moment(share).timeMs));
    assert.deepEqual(said, [null, "early", "early", "late", "late"]);
  }
});

for (const { id, name, verdict } of listed()) {
  test(`${name} holds what the library says, wherever one seeks`, async () => {
    const loader = await Loader.open(new Folder(SITE), id);
    const deck = new Deck(loader);
    let values = 0;
    for (const { at, option } of moments(loader)) {
      await go(deck, at);
      const lines = dumpOf(name, "--state", "--at", option);
      if (lines === null) {
        // The library has nothing of a damaged stretch; its published part can still be played.
        assert.equal(verdict, "fail");
        continue;
      }
      const frame = deck.before!;
      for (const def of loader.tables.tables.filter(({ lane }) => lane === "state" || lane === "grid")) {
        const of = lines.filter(({ table }) => table === def.name);
        values += compare(frame, def, of, `${name} at ${option}, step ${frame.moment.step}`);
      }
    }
    assert.ok(values > 0);
    assert.deepEqual(loader.problems(), []);
  });

  test(`${name} is the same whether one seeks or goes on`, async () => {
    const loader = await Loader.open(new Folder(SITE), id);
    const [going, seeking] = [new Deck(loader), new Deck(loader)];
    let passed = 0;
    for (let index = 0; index < loader.starts.length; index += 1) {
      await go(going, loader.starts[index]!);
      await go(going, loader.starts[index + 1] === undefined ? loader.to : loader.starts[index + 1]! - 1e-6);
      await go(seeking, loader.from);
      await go(seeking, going.before!.at);
      assert.deepEqual(seeking.before!.moment, going.before!.moment);
      assert.equal(fingerprint(seeking.before!.state), fingerprint(going.before!.state));
      passed += 1;
    }
    assert.equal(passed, loader.published.segments.length);
    const earlier = going.earlier();
    assert.ok(earlier === null || earlier < going.before!.at);
  });
}

test("a spoilt segment never stops the page, and what follows is as it was", { skip: LACKING }, async () => {
  const { id } = listed().find(({ verdict, name }) => verdict === "pass" && name.endsWith(".butter")) ?? listed()[0]!;
  const whole = new Deck(await Loader.open(new Folder(SITE), id));
  const { segments } = whole.loader.published;
  const folder = new Folder(SITE);
  let told = 0;
  for (let round = 0; round < 60; round += 1) {
    const spoil = (bytes: Uint8Array): Uint8Array => {
      const at = Math.floor((bytes.length * (round + 0.5)) / 60);
      if (round % 6 === 0) {
        return bytes.subarray(0, at);
      }
      bytes[at]! ^= 1 << (round % 8);
      return bytes;
    };
    const files: Files = {
      text: (path) => folder.text(path),
      bytes: async (path) => {
        const bytes = await folder.bytes(path);
        return path.endsWith(segments[1]!.file) ? gzipSync(spoil(gunzipSync(bytes))) : bytes;
      },
    };
    const loader = await Loader.open(files, id);
    const deck = new Deck(loader);
    for (let at = loader.from; at < loader.starts[3]!; at += 40) {
      await go(deck, at);
    }
    const at = loader.starts[3]! + 100;
    await go(deck, at);
    await go(whole, at);
    assert.equal(fingerprint(deck.before!.state), fingerprint(whole.before!.state), `round ${round}`);
    told += loader.problems().length > 0 ? 1 : 0;
  }
  // A changed bit of a value is another value, which nobody can tell: but at least half are told.
  assert.ok(told >= 30, `told ${told} times of 60`);
});

test("events come as the library has them", { skip: LACKING }, async () => {
  let events = 0;
  for (const { id, name } of listed()) {
    const loader = await Loader.open(new Folder(SITE), id);
    for (const def of loader.tables.tables.filter(({ lane }) => lane === "events")) {
      const lines = dump(name, "--table", def.name);
      const found: EventRow[] = [];
      for (let index = 0; index < loader.starts.length; index += 1) {
        found.push(...(await loader.borrow(index))!.events.filter(({ table }) => table === def.name));
      }
      assert.equal(found.length, lines.length, `${name}: ${def.name}`);
      lines.forEach((line, at) => {
        assert.equal(found[at]!.moment.step, line["step"]);
        def.columns.forEach((column) =>
          agree(column, found[at]!.row[column.name] ?? null, line[column.name], `${name}: ${def.name}`),
        );
      });
      events += lines.length;
    }
  }
  assert.ok(events > 0);
});

test("a trail is where a row has been, after a seek as after playing", { skip: LACKING }, async () => {
  let trails = 0;
  for (const { id } of listed()) {
    const loader = await Loader.open(new Folder(SITE), id);
    const def = loader.tables.tables.find(
      ({ lane, columns }) => lane === "state" && columns.filter(({ kind }) => kind === "float32").length > 2,
    );
    const columns =
      def?.columns
        .flatMap(({ kind, notRecorded }, at) => (kind === "float32" && !notRecorded ? [at] : []))
        .slice(0, 3) ?? [];
    if (def === undefined || columns.length === 0 || def.rows === 0) {
      continue;
    }
    const [played, sought] = [new Show(loader), new Show(loader)];
    const middle = (loader.from + loader.to) / 2;
    for (let at = middle - 3000; at <= middle; at += 50) {
      await go(played.deck, at);
      played.moveTo(at, true);
      if (at === middle - 3000) {
        played.trail(def.name, played.before.rows(def.name)!.id(0), columns, 1000);
      }
    }
    await go(sought.deck, middle);
    sought.moveTo(middle, false);
    const entity = played.before.rows(def.name)!.id(0);
    sought.trail(def.name, entity, columns, 1000);
    sought.moveTo(middle, false);
    const [a, b] = [played, sought].map((show) => show.trail(def.name, entity, columns, 1000));
    assert.deepEqual(a, b);
    assert.ok(a!.length > 1);
    trails += 1;
  }
  assert.ok(trails > 0);
});

test("samples bound what the recording has", { skip: LACKING }, async () => {
  const { id } = listed()[0]!;
  const loader = await Loader.open(new Folder(SITE), id);
  const def = loader.tables.tables.find(
    ({ lane, columns }) =>
      lane === "state" && columns.some(({ kind, key }) => kind !== "text" && kind !== "bool" && !key),
  )!;
  const column = def.columns.findIndex(({ kind, key }) => kind !== "text" && kind !== "bool" && !key);
  const samples = new Samples([{ table: def.name, columns: [column], of: { entity: null } }], loader.from, loader.to);
  await sample(loader, samples, new AbortController().signal, () => {});
  const said = dump(listed()[0]!.name, "--table", def.name, "--columns", def.columns[column]!.name);
  const values = said.map((line) => real(line[def.columns[column]!.name])).filter((value) => value !== null);
  const line = samples.line(0).value.filter((value) => value !== null);
  assert.equal(samples.done, 1);
  const precision = def.columns[column]!.precision ?? 0;
  assert.ok(Math.abs(Math.max(...line) - Math.max(...values)) <= precision);
  assert.ok(Math.abs(Math.min(...line) - Math.min(...values)) <= precision);
});

test("a cell over time, and least, mean and greatest of all, are what the library says", { skip: LACKING }, async () => {
  const { id, name } = listed().find(({ name }) => name === "heat.murk")!;
  const loader = await Loader.open(new Folder(SITE), id);
  const def = loader.tables.tables.find(({ name }) => name === "heat")!;
  const columns = [def.columns.findIndex(({ key }) => !key)];
  const place = [6, 4];
  const of = { table: def.name, columns };
  const samples = new Samples(
    [
      { ...of, of: { cell: place[0]! * def.shape[1]! + place[1]! } },
      ...(["least", "mean", "greatest"] as const).map((all) => ({ ...of, of: { all } })),
    ],
    loader.from,
    loader.to,
  );
  await sample(loader, samples, new AbortController().signal, () => {});
  for (const step of [3, 80, 190]) {
    const lines = dump(name, "--state", "--table", def.name, "--at", `step:${step}`);
    const values = lines.map((line) => Math.fround(real(line["value"])!));
    const cell = lines.find((line) => line["row"] === place[0] && line["col"] === place[1])!;
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const wanted = [Math.fround(real(cell["value"])!), Math.min(...values), mean, Math.max(...values)];
    const at = real(cell["time_ms"])!;
    wanted.forEach((value, series) => {
      const line = samples.line(series);
      const near = line.at.reduce((best, other, index) => (other <= at + 1e-6 ? index : best), 0);
      const found = line.value[near]!;
      assert.ok(Math.abs(found - value) < 1e-6, `step ${step}, series ${series}: ${found} is not ${value}`);
    });
  }
});
