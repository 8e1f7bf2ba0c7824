// The page in a browser: it plays, seeks, and shows the same values as the library.

import assert from "node:assert/strict";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import type { BrowserContextOptions, Page } from "playwright-core";

import { valueText } from "../src/format.js";
import type { ColumnDef, Value } from "../src/model.js";
import { real } from "../src/source/check.js";
import { published } from "../src/source/published.js";
import { DIST, PHONE, SHOTS, WIDE, assertFits, cells, clockOf, here, onPage, serve, settled } from "./browser.js";
import { skip, startsBrowser, stepOf } from "./browser.js";
import { type Line, type Listed, SITE, dump, listed } from "./recordings.js";

startsBrowser();

/** Opens an address of the published folder, or another address, and does something with the page. */
async function on(
  address: string,
  options: BrowserContextOptions,
  act: (page: Page) => Promise<void>,
  quiet?: "whatever",
): Promise<void> {
  await onPage(
    options,
    async (page) => {
      await page.goto(address.startsWith("#") ? `${here.site.address}${address}` : address);
      await act(page);
    },
    quiet,
  );
}

/** One recording of each format. */
function oneOfEach(): Listed[] {
  const sound = listed().filter(({ verdict }) => verdict === "pass");
  return sound.filter(({ format }, at) => sound.findIndex((other) => other.format === format) === at);
}

function ofFormat(format: string): Listed {
  return oneOfEach().find((one) => one.format === format) ?? oneOfEach()[0]!;
}

function asValue(column: ColumnDef, json: unknown): Value {
  const number = column.kind === "float32" || column.kind === "float64" ? real(json) : null;
  return number === null ? (json as Value) : column.kind === "float32" ? Math.fround(number) : number;
}

/** Whether two texts are the same value, within the precision of the column. */
function near(column: ColumnDef, shown: string, said: string): boolean {
  const off = column.precision === null ? 0 : 2 * column.precision;
  return shown === said || Math.abs(Number(shown) - Number(said)) <= off;
}

/** The first table as the page shows it, and as the library has it at the same moment. */
async function compare(page: Page, { id, name }: Listed): Promise<number> {
  const of = published(readFileSync(`${SITE}/r/${id}/recording.json`, "utf8"));
  await settled(page);
  const table = (await page.locator('.tablestage [role="tab"][aria-selected="true"]').textContent()) ?? "";
  const { def } = of.described.tables.find((one) => one.def.name === table)!;
  const at = await stepOf(page);
  const lines = dump(name, "--state", "--table", table, "--at", `step:${at}`);
  const shown = await cells(page);
  const columns = def.columns.filter(({ notRecorded }) => !notRecorded);
  const beside =
    shown[0]!.length !== columns.length ||
    (shown.length > 0 && shown[0]![0]!.startsWith(columns.find(({ key }) => !key)!.name));
  let compared = 0;
  const check = (column: ColumnDef, line: Line, text: string): void => {
    const said = valueText(asValue(column, line[column.name] ?? null), column);
    assert.ok(near(column, text, said), `${name} at step ${at}: ${table}.${column.name} shows ${text}, not ${said}`);
    compared += 1;
  };
  if (beside) {
    const keys = columns.filter(({ key }) => key);
    const order = [...lines].sort((a, b) =>
      keys.reduce((sum, { name }) => sum || Number(a[name]) - Number(b[name]), 0),
    );
    columns
      .filter(({ key }) => !key)
      .forEach((column, row) => {
        if (row < shown.length) {
          order.forEach((line, at) => check(column, line, shown[row]![at + 1]!));
        }
      });
  } else {
    for (const row of shown) {
      const line = lines.find((line) => columns.every(({ key, name }, at) => !key || String(line[name]) === row[at]));
      assert.ok(line !== undefined, `${name} at step ${at}: no row ${row.join(", ")}`);
      columns.forEach((column, at) => check(column, line, row[at]!));
    }
  }
  assert.ok(compared > 0);
  return compared;
}

/** Seeks back and forth, plays, and compares the page with the library. */
async function playThrough(page: Page, recording: Listed): Promise<void> {
  await page.locator(".tablestage tbody tr:not([aria-hidden])").first().waitFor();
  const box = (await page.locator(".timeline").boundingBox())!;
  for (const share of [0.7, 0.2, 0.9, 0.4]) {
    await page.mouse.click(box.x + 10 + share * (box.width - 20), box.y + box.height - 10);
    await page.mouse.move(box.x, box.y - 200);
    await page.waitForTimeout(150);
    await compare(page, recording);
  }
  await page.keyboard.press("Home");
  await page.keyboard.press("Space");
  await page.waitForTimeout(700);
  await page.keyboard.press("Space");
  await page.waitForTimeout(100);
  const played = await clockOf(page);
  assert.ok(played > 0, "it plays");
  await compare(page, recording);
  await page.keyboard.press(".");
  await page.waitForTimeout(60);
  assert.ok((await clockOf(page)) >= played, "a packet on");
  await page.keyboard.press(",");
  await page.keyboard.press(",");
  for (let tries = 0; (await clockOf(page)) >= played + 1; tries++) {
    assert.ok(tries < 100, "a packet back");
    await page.waitForTimeout(50);
  }
}

test("stages in two dimensions take less than 500 KB, and the single file is complete", () => {
  const files = readdirSync(`${DIST}/site/assets`).map((name) => readFileSync(`${DIST}/site/assets/${name}`, "utf8"));
  const [large, small] = [true, false].map((is) => files.filter((text) => text.includes("WebGLRenderer") === is));
  assert.ok(small!.reduce((sum, text) => sum + text.length, 0) < 500_000);
  assert.ok(large!.length > 0);
  const whole = readFileSync(`${DIST}/single/index.html`, "utf8");
  assert.equal(whole.split("<!-- data -->").length, 2);
  assert.ok(whole.includes("WebGLRenderer"));
  for (const page of [whole, readFileSync(`${DIST}/site/index.html`, "utf8")]) {
    assert.match(page, /three\.js authors[^]*Leon Sorokin/, "the licences of what is in the page");
  }
  assert.doesNotMatch(whole, /<(script|link)[^>]*(src|href)="(?!data:)/);
});

test("a published folder plays, and shows the values of the library", { skip }, async () => {
  for (const recording of oneOfEach()) {
    await on(`#r=${recording.id}&stage=table`, {}, (page) => playThrough(page, recording));
  }
});

/** The single file with some recordings in it. */
function single(recordings: readonly Listed[]): string {
  const library = JSON.parse(readFileSync(`${SITE}/library.json`, "utf8")) as { version: number; recordings: Listed[] };
  const ids = recordings.map(({ id }) => id);
  const json = (path: string, text: string): string =>
    `<script type="application/json" data-file="${path}">${text.replaceAll("<", "\\u003c")}</script>`;
  const parts = [
    json(
      "library.json",
      JSON.stringify({ ...library, recordings: library.recordings.filter(({ id }) => ids.includes(id)) }),
    ),
  ];
  for (const id of ids) {
    for (const file of readdirSync(`${SITE}/r/${id}`)) {
      const bytes = readFileSync(`${SITE}/r/${id}/${file}`);
      const path = `r/${id}/${file}`;
      parts.push(
        file.endsWith(".json")
          ? json(path, bytes.toString("utf8"))
          : `<script type="text/plain" data-file="${path}">${bytes.toString("base64")}</script>`,
      );
    }
  }
  return readFileSync(`${DIST}/single/index.html`, "utf8").replace("<!-- data -->", () => parts.join("\n"));
}

test("the single file plays from the disk, without a server", { skip }, async () => {
  for (const recording of oneOfEach()) {
    const file = `${SHOTS}/single.html`;
    writeFileSync(file, single([recording]));
    await on(`${pathToFileURL(file).href}#stage=table`, {}, (page) => playThrough(page, recording));
  }
});

test("text of recordings is never markup", { skip }, async () => {
  const [recording] = oneOfEach();
  const evil = '<img src=x onerror="document.title=1">';
  const hostile = await serve([`${DIST}/site`, SITE], (path, file) => {
    if (!path.endsWith("recording.json")) {
      return file;
    }
    const json = JSON.parse(file.toString("utf8")) as Record<string, unknown>;
    const step = { step: 1, tick: null, time_ms: 10 };
    return Buffer.from(
      JSON.stringify({
        ...json,
        name: evil,
        summary: evil,
        notes: [evil],
        markers: [{ kind: "event", source: evil, text: evil, ...step }],
      }),
    );
  });
  await on(`${hostile.address}#r=${recording!.id}`, {}, async (page) => {
    await page.getByRole("heading", { name: evil }).first().waitFor();
    for (const tab of ["moments", "facts", "now", "plots"]) {
      await page.click(`#tab-${tab}`);
      assert.equal(await page.locator("img").count(), 0);
    }
    const box = (await page.locator(".timeline").boundingBox())!;
    await page.mouse.move(box.x + 12, box.y + 20);
    assert.equal(await page.locator("img").count(), 0);
  });
  hostile.close();
});

test("missing or damaged parts are reported, and the rest plays", { skip }, async () => {
  const long = listed().find(({ id }) => readdirSync(`${SITE}/r/${id}`).length > 7)!;
  const of = published(readFileSync(`${SITE}/r/${long.id}/recording.json`, "utf8"));
  const [second, third] = [of.segments[1]!.file, of.segments[2]!.file];
  const broken = await serve([`${DIST}/site`, SITE], (path, file) => {
    return path.endsWith(second) ? null : path.endsWith(third) ? file.subarray(0, file.length / 2) : file;
  });
  await on(
    `${broken.address}#r=${long.id}&stage=table`,
    {},
    async (page) => {
      await page.locator(".tablestage tbody tr:not([aria-hidden])").first().waitFor();
      await page.evaluate(
        (at) => (location.hash = `${location.hash}&t=${at}`),
        of.segments[4]!.from.timeMs ?? of.segments[4]!.from.step,
      );
      await page.waitForTimeout(400);
      await compare(page, long);
      await page.keyboard.press("Home");
      for (let step = 0; step < 14; step += 1) {
        await page.keyboard.press("ArrowRight");
        await page.waitForTimeout(40);
      }
      const alert = (await page.locator(".alert").textContent()) ?? "";
      assert.match(alert, /segment [23]/);
    },
    "whatever",
  );
  broken.close();
});

test("keys, links, and a second recording on the same clock", { skip }, async () => {
  const recording = ofFormat("murk");
  await on(`#r=${recording.id}&t=5000&with=${recording.id}&stage=table`, {}, async (page) => {
    await page.locator(".theatre").nth(1).locator("tbody tr:not([aria-hidden])").first().waitFor();
    const texts = (at: number): Promise<string[]> =>
      page.locator(".theatre").nth(at).locator("tbody").allTextContents();
    assert.deepEqual(await texts(0), await texts(1));
    assert.equal(await clockOf(page), 5000);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("[");
    await page.waitForURL(/t=6000/);
    assert.match(page.url(), /loop=6000/);
    await page.reload();
    await settled(page);
    assert.equal(await clockOf(page), 6000);
    await page.keyboard.press("?");
    assert.equal((await page.locator("dialog kbd").count()) > 10, true);
    await page.keyboard.press("Escape");
    await page.keyboard.press("b");
    await page.waitForTimeout(100);
    assert.equal(await page.locator(".theatre").count(), 1);
    const theme = (): Promise<string | null> => page.locator("html").getAttribute("data-theme");
    const was = await theme();
    await page.keyboard.press("t");
    assert.notEqual(await theme(), was);
    await page.keyboard.press("l");
    await page.locator("input[type=search]").fill(recording.name);
    assert.equal((await page.locator(".cards .name").allTextContents()).includes(recording.name), true);
  });
});

test("however many events there are, each is on the timeline or counted", { skip }, async () => {
  const long = listed().find(({ name }) => name === "match.butter")!;
  const event = (source: string, step: number, text: string, more = {}): object => {
    return { kind: "event", source, text, step, tick: null, time_ms: step * 66, ...more };
  };
  const markers = [
    ...Array.from({ length: 3 }, (_, at) => event("goals", 300 * (at + 1), `goal ${at}`)),
    ...Array.from({ length: 150 }, (_, at) => event("throws", 8 * at + 9, `throw ${at}`)),
    ...Array.from({ length: 100_000 }, (_, at) => event("hits", Math.floor(at / 80), `hit ${at}`)),
    event("catches", 0, "catch", { count: 40 }),
    event("catches", 700, "another catch"),
  ];
  const many = await serve([`${DIST}/site`, SITE], (path, file) => {
    if (!path.endsWith("recording.json")) {
      return file;
    }
    const json = JSON.parse(file.toString("utf8")) as { description: { tables: { name: string; rows: number }[] } };
    const { tables } = json.description;
    tables.find(({ name }) => name === "joins")!.rows = 1234;
    return Buffer.from(JSON.stringify({ ...json, markers }));
  });
  await on(`${many.address}#r=${long.id}&stage=table`, {}, async (page) => {
    await settled(page);
    const sources = (): Promise<string[]> => page.locator('.sources [aria-pressed="true"]').allTextContents();
    assert.equal(await page.getByText("Events (100,194)").count(), 1);
    assert.deepEqual(await sources(), ["goals 3", "throws 150", "catches 41"]);
    // The page says which events have no markers.
    assert.match((await page.locator(".moments").textContent()) ?? "", /Without markers.*joins \(1,234\)/);
    assert.equal(await page.locator("button.moment", { hasText: "throw" }).count(), 150);
    assert.equal(await page.locator("button.moment", { hasText: "× 40, at first catch" }).count(), 1);
    // Keys go to markers with pins.
    await page.keyboard.press("n");
    await page.waitForURL(/t=594(&|$)/);
    await page.locator(".sources button", { hasText: "throws" }).click();
    assert.deepEqual(await sources(), ["goals 3", "catches 41"]);
    assert.equal(await page.locator("button.moment", { hasText: "throw" }).count(), 0);
    await page.keyboard.press("n");
    await page.waitForURL(/t=19800(&|$)/);
    // Where there are many, the number of each kind is shown.
    const box = (await page.locator(".timeline").boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + 30);
    const tip = (await page.locator(".tip").textContent()) ?? "";
    assert.match(tip, /throws × [1-9]/);
    assert.match(tip, /hits × [1-9],\d\d\d/);
    await page.screenshot({ path: `${SHOTS}/markers-many.png` });
    // All of them can be put on the timeline; the list stays bounded.
    await page.locator(".sources button", { hasText: "hits" }).click();
    assert.equal(await page.locator("button.moment .mark.event").count(), 2000);
    assert.match((await page.locator(".moments").textContent()) ?? "", /and 98,005 more, on the timeline/);
    await page.keyboard.press("Home");
    await page.keyboard.press("n");
    await page.waitForURL(/t=66(&|$)/);
  });
  many.close();
});

test("the link of a clip opens at its start, copied or taken from the address", { skip }, async () => {
  const recording = ofFormat("butter");
  const clip = async (page: Page): Promise<void> => {
    await settled(page);
    assert.equal(await clockOf(page), 5000, page.url());
    assert.equal(await page.locator('.transport [aria-pressed="true"][aria-label^="Loop"]').count(), 1);
    await page.keyboard.press("Space");
    // How soon it moves depends on the machine.
    let now = 5000;
    for (let wait = 0; now === 5000 && wait < 100; wait++) {
      await page.waitForTimeout(100);
      now = await clockOf(page);
    }
    assert.ok(now > 5000 && now <= 7000, `at ${now}`);
    await page.keyboard.press("Space");
  };
  await on(`#r=${recording.id}&t=5000&stage=table`, {}, async (page) => {
    await settled(page);
    await page.keyboard.press("[");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("]");
    await page.waitForURL(/loop=5000%7E7000/);
    await page.reload();
    await clip(page);
    await page.keyboard.press("]");
    await page.keyboard.press("End");
    await page.waitForURL(/t=[1-9]\d{4}/);
    // The clip is copied, wherever the playhead is.
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.keyboard.press("c");
    await page.locator(".word:not(:empty)").waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    assert.doesNotMatch(link, /[#&]t=/);
    await page.goto("about:blank");
    await page.goto(link);
    await clip(page);
    // A clip outside of the recording is refused.
    await page.goto(`${here.site.address}#r=${recording.id}&loop=5000~9000000`);
    await page.reload();
    await settled(page);
    assert.equal(await clockOf(page), 5000);
    await page.goto(`${here.site.address}#r=${recording.id}&loop=8000000~9000000`);
    await page.reload();
    await page.locator(".word:not(:empty)").waitFor();
    assert.match((await page.locator(".word").textContent()) ?? "", /is not in this recording/);
    assert.equal(await clockOf(page), 0);
  });
});

test("while it stands still the rows of any table can be chosen", { skip }, async () => {
  const recording = ofFormat("butter");
  await on(`#r=${recording.id}&t=20000&stage=table`, {}, async (page) => {
    await settled(page);
    await page.click("#tab-plots");
    const rows = page.locator('.plots select[aria-label="Row"] option');
    for (const table of ["players", "disc", "players"]) {
      await page.locator('.plots select[aria-label="Table"]').selectOption(table);
      await settled(page);
      const there = await rows.allTextContents();
      if (table === "players") {
        assert.ok(there.length > 6, `${table}: ${there.join(", ")}`);
        assert.equal(there[0], "the first 5");
      } else {
        assert.deepEqual(there, [], "it has one row");
      }
    }
    await page.screenshot({ path: `${SHOTS}/plots-paused.png` });
    await page.locator('.plots select[aria-label="Row"]').selectOption({ index: 2 });
    await page.click(".plots button.text");
    await page.locator(".plot canvas").waitFor();
    // It is drawn of the whole recording.
    await page.waitForFunction(() => !(document.querySelector(".plot h3")?.textContent ?? "%").includes("%"));
  });
});

test("it looks well, wide and on a phone, dark and light", { skip }, async () => {
  for (const { id, format } of oneOfEach()) {
    for (const [size, viewport] of [
      ["wide", WIDE],
      ["phone", PHONE],
    ] as const) {
      for (const colorScheme of ["dark", "light"] as const) {
        await on(`#r=${id}`, { viewport, colorScheme }, async (page) => {
          await page.locator(".player .place > *").first().waitFor();
          await page.keyboard.press("ArrowRight");
          await page.waitForTimeout(500);
          await assertFits(page);
          await page.screenshot({ path: `${SHOTS}/${format}-${size}-${colorScheme}.png` });
        });
      }
    }
  }
});
