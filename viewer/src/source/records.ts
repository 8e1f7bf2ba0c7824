// The records of unpacked segments and labels: a byte for the kind, a length, and so many bytes.

import { Damaged } from "./check.js";

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
