// A stretch of a recording, in memory: packets, and the snapshots at which reading can begin; and the unfinished one
// that a live recording ends with.

import type { EventRow, Moment } from "../model.js";
import { Damaged } from "../source/check.js";
import { EVENT, LABEL, PACKET, SNAPSHOT, gunzip, records, textOf } from "../source/files.js";
import type { SegmentInfo } from "../source/published.js";
import { StateFrame, type Tables } from "../tables/frame.js";
import { eventOf } from "../tables/labels.js";
import { Decoder, type Limits, NO_LIMITS, WireError } from "../wire/index.js";

/** The most rows and tiles at once that a page can show. */
const MOST_ENTITIES = 1 << 20;

export const LIMITS: Limits = { ...NO_LIMITS, entities: MOST_ENTITIES };

interface RecordRange {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** A full snapshot at which reading can begin: the state after so many packets of the segment. */
interface EntryPoint extends RecordRange {
  readonly packets: number;
}

/**
 * A segment. Its positions are counted from 0, which is the snapshot it begins with; each packet after it is one
 * more.
 */
export class Segment {
  readonly index: number;
  /** Positions that can be read; fewer once a packet turns out to be damaged. */
  length = 0;
  readonly events: EventRow[] = [];
  /** The first problem that was met; null while there is none. */
  problem: string | null = null;
  /** The memory that it takes, in bytes. */
  size = 0;
  private readonly tables: Tables;
  private readonly packets: RecordRange[] = [];
  private readonly entries: EntryPoint[] = [];
  /** The moment of each position, as far as they have been read. */
  private readonly ats: number[] = [];

  /** An unfinished segment, still empty. */
  constructor(index: number, tables: Tables) {
    this.index = index;
    this.tables = tables;
  }

  /** Unpacks a segment. */
  static async read(index: number, packed: Uint8Array, tables: Tables, file: string): Promise<Segment> {
    const made = new Segment(index, tables);
    const bytes = await gunzip(packed, made.name);
    try {
      // It may be read again; its labels are known then.
      made.take(bytes, !tables.labelled.has(file));
    } catch (error) {
      if (!(error instanceof Damaged) || made.entries.length === 0) {
        throw error;
      }
      made.problem = error.message;
    }
    if (made.entries.length === 0) {
      throw new Damaged(`${made.name} has nothing in it`);
    }
    tables.labelled.add(file);
    return made;
  }

  /** The segment's name in sentences. */
  get name(): string {
    return `segment ${this.index + 1}`;
  }

  /** The number of packets after the snapshot that it begins with. */
  get count(): number {
    return this.packets.length;
  }

  /** Takes the records that it is made of, or the next ones; with their labels, or without. */
  take(bytes: Uint8Array, labels = true): void {
    const { packets, entries, events, tables, name } = this;
    // A damaged segment stays damaged.
    const sound = this.length === this.positions;
    this.size += bytes.length;
    try {
      records(bytes, name, (kind, start, end) => {
        if (entries.length === 0 && kind !== SNAPSHOT && kind !== LABEL) {
          throw new Damaged(`${name} does not begin with a snapshot`);
        }
        switch (kind) {
          case SNAPSHOT:
            entries.push({ bytes, start, end, packets: packets.length });
            break;
          case PACKET:
            packets.push({ bytes, start, end });
            break;
          case EVENT:
            events.push(eventOf(tables.byName, textOf(bytes, start, end, name)));
            break;
          case LABEL:
            if (labels) {
              tables.labels.take(textOf(bytes, start, end, name));
            }
        }
      });
    } finally {
      if (sound) {
        this.length = this.positions;
      }
    }
  }

  private get positions(): number {
    return this.entries.length === 0 ? 0 : this.packets.length + 1;
  }

  /** The position of the latest known snapshot that is not after the moment `at`. */
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

  /** Reads the snapshot at a position that `entry` gave. Returns false where it is damaged: the segment ends there. */
  enter(position: number, decoder: Decoder, into: StateFrame): boolean {
    const entry = this.entries.findLast(({ packets }) => packets === position);
    return (
      entry !== undefined &&
      this.tried(position, () => {
        decoder.full(entry.bytes.subarray(entry.start, entry.end), into.state);
        into.changed();
        this.ats[position] = into.at;
      })
    );
  }

  /** Reads the packet at a position onto the state before it. */
  step(position: number, decoder: Decoder, from: StateFrame, into: StateFrame): boolean {
    const range = this.packets[position - 1];
    return (
      range !== undefined &&
      position < this.length &&
      this.tried(position, () => {
        decoder.onto(from.state, range.bytes.subarray(range.start, range.end), into.state);
        into.changed();
        this.ats[position] = into.at;
      })
    );
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
      this.problem ??= `packet ${position} of ${this.name}: ${error.message}`;
      return false;
    }
  }
}

/** The unfinished segment of a live recording, whose packets come over a socket. It has no name yet. */
export class Tail implements SegmentInfo {
  readonly file = "";
  readonly segment: Segment;
  /** The first packet that is this segment's own. */
  from: Moment = { step: 0, tick: null, timeMs: null };
  to: Moment = this.from;
  /** Whether it has a packet of its own, and so a place among the segments. */
  begun = false;
  private readonly before: Moment | null;
  private readonly decoder: Decoder;
  private current: StateFrame;
  private next: StateFrame;
  private position = -1;

  /** `before` is the end of the segment before it. */
  constructor(index: number, tables: Tables, before: Moment | null) {
    this.segment = new Segment(index, tables);
    this.before = before;
    this.decoder = new Decoder(tables.schema, { limits: LIMITS });
    [this.current, this.next] = [new StateFrame(tables), new StateFrame(tables)];
  }

  get bytes(): number {
    return this.segment.size;
  }

  get packets(): number {
    return this.segment.count;
  }

  /** Takes whole records. Each packet is read once, to know when it is; what can't be read is refused. */
  take(records: Uint8Array): void {
    const { segment, decoder } = this;
    segment.take(records);
    if (this.position < 0 && segment.length > 0) {
      if (!segment.enter(0, decoder, this.current)) {
        throw new Damaged(segment.problem ?? "the snapshot can't be read");
      }
      this.position = 0;
      // After another segment it is mostly the state that the other ends with.
      this.passed(this.before === null || this.current.moment.step > this.before.step);
    }
    while (this.position >= 0 && this.position + 1 < segment.length) {
      if (!segment.step(this.position + 1, decoder, this.current, this.next)) {
        throw new Damaged(segment.problem ?? "a packet can't be read");
      }
      this.position += 1;
      [this.current, this.next] = [this.next, this.current];
      this.passed(true);
    }
  }

  private passed(own: boolean): void {
    const { moment } = this.current;
    if (own && !this.begun) {
      this.from = moment;
      this.begun = true;
    }
    this.to = moment;
  }
}
