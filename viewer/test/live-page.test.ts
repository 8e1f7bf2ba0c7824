// A live recording in a browser: watched to its end over a socket, from a server that is killed, and from one that
// sends garbage.

import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { test } from "node:test";

import type { BrowserContextOptions, Page, WebSocketRoute } from "playwright-core";

import { DIST, PHONE, SHOTS, WIDE, assertFits, cells, clockOf, here, onPage, serve } from "./browser.js";
import { skip, startsBrowser, stepOf } from "./browser.js";
import { COMMAND, Growing, ORIGINALS, SITE, dump, listed } from "./recordings.js";

startsBrowser();

const NAME = "match.butter";
const BEGUN = 2;

interface Options {
  /** The segments that are there at first. */
  readonly there?: number;
  readonly socket?: boolean;
}

/** A server of a live recording; the test sends on its sockets. */
class Server {
  readonly growing: Growing;
  readonly id: string;
  readonly sockets: WebSocketRoute[] = [];
  /** The number of segments that it lists. */
  there: number;
  ended = false;
  private readonly socketed: boolean;
  private site: Awaited<ReturnType<typeof serve>> | null = null;

  constructor({ there = BEGUN, socket = true }: Options) {
    this.there = there;
    this.socketed = socket;
    this.id = listed().find(({ name }) => name === NAME)!.id;
    this.growing = new Growing(this.id);
  }

  async start(): Promise<void> {
    this.site = await serve([`${DIST}/site`, SITE], (path, file) =>
      path.endsWith("recording.json")
        ? this.growing.json(this.there, !this.ended, this.socketed ? "live" : null)
        : file,
    );
  }

  async open(page: Page, hash: string): Promise<void> {
    await page.routeWebSocket(/\/live(\?|$)/, (socket) => {
      this.sockets.push(socket);
      // A socket that the test does not close stays open.
      socket.onMessage(() => assert.fail("a client has nothing to say"));
    });
    await page.goto(`${this.site!.address}#r=${this.id}${hash}`);
    await page.locator(".player").waitFor();
    if (this.there > 0) {
      await page.locator('.player[aria-busy="false"]').waitFor();
    }
  }

  get socket(): WebSocketRoute {
    return this.sockets.at(-1)!;
  }

  /** Sends the records of a segment, so many milliseconds apart; each step in a message. */
  async send(index: number, apart: number, until = Infinity): Promise<void> {
    for (const record of this.growing.records[index]!.slice(0, until)) {
      this.socket.send(record);
      await new Promise((resolve) => setTimeout(resolve, apart));
    }
  }

  get end(): number {
    return Growing.ms(this.growing.whole.segments[this.there - 1]!.to);
  }

  close(): void {
    this.site?.close();
  }
}

/** Opens a live recording. The console has to stay empty meanwhile. */
async function watching(
  hash: string,
  { there = BEGUN, socket = true, ...options }: BrowserContextOptions & Options,
  act: (page: Page, server: Server) => Promise<void>,
): Promise<void> {
  const server = new Server({ there, socket });
  await server.start();
  const opened = async (page: Page): Promise<void> => {
    await server.open(page, hash);
    await act(page, server);
  };
  try {
    await onPage(options, opened, "no errors");
  } finally {
    server.close();
  }
}

/** The end of the recording, as the page knows it. */
async function endOf(page: Page): Promise<number> {
  return Number(await page.locator(".timeline").getAttribute("aria-valuemax"));
}

/** Waits until the page knows of this moment. */
async function reaches(page: Page, ms: number): Promise<void> {
  await page.waitForFunction(
    (to) => Number(document.querySelector(".timeline")?.getAttribute("aria-valuemax")) >= to,
    Math.floor(ms),
  );
}

/** Waits until the page shows this step. */
async function showsStep(page: Page, step: number): Promise<void> {
  await page.waitForFunction(
    (step) => document.querySelector(".transport .step")!.textContent!.includes(` ${step}`),
    step.toLocaleString("en"),
  );
}

/** Waits until the page follows the recording, or does not. */
async function follows(page: Page, is = true): Promise<void> {
  await page.waitForFunction(
    (is) => document.querySelector(".golive")?.getAttribute("aria-pressed") === String(is),
    is,
  );
}

test("a recording is watched live to its end, left, gone back to, and kept", { skip }, async () => {
  await watching("&stage=table", {}, async (page, server) => {
    const { growing } = server;
    await follows(page);
    server.socket.send(growing.begin(server.there));
    await server.send(BEGUN, 20);
    const end = Growing.ms(growing.whole.segments[BEGUN]!.to);
    assert.ok(Math.abs((await endOf(page)) - end) <= 1);
    // As close to the end as it can be and play evenly.
    await page.waitForFunction((end) => {
      const text = document.querySelector(".clock")!.textContent!;
      return text.split(":").reduce((sum, part) => 60 * sum + Number(part), 0) * 1000 > end - 400;
    }, end);
    // After going back, it stays there, and plays on from there.
    await page.keyboard.press("Shift+ArrowLeft");
    await follows(page, false);
    const behind = await clockOf(page);
    assert.ok(behind < end - 1000);
    server.socket.send(growing.segment(BEGUN));
    await server.send(BEGUN + 1, 5);
    assert.ok((await clockOf(page)) < end);
    await page.keyboard.press("End");
    await follows(page);
    await page.locator(".golive").waitFor();
    assert.match(await page.locator(".top .live").textContent() ?? "", /live/);
    // A new marker is shown.
    await page.click("#tab-moments");
    assert.equal(await page.locator("button.moment").count(), 0);
    server.socket.send(JSON.stringify({ kind: "markers", markers: growing.whole["markers"] }));
    await page.locator("button.moment").first().waitFor();
    // The rest at once, and the end of it.
    server.socket.send(growing.segment(BEGUN + 1));
    for (let index = BEGUN + 2; index < growing.whole.segments.length; index += 1) {
      await server.send(index, 0);
      server.socket.send(growing.segment(index));
    }
    server.there = growing.whole.segments.length;
    server.ended = true;
    server.socket.send(JSON.stringify({ kind: "end", why: "the writer has closed it" }));
    await page.locator(".top .verdict").waitFor();
    await page.locator(".top .live").waitFor({ state: "detached" });
    await page.locator(".golive").waitFor({ state: "hidden" });
    await page.keyboard.press("End");
    const of = growing.whole.segments.at(-1)!.to;
    await showsStep(page, of.step);
    // The state at the end is that of the library.
    const table = (await page.locator('.tablestage [role="tab"][aria-selected="true"]').textContent()) ?? "";
    const [line] = dump(NAME, "--state", "--table", table, "--at", `step:${of.step}`);
    const texts = await cells(page);
    assert.ok(texts.flat().includes(String(line!["status"])), `${JSON.stringify(texts)} ${JSON.stringify(line)}`);
  });
});

test("a recording that is opened before its first row counts time, and its links lead to the moment", { skip }, async () => {
  await watching("&stage=table", { there: 0 }, async (page, server) => {
    const { growing } = server;
    server.socket.send(growing.begin(0));
    await server.send(0, 2);
    const end = Growing.ms(growing.whole.segments[0]!.to);
    await page.waitForFunction((end) => document.querySelector(".timeline")?.ariaValueMax === end, String(Math.round(end)));
    await page.keyboard.press("Space");
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await page.waitForURL(/t=1000(&|$)/);
    assert.equal(await clockOf(page), 1000);
    await page.locator('.player[aria-busy="false"]').waitFor();
    assert.match((await page.locator(".transport .where").textContent()) ?? "", /^0:01\.00 \/ 0:\d\dframe \d+$/);
    await page.keyboard.press("Space");
    await page.waitForTimeout(500);
    assert.ok((await clockOf(page)) > 1200, "it plays as time goes by");
    await page.screenshot({ path: `${SHOTS}/live-early.png` });
  });
});

test("without a socket a live recording is followed by its segments, to its end", { skip }, async () => {
  await watching("&stage=table", { socket: false }, async (page, server) => {
    const { segments } = server.growing.whole;
    assert.ok((await clockOf(page)) <= server.end);
    server.there = BEGUN + 2;
    await reaches(page, server.end);
    server.there = segments.length;
    server.ended = true;
    await reaches(page, server.end);
    await page.locator(".top .verdict").waitFor();
    await page.keyboard.press("End");
    await showsStep(page, segments.at(-1)!.to.step);
    assert.equal(server.sockets.length, 0);
  });
});

test("the link of a clip of a live recording opens at its start", { skip }, async () => {
  await watching("&stage=table&loop=1000~3000", {}, async (page, server) => {
    server.socket.send(server.growing.begin(server.there));
    await follows(page, false);
    assert.equal(await clockOf(page), 1000);
    assert.match(page.url(), /loop=1000(~|%7E)3000/);
    await page.locator('.transport [aria-pressed="true"][aria-label^="Loop"]').waitFor();
  });
});

test("a page that is too slow uses segments, and comes back; garbage does no harm", { skip }, async () => {
  await watching("&stage=table", {}, async (page, server) => {
    const { growing } = server;
    server.socket.send(growing.begin(server.there));
    await server.send(BEGUN, 1, 30);
    await server.socket.close({ code: 4000, reason: "too slow" });
    await page.locator(".alert:not([hidden])").waitFor();
    assert.match((await page.locator(".alert").textContent()) ?? "", /could not keep up/);
    // Segments go on.
    server.there = BEGUN + 2;
    await reaches(page, server.end);
    await follows(page);
    while (server.sockets.length < 2) {
      await page.waitForTimeout(100);
    }
    server.socket.send("\u0000 garbage");
    while (server.sockets.length < 3) {
      await page.waitForTimeout(100);
    }
    server.socket.send(growing.begin(server.there));
    await server.send(BEGUN + 2, 1);
    assert.ok((await endOf(page)) > server.end);
    server.socket.send(Buffer.from([2, 255, 255, 255, 255, 1, 2, 3]));
    await page.locator(".alert:not([hidden])").waitFor();
    // Its writer is killed: the content stays, with its verdict.
    server.there = BEGUN + 3;
    server.ended = true;
    await page.locator(".top .verdict").waitFor();
    await page.waitForFunction(() => document.querySelector<HTMLElement>(".golive")!.hidden);
    assert.equal(await endOf(page), Math.round(Growing.ms(growing.whole.segments[BEGUN + 2]!.to)));
    await page.keyboard.press("Home");
    await page.waitForTimeout(200);
    assert.ok((await cells(page)).length > 0);
  });
});

test("a socket that comes in bursts plays evenly, and memory stays bounded", { skip }, async () => {
  await watching("&stage=table", {}, async (page, server) => {
    const { growing } = server;
    server.socket.send(growing.begin(server.there));
    const clocks: number[] = [];
    let done = false;
    const reading = (async () => {
      while (!done) {
        clocks.push(await clockOf(page));
        await page.waitForTimeout(30);
      }
    })();
    // A second's worth every second.
    let packet = 0;
    for (let index = BEGUN; index < BEGUN + 3; index += 1) {
      for (const record of growing.records[index]!) {
        server.socket.send(record);
        packet += record[0] === 2 ? 1 : 0;
        if (packet % 15 === 0 && record[0] === 2) {
          await page.waitForTimeout(1000);
        }
      }
      server.socket.send(growing.segment(index));
    }
    done = true;
    await reading;
    const moved = clocks.map((at, index) => at - (clocks[index - 1] ?? at));
    assert.ok(moved.every((by) => by >= 0), "it never goes back");
    const later = moved.slice(Math.floor(moved.length / 2));
    assert.ok(later.filter((by) => by > 0).length > later.length / 2, `it moves: ${later.join(" ")}`);
    // A long session repeats this one: the memory that it takes is bounded.
    const kept = await page.evaluate(() => document.querySelectorAll("*").length);
    assert.ok(kept < 2000, `${kept} elements`);
  });
});

test("live looks well, wide and on a phone, dark and light", { skip }, async () => {
  for (const [size, viewport, colorScheme] of [
    ["wide", WIDE, "dark"],
    ["phone", PHONE, "light"],
  ] as const) {
    await watching("", { viewport, colorScheme }, async (page, server) => {
      server.socket.send(server.growing.begin(server.there));
      await server.send(BEGUN, 10);
      await page.waitForTimeout(500);
      await assertFits(page);
      await page.screenshot({ path: `${SHOTS}/live-${size}-${colorScheme}.png` });
    });
  }
});

/** The command with these arguments. `said` waits until its output matches, and gives what is in the brackets. */
function started(...args: string[]): { process: ChildProcess; said(pattern: RegExp): Promise<string> } {
  const process = spawn(COMMAND, args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const hear = (text: Buffer): void => void (output += text.toString());
  process.stdout.on("data", hear);
  process.stderr.on("data", hear);
  const said = async (pattern: RegExp): Promise<string> => {
    for (let tries = 0; tries < 400; tries += 1) {
      const found = pattern.exec(output);
      if (found !== null) {
        return found[1] ?? "";
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`gametape ${args.join(" ")}: ${output}`);
  };
  return { process, said };
}

const ADDRESS = /(http:\/\/127\.0\.0\.1:\d+\/)/;

test("gametape serve and a writer that is killed: watched live, and whole afterwards", { skip }, async () => {
  const folder = mkdtempSync(`${tmpdir()}/gametape-live-`);
  const { stderr, status } = spawnSync(
    COMMAND,
    ["convert", `${ORIGINALS}/match.echoreplay`, `${folder}/whole.echoreplay`, "--plain"],
    { encoding: "utf8" },
  );
  assert.equal(status, 0, stderr);
  const lines = readFileSync(`${folder}/whole.echoreplay`, "utf8").split("\n");
  rmSync(`${folder}/whole.echoreplay`);
  const file = `${folder}/now.echoreplay`;
  let written = 150;
  writeFileSync(file, lines.slice(0, written).join("\n") + "\n");
  const server = started("serve", folder, "--page", DIST, "--listen", "127.0.0.1:0");
  const writing = setInterval(() => {
    appendFileSync(file, `${lines[written]}\n`);
    written += 1;
  }, 66);
  const context = await here.browser.newContext({ viewport: WIDE });
  const page = await context.newPage();
  const said: string[] = [];
  page.on("pageerror", (error) => said.push(error.message));
  const messages = { text: 0, binary: 0 };
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => (messages[typeof payload === "string" ? "text" : "binary"] += 1)),
  );
  try {
    await page.goto(`${await server.said(ADDRESS)}#stage=table`);
    await page.locator(".top .live").waitFor({ timeout: 20_000 });
    // Frame by frame, over the socket, and near to the newest: a second at most, on a machine that has time.
    let [seen, behind] = [0, Infinity];
    const from = messages.binary;
    while (seen < 30 || behind > 15) {
      assert.ok(written < 600, `${seen} times ${behind} frames behind, ${messages.binary} messages with records`);
      await page.waitForTimeout(100);
      behind = written - (await stepOf(page));
      seen += 1;
    }
    assert.ok(messages.binary > from + 20, `${messages.binary} messages with records`);
    await page.keyboard.press("Home");
    await page.waitForFunction(() => document.querySelector(".clock")!.textContent!.startsWith("0:0"));
    await page.keyboard.press("End");
    await follows(page);
    // It is killed in the middle of a frame.
    clearInterval(writing);
    appendFileSync(file, lines[written]!.slice(0, 500));
    await page.locator(".top .verdict").waitFor({ timeout: 60_000 });
    assert.equal(await page.locator(".golive").isVisible(), false);
    await page.keyboard.press("End");
    await showsStep(page, written - 1);
    assert.deepEqual(said, []);
  } finally {
    clearInterval(writing);
    await context.close();
    server.process.kill();
    rmSync(folder, { recursive: true });
  }
});

/** The packets of a session, as a server sends them to a client that greets it. */
function packetsOf(folder: string): { readonly schema: string; readonly packets: Buffer[] } {
  const { status, stderr } = spawnSync(COMMAND, ["convert", `${ORIGINALS}/arena.mcap`, `${folder}/arena.delta`], {
    encoding: "utf8",
  });
  assert.ok(status === 0 || status === 3, stderr);
  const bytes = readFileSync(`${folder}/arena.delta`);
  const packets: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    // A header of 28 bytes ends with the length of what follows.
    const end = at + 28 + bytes.readUInt32LE(at + 24);
    packets.push(bytes.subarray(at, end));
    at = end;
  }
  return { schema: `${ORIGINALS}/arena.mcap`, packets };
}

test("a server that is started again: the recording ends, and its page leads to the next", { skip }, async () => {
  const folder = mkdtempSync(`${tmpdir()}/gametape-anew-`);
  const { schema, packets } = packetsOf(folder);
  const options = ["--udp", "127.0.0.1:0", "--schema", schema, "--no-feedback", "--serve", "--listen", "127.0.0.1:0", "--page", DIST];
  const recorder = started("record", "stream", ...options, `${folder}/arena.mcap`);
  const page = await (await here.browser.newContext({ viewport: WIDE })).newPage();
  const server = createSocket("udp4");
  try {
    const address = await recorder.said(ADDRESS);
    const port = await recorder.said(/listening at 127\.0\.0\.1:(\d+)/);
    const send = async (from: number, to: number): Promise<void> => {
      for (const packet of packets.slice(from, to)) {
        server.send(packet, Number(port), "127.0.0.1");
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    await send(0, 60);
    await page.goto(address);
    await page.locator(".top .live").waitFor({ timeout: 20_000 });
    await send(60, 150);
    // It is restarted: its ticks start again.
    await send(0, 90);
    await recorder.said(/the sender has begun anew, from tick 1: what comes now goes into/);
    await page.locator(".begun a").waitFor({ timeout: 20_000 });
    // The message about the end is not overwritten by the description of the picture.
    assert.match((await page.locator(".word").textContent()) ?? "", /^(The recording has ended\.)?$/);
    assert.equal(await page.locator(".begun").textContent(), "This recording has ended, and another one has begun: arena.2.mcap");
    await page.locator(".top .live").waitFor({ state: "detached" });
    await page.screenshot({ path: `${SHOTS}/live-anew.png` });
    await page.click(".begun a");
    await page.getByRole("heading", { name: "arena.2.mcap" }).waitFor();
    await page.locator(".top .live").waitFor();
  } finally {
    await page.context().close();
    server.close();
    recorder.process.kill("SIGKILL");
    rmSync(folder, { recursive: true });
  }
});
