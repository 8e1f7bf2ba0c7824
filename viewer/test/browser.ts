// The browser of the tests, and the built page.

import { existsSync, mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { type Browser, chromium } from "playwright-core";

import { LACKING } from "./recordings.js";

export const DIST = fileURLToPath(new URL("../../dist", import.meta.url));
export const SHOTS = fileURLToPath(new URL("../../screenshots", import.meta.url));
const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const ARGS = [
  ..."--headless --no-sandbox --use-angle=swiftshader --enable-unsafe-swiftshader --disable-quic --no-first-run".split(
    " ",
  ),
  ..."--disable-background-networking --disable-component-update --disable-sync".split(" "),
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
