// A stretch of a recording, in memory: packets, and where one can begin to read.

import type { EventRow } from "../model.js";
import { Damaged } from "../source/check.js";
import { gunzip } from "../source/files.js";
import { EVENT, LABEL, PACKET, SNAPSHOT, records, textOf } from "../source/records.js";
import { eventOf } from "../tables/labels.js";
import type { StateFrame, Tables } from "../tables/frame.js";
import { type Decoder, WireError } from "../wire/index.js";

interface Range {
  readonly start: number;
  readonly end: number;
}

/** A full snapshot that one can begin at: the state after so many packets of the segment. */
interface Entry extends Range {
  readonly packets: number;
}

/**
 * A segment. Its positions are counted from 0, which is the snapshot it begins with; each packet behind it
 * is one more.
 */
export class Segment {
  readonly index: number;
  /** Positions that can be read; fewer once a packet turns out to be damaged. */
  length: number;
  readonly events: readonly EventRow[];
  /** What is wrong with it; null as long as nothing is. */
  problem: string | null = null;
  private readonly bytes: Uint8Array;
  private readonly packets: readonly Range[];
  private readonly entries: readonly Entry[];
  /** When each position is, as far as they have been read. */
  private readonly ats: number[] = [];

  private constructor(index: number, bytes: Uint8Array, tables: Tables, file: string) {
    const what = `segment ${index + 1}`;
    const packets: Range[] = [];
    const entries: Entry[] = [];
    const events: EventRow[] = [];
    let problem: string | null = null;
    try {
      records(bytes, what, (kind, start, end) => {
        if (entries.length === 0 && kind !== SNAPSHOT && kind !== LABEL) {
          throw new Damaged(`${what} does not begin with a snapshot`);
        }
        switch (kind) {
          case SNAPSHOT:
            entries.push({ start, end, packets: packets.length });
            break;
          case PACKET:
            packets.push({ start, end });
            break;
          case EVENT:
            events.push(eventOf(tables.byName, textOf(bytes, start, end, what)));
            break;
          case LABEL:
            // It may be read again; its labels are known then.
            if (!tables.labelled.has(file)) {
              tables.labels.take(textOf(bytes, start, end, what));
            }
        }
      });
    } catch (error) {
      if (!(error instanceof Damaged) || entries.length === 0) {
        throw error;
      }
      problem = error.message;
    }
    if (entries.length === 0) {
      throw new Damaged(`${what} has nothing in it`);
    }
    tables.labelled.add(file);
    this.index = index;
    this.bytes = bytes;
    this.packets = packets;
    this.entries = entries;
    this.length = packets.length + 1;
    this.events = events;
    this.problem = problem;
  }

  /** Unpacks a segment. */
  static async read(index: number, packed: Uint8Array, tables: Tables, file: string): Promise<Segment> {
    return new Segment(index, await gunzip(packed, `segment ${index + 1}`), tables, file);
  }

  /** Bytes that it takes. */
  get size(): number {
    return this.bytes.length;
  }

  /** The position of the best snapshot to begin at for what is not after `at`. */
  entry(at: number): number {
    let best = 0;
    for (const { packets } of this.entries) {
      const when = this.ats[packets];
      if (when !== undefined && when <= at && packets < this.length) {
        best = packets;
      }
    }
    return best;
  }

  /** The last snapshot that is not behind a position. */
  entryBefore(position: number): number {
    return this.entries.findLast(({ packets }) => packets <= position)?.packets ?? 0;
  }

  /** Reads the snapshot at a position that `entry` gave. False where it is damaged, and then the segment ends. */
  enter(position: number, decoder: Decoder, into: StateFrame): boolean {
    const entry = this.entries.findLast(({ packets }) => packets === position);
    return entry !== undefined && this.tried(position, () => {
      decoder.full(this.bytes.subarray(entry.start, entry.end), into.state);
      into.changed();
      this.ats[position] = into.at;
    });
  }

  /** Reads the packet at a position onto the state before it. */
  step(position: number, decoder: Decoder, from: StateFrame, into: StateFrame): boolean {
    const range = this.packets[position - 1];
    return range !== undefined && position < this.length && this.tried(position, () => {
      decoder.onto(from.state, this.bytes.subarray(range.start, range.end), into.state);
      into.changed();
      this.ats[position] = into.at;
    });
  }

  private tried(position: number, read: () => void): boolean {
    try {
      read();
      return true;
    } catch (error) {
      if (!(error instanceof WireError) && !(error instanceof Damaged)) {
        throw error;
      }
      this.length = position;
      this.problem ??= `packet ${position} of segment ${this.index + 1}: ${error.message}`;
      return false;
    }
  }
}
