// Where the files are: on the web beside the page, or in the page itself.

import { Damaged } from "./check.js";

/** What the page reads, by paths like `r/ID/recording.json`. */
export interface Files {
  text(path: string): Promise<string>;
  bytes(path: string): Promise<Uint8Array>;
}

/** Files beside the page. */
export class Fetched implements Files {
  private readonly base: string;

  /** `base` is the address of the page. */
  constructor(base: string) {
    this.base = base;
  }

  async text(path: string): Promise<string> {
    return (await this.fetch(path)).text();
  }

  async bytes(path: string): Promise<Uint8Array> {
    return new Uint8Array(await (await this.fetch(path)).arrayBuffer());
  }

  private async fetch(path: string): Promise<Response> {
    let response;
    try {
      response = await fetch(new URL(path, this.base));
    } catch {
      throw new Damaged(`${path} can't be loaded: the server does not answer`);
    }
    if (!response.ok) {
      throw new Damaged(`${path} can't be loaded: the server says ${response.status} ${response.statusText}`.trim());
    }
    return response;
  }
}

/** Files in the page, each an element with `data-file`: JSON as such, all else in base64. */
export class Embedded implements Files {
  private readonly elements = new Map<string, Element>();

  constructor(elements: Iterable<Element>) {
    for (const element of elements) {
      this.elements.set(element.getAttribute("data-file") ?? "", element);
    }
  }

  text(path: string): Promise<string> {
    return this.read(path, (text) => text);
  }

  bytes(path: string): Promise<Uint8Array> {
    return this.read(path, (text) => {
      let raw;
      try {
        raw = atob(text.trim());
      } catch {
        throw new Damaged(`${path} in this page is damaged`);
      }
      return Uint8Array.from(raw, (character) => character.charCodeAt(0));
    });
  }

  private async read<T>(path: string, of: (text: string) => T): Promise<T> {
    const element = this.elements.get(path);
    if (element === undefined) {
      throw new Damaged(`${path} is not in this page`);
    }
    return of(element.textContent ?? "");
  }
}

/** Most bytes that a file may have when unpacked. */
const MOST = 256 << 20;

/** Unpacks gzip. */
export async function gunzip(packed: Uint8Array, what: string, most = MOST): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const unpacked = new Blob([packed as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream("gzip"));
  const reader = unpacked.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        break;
      }
      parts.push(value);
      length += value.length;
      if (length > most) {
        void reader.cancel();
        throw new Damaged(`${what} has more than ${most} bytes unpacked`);
      }
    }
  } catch (error) {
    throw error instanceof Damaged ? error : new Damaged(`${what} is damaged: it can't be unpacked`);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
