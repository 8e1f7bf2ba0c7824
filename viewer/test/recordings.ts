// Published recordings for the tests, and the values that the library has for them.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import type { Files } from "../src/source/files.js";
import { parseJson } from "../src/wire/index.js";

const HERE = new URL("../../recordings/", import.meta.url);

/** The folder that `gametape publish` wrote, and the recordings it is of. */
export const SITE = process.env["GAMETAPE_SITE"] ?? fileURLToPath(new URL("site", HERE));
export const ORIGINALS = process.env["GAMETAPE_ORIGINALS"] ?? fileURLToPath(new URL("files", HERE));
export const COMMAND = process.env["GAMETAPE"] ?? fileURLToPath(new URL("../../../debug/gametape", import.meta.url));

/** The reason why tests that need recordings can't run; false where they can. */
export const LACKING: string | false =
  existsSync(`${SITE}/library.json`) && existsSync(COMMAND)
    ? false
    : "no published recordings: cargo xtask test viewer makes them";

/** The files of a folder, as a web server has them. */
export class Folder implements Files {
  private readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  text(path: string): Promise<string> {
    return readFile(`${this.path}/${path}`, "utf8");
  }

  async bytes(path: string): Promise<Uint8Array> {
    return new Uint8Array(await readFile(`${this.path}/${path}`));
  }
}

export interface Listed {
  readonly id: string;
  readonly name: string;
  readonly verdict: string;
}

/** The recordings of the library whose originals are there. */
export function listed(): Listed[] {
  if (LACKING !== false) {
    return [];
  }
  const library = JSON.parse(readFileSync(`${SITE}/library.json`, "utf8")) as { recordings: Listed[] };
  const originals = readdirSync(ORIGINALS);
  return library.recordings.filter(({ name }) => originals.includes(name));
}

export type Line = Readonly<Record<string, unknown>>;

/** The output of `gametape dump` for a recording that it reads to the end. */
export function dump(name: string, ...options: string[]): Line[] {
  const lines = dumpOf(name, ...options);
  if (lines === null) {
    throw new Error(`gametape dump ${options.join(" ")} ${name}: it can't be read`);
  }
  return lines;
}

/** The output of `gametape dump`; null where the recording is damaged and has no state there. */
export function dumpOf(name: string, ...options: string[]): Line[] | null {
  const { stdout, stderr, status } = spawnSync(COMMAND, ["dump", "--json", ...options, `${ORIGINALS}/${name}`], {
    encoding: "utf8",
    maxBuffer: 1 << 30,
  });
  if (status === 2 && stderr.includes("is recorded")) {
    return null;
  }
  if (status !== 0 && status !== 1) {
    throw new Error(`gametape dump ${options.join(" ")} ${name}: ${stderr}`);
  }
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => parseJson(line) as Line)
    // The last line of a damaged recording says what is wrong.
    .filter((line) => !("error" in line));
}
