// The tests in a browser: Chromium, a plain file server as strict as the page has to live with, and what they all read
// from the page.

import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { after, before } from "node:test";
import { fileURLToPath } from "node:url";

import { type Browser, type BrowserContextOptions, type Page, chromium } from "playwright-core";

import { LACKING, SITE } from "./recordings.js";

export const DIST = fileURLToPath(new URL("../../dist", import.meta.url));
export const SHOTS = fileURLToPath(new URL("../../screenshots", import.meta.url));
const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const ARGS = [
  ..."--headless --no-sandbox --use-angle=swiftshader --enable-unsafe-swiftshader --disable-quic".split(" "),
  ..."--no-first-run --disable-background-networking --disable-component-update --disable-sync".split(" "),
];

/** The reason why tests in a browser can't run; false where they can. */
export const skip: string | false =
  LACKING !== false ? LACKING : existsSync(CHROMIUM) ? false : "no Chromium: apt-get install chromium";

if (skip !== false && process.env["CI"] === "true") {
  throw new Error(skip);
}

/** Starts the browser, and makes the folder for screenshots. */
export function launch(): Promise<Browser> {
  mkdirSync(SHOTS, { recursive: true });
  return chromium.launch({ executablePath: CHROMIUM, args: ARGS });
}

/** The browser of a test file, and the published folder as it serves it. */
export const here = {} as { browser: Browser; site: Awaited<ReturnType<typeof serve>> };

/** Starts both before the tests of a file, and ends them after these. */
export function startsBrowser(): void {
  before(async () => {
    if (skip === false) {
      here.browser = await launch();
      here.site = await serve([`${DIST}/site`, SITE]);
    }
  });
  after(async () => {
    here.site?.close();
    await here.browser?.close();
  });
}

export const WIDE = { width: 1280, height: 800 };
export const PHONE = { width: 360, height: 740 };

/** Does something with a page. Meanwhile its console stays empty, or without errors, and it asks no other server. */
export async function onPage(
  options: BrowserContextOptions,
  act: (page: Page) => Promise<void>,
  quiet: "empty" | "no errors" | "whatever" = "empty",
): Promise<void> {
  const context = await here.browser.newContext({ viewport: WIDE, ...options });
  const page = await context.newPage();
  const said: string[] = [];
  page.on("console", (message) => (quiet === "empty" || message.type() === "error") && said.push(message.text()));
  page.on("pageerror", (error) => said.push(error.message));
  page.on("request", (request) => {
    if (!/^((data|blob|file):|http:\/\/127\.0\.0\.1:)/.test(request.url())) {
      said.push(`asks ${request.url()}`);
    }
  });
  try {
    await act(page);
    assert.deepEqual(quiet === "whatever" ? [] : said, []);
  } finally {
    await context.close();
  }
}

/** The text of all cells of the table that is shown, a line each. */
export function cells(page: Page): Promise<string[][]> {
  return page
    .locator(".tablestage tbody tr:not([aria-hidden])")
    .evaluateAll((rows) => rows.map((row) => Array.from(row.children, (cell) => cell.textContent ?? "")));
}

/** The playhead's position in milliseconds. */
export async function clockOf(page: Page): Promise<number> {
  const text = (await page.locator(".clock").textContent()) ?? "";
  return text.split(":").reduce((sum, part) => 60 * sum + Number(part), 0) * 1000;
}

/** The step that the page shows. */
export async function stepOf(page: Page): Promise<number> {
  const text = (await page.locator(".transport .step").textContent()) ?? "";
  return Number(/[\d,]+/.exec(text)![0].replaceAll(",", ""));
}

/** Waits until the page shows the moment that was asked for. */
export async function settled(page: Page): Promise<void> {
  await page.locator(".clock").waitFor();
  await page.waitForTimeout(50);
  await page.locator('.player[aria-busy="false"]').waitFor();
}

/** Nothing sticks out of the page to the right. */
export async function assertFits(page: Page): Promise<void> {
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing sticks out");
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
};

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'";

/** Serves the files of folders, the first that has one; `change` may give others, or null for none. */
export async function serve(
  folders: readonly string[],
  change: (path: string, file: Buffer) => Buffer | null = (_, file) => file,
): Promise<{ readonly address: string; close(): void }> {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname));
    void find(folders, path === "/" ? "/index.html" : path).then((file) => {
      const given = file === null ? null : change(path, file);
      response.writeHead(given === null ? 404 : 200, {
        "content-type": TYPES[path === "/" ? ".html" : extname(path)] ?? "application/octet-stream",
        "content-security-policy": POLICY,
      });
      response.end(given ?? "");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}/`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function find(folders: readonly string[], path: string): Promise<Buffer | null> {
  for (const folder of folders) {
    try {
      return await readFile(join(folder, path));
    } catch {
      // The next one may have it.
    }
  }
  return null;
}
