// The files of recordings, on the web beside the page or in the page itself; and the unpacking of segments and labels.

import { Damaged } from "./check.js";

/** The files that the page reads, by paths like `r/ID/recording.json`. */
export interface Files {
  /** While a server still makes the file, `progress` is called with the part that is done, 0 to 1. */
  text(path: string, progress?: (done: number) => void): Promise<string>;
  bytes(path: string): Promise<Uint8Array>;
  /** Whether they are on this machine, so that fetching them uses no network. */
  readonly near?: boolean;
  /** A WebSocket at an address relative to a file; null where there can be none. */
  socket?(address: string, beside: string): Socket | null;
}

/** A WebSocket, as far as it is used. */
export type Socket = Pick<WebSocket, "onopen" | "onmessage" | "onclose" | "close" | "binaryType">;

/** The wait before a server that is still making a file is asked again, in milliseconds. */
const MAKING = 500;
/** The status that such a server answers with. */
const ACCEPTED = 202;

/** Files beside the page. */
export class Fetched implements Files {
  readonly near: boolean;
  private readonly base: string;

  /** `base` is the address of the page. */
  constructor(base: string) {
    this.base = base;
    this.near = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(base).hostname);
  }

  async text(path: string, progress?: (done: number) => void): Promise<string> {
    for (;;) {
      const response = await this.fetch(path);
      const text = await response.text();
      if (response.status !== ACCEPTED) {
        return text;
      }
      const done = member(text, "making");
      progress?.(typeof done === "number" ? done : 0);
      await new Promise((resolve) => setTimeout(resolve, MAKING));
    }
  }

  async bytes(path: string): Promise<Uint8Array> {
    return new Uint8Array(await (await this.fetch(path)).arrayBuffer());
  }

  socket(address: string, beside: string): Socket | null {
    const url = new URL(address, new URL(beside, this.base));
    if (url.origin !== new URL(this.base).origin || !/^https?:$/.test(url.protocol)) {
      return null;
    }
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    return socket;
  }

  private async fetch(path: string): Promise<Response> {
    let response;
    try {
      response = await fetch(new URL(path, this.base));
    } catch {
      throw new Damaged(`${path} can't be loaded: the server does not answer`);
    }
    if (!response.ok) {
      const why = member(await response.text().catch(() => ""), "error");
      const said = typeof why === "string" ? why : `the server says ${response.status} ${response.statusText}`.trim();
      throw new Damaged(`${path} can't be loaded: ${said}`);
    }
    return response;
  }
}

/** A member of an answer that may be JSON, or anything else. */
function member(text: string, name: string): unknown {
  try {
    const json = JSON.parse(text) as unknown;
    return typeof json === "object" && json !== null ? (json as Record<string, unknown>)[name] : undefined;
  } catch {
    return undefined;
  }
}

/** Files in the page, each in an element with `data-file`: JSON as text, everything else in base64. */
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
  const { readable, writable } = new DecompressionStream("gzip");
  const reader = readable.getReader();
  const writer = writable.getWriter();
  // The reader reports the same error.
  writer.write(packed as Uint8Array<ArrayBuffer>).catch(() => {});
  writer.close().catch(() => {});
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

// The records of unpacked segments and labels: a byte for the kind, a length, and so many bytes.
export const SNAPSHOT = 1;
export const PACKET = 2;
export const EVENT = 3;
export const LABEL = 4;

/** Calls `visit` for each record. */
export function records(
  bytes: Uint8Array,
  what: string,
  visit: (kind: number, start: number, end: number) => void,
): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  while (at < bytes.length) {
    if (bytes.length - at < 5) {
      throw new Damaged(`${what} ends within a record`);
    }
    const kind = bytes[at]!;
    const length = view.getUint32(at + 1, true);
    const [start, left] = [at + 5, bytes.length - at - 5];
    if (length > left) {
      throw new Damaged(`${what} claims a record of ${length} bytes, ${left} are left`);
    }
    // Other kinds are from a later version; the format says that they may be skipped.
    visit(kind, start, start + length);
    at = start + length;
  }
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** The text of a record. */
export function textOf(bytes: Uint8Array, start: number, end: number, what: string): string {
  try {
    return UTF8.decode(bytes.subarray(start, end));
  } catch {
    throw new Damaged(`${what} has a text that is no UTF-8`);
  }
}
