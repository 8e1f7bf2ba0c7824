// Segments: loaded when they are wanted, and a few kept.

import { Damaged } from "../source/check.js";
import type { Files } from "../source/files.js";
import { LABEL, records, textOf } from "../source/records.js";
import { gunzip } from "../source/files.js";
import { type Marker, type Published, type SegmentInfo, published } from "../source/published.js";
import { Tables } from "../tables/frame.js";
import type { Stretch } from "./playhead.js";
import { Segment } from "./segment.js";
import { Tail } from "./tail.js";

/** Unpacked bytes of segments that are kept, those just wanted aside. */
const KEPT_BYTES = 64 << 20;
/** Segments that are kept whatever their size: the one that plays and its neighbours. */
const KEPT_LEAST = 3;

/** Packed bytes that are kept of what lies on this machine. */
const PACKED_BYTES = 64 << 20;
/** Between two of those others get their turn, in milliseconds. */
const GATHERS = 15;

/** A recording that has been opened: its tables, and its segments as they are wanted. */
export class Loader {
  published: Published;
  readonly tables: Tables;
  /** All segments, the one in the making among them. */
  infos: readonly SegmentInfo[] = [];
  /** When each segment begins: milliseconds, or steps. */
  starts: readonly number[] = [];
  /** The first moment and the last. */
  from = 0;
  to = 0;
  /** Called when a segment has come, or will not. */
  onChange: () => void = () => {};
  /** The usual time from one packet to the next. */
  pace = 0;
  readonly files: Files;
  /** The segment in the making, where somebody follows it. */
  private tail: Tail | null = null;
  /** Those that are there, the one asked for last at the end. */
  private readonly kept = new Map<number, Segment>();
  private readonly coming = new Map<number, Promise<Segment | null>>();
  /** Packets of the segments that have a name. */
  private named = 0;
  private readonly lost = new Map<number, string>();
  /** Segments as they came, by their names: to unpack one takes no time, to have it come does. */
  private readonly packed = new Map<string, Uint8Array>();

  private constructor(files: Files, of: Published, tables: Tables) {
    this.files = files;
    this.published = of;
    this.tables = tables;
    this.measure();
  }

  private measure(): void {
    const { segments, described, live } = this.published;
    this.infos = this.tail?.begun === true ? [...segments, this.tail] : segments;
    // What was opened before anything was there knew of no clock.
    this.infos.forEach(({ to }) => this.tables.met(to));
    let latest = -Infinity;
    // Clocks may go back; a playhead does not.
    this.starts = this.infos.map(({ from }) => (latest = Math.max(latest, this.atOf(from))));
    this.from = this.starts[0] ?? 0;
    // Of what is still being written, the segments say best how far it has got.
    const last = described.last === null || live ? this.from : this.atOf(described.last);
    this.to = Math.max(this.from, last);
    this.reach();
    this.named = segments.reduce((sum, { packets }) => sum + packets, 0);
    this.paced();
  }

  /** The last segment may have got further. */
  private reach(): void {
    const last = this.infos[this.infos.length - 1];
    this.to = last === undefined ? this.to : Math.max(this.to, this.atOf(last.to));
  }

  private paced(): void {
    this.pace = (this.to - this.from) / Math.max(1, this.packets);
  }

  /** How many packets there are. */
  get packets(): number {
    return this.named + (this.tail?.packets ?? 0);
  }

  /**
   * Asks how far a recording that is being written has got. Whether it has got any further. What came over
   * a socket stays until the segments have it, too; `wanted` says whether the answer is still of use.
   */
  async refresh(wanted: () => boolean = () => true): Promise<boolean> {
    const now = published(await this.files.text(`r/${this.published.id}/recording.json`));
    if (!wanted()) {
      return false;
    }
    const { segments, live } = this.published;
    this.same(now);
    const behind = now.segments.length === 0 ? -Infinity : this.atOf(now.segments[now.segments.length - 1]!.to);
    if (now.live && this.tail?.begun === true && behind < this.to) {
      return false;
    }
    // The last segment may have grown meanwhile: under another name.
    let same = 0;
    while (same < segments.length && segments[same]!.file === now.segments[same]?.file) {
      same += 1;
    }
    const grown = same < now.segments.length || this.tail !== null;
    this.keep(same);
    this.published = now;
    this.tables.findings = now.findings;
    this.measure();
    return grown || now.live !== live;
  }

  private same(now: Published): void {
    if (now.schema.hash !== this.tables.schema.hash) {
      throw new Damaged("the recording has begun anew: load the page again");
    }
  }

  /** Drops all segments but the first. */
  private keep(first: number): void {
    this.tail = null;
    for (const index of this.kept.keys()) {
      if (index >= first) {
        this.kept.delete(index);
      }
    }
    // The server answers again: what could not be had may be had now.
    this.lost.clear();
  }

  /** Of a socket: the first so many segments stay, these come behind them, and what follows is behind those. */
  begin(keep: number, more: readonly SegmentInfo[]): void {
    const { segments } = this.published;
    if (keep > segments.length) {
      throw new Damaged(`${keep} segments are to be kept, there are ${segments.length}`);
    }
    this.keep(keep);
    this.published = { ...this.published, segments: [...segments.slice(0, keep), ...more] };
    this.follow();
    this.measure();
  }

  /** Of a socket: records of the segment in the making. */
  append(records: Uint8Array): void {
    const { tail } = this;
    if (tail === null) {
      throw new Damaged("there are records before the socket says what they follow");
    }
    const begun = tail.begun;
    tail.take(records);
    if (begun) {
      this.reach();
      this.paced();
    } else if (tail.begun) {
      this.measure();
    }
  }

  /** Of a socket: the segment in the making is whole, and another one begins. */
  seal(info: SegmentInfo): void {
    const { tail } = this;
    if (tail === null) {
      throw new Damaged("a segment is whole before the socket says what it follows");
    }
    this.tables.labelled.add(info.file);
    if (tail.begun) {
      this.kept.set(tail.segment.index, tail.segment);
      this.trim();
    }
    this.published = { ...this.published, segments: [...this.published.segments, info] };
    this.follow();
    this.measure();
  }

  private follow(): void {
    const { segments } = this.published;
    this.tail = new Tail(segments.length, this.tables, segments[segments.length - 1]?.to ?? null);
  }

  /** Of a socket: the first so many markers stay, and these come behind them. */
  mark(keep: number, more: readonly Marker[]): void {
    const { markers } = this.published;
    if (keep > markers.length) {
      throw new Damaged(`${keep} markers are to be kept, there are ${markers.length}`);
    }
    this.published = { ...this.published, markers: [...markers.slice(0, keep), ...more] };
  }

  /** Opens a recording; what is to be seen first begins to come meanwhile. */
  static async open(
    files: Files,
    id: string,
    at: number | null = null,
    told?: (done: number) => void,
  ): Promise<Loader> {
    const of = published(await files.text(`r/${id}/recording.json`, told));
    const tables = new Tables(of);
    const loader = new Loader(files, of, tables);
    loader.want(loader.indexAt(at ?? (of.live ? loader.to : loader.from)));
    const what = "the file of labels";
    try {
      const bytes = await gunzip(await files.bytes(`r/${id}/${of.labels.file}`), what);
      records(bytes, what, (kind, start, end) => {
        if (kind === LABEL) {
          tables.labels.take(textOf(bytes, start, end, what));
        }
      });
    } catch (error) {
      if (!(error instanceof Damaged)) {
        throw error;
      }
      tables.problems.push(`Names and texts are missing: ${error.message}.`);
    }
    return loader;
  }

  /** Where a moment is on the clock that the playhead runs by. */
  atOf(moment: { readonly step: number; readonly timeMs: number | null }): number {
    return this.tables.times ? (moment.timeMs ?? 0) : moment.step;
  }

  /** What is wrong with what is seen at a time of the playhead; of several such things, what came last. */
  doubtAt(at: number): string | null {
    let [latest, said]: [number, string | null] = [-Infinity, null];
    for (const { moment, text } of this.published.lost) {
      const since = moment === null ? Infinity : this.atOf(moment);
      if (since <= at && since > latest) {
        [latest, said] = [since, text];
      }
    }
    return said;
  }

  /** What is wrong with the recording as it is published, a sentence each. */
  problems(): string[] {
    const damaged = [...this.kept.values()].flatMap(({ problem }) => (problem === null ? [] : [problem]));
    const lost = [...this.lost].map(
      ([index, why]) => `segment ${index + 1} of ${this.infos.length} is missing: ${why}`,
    );
    return [...this.tables.problems, ...lost, ...damaged];
  }

  /** The segment that says what holds at a moment: the last that begins no later, of those that can be had. */
  indexAt(at: number): number {
    let [low, high] = [0, this.starts.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.starts[middle]! <= at) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    let index = low - 1;
    while (index >= 0 && this.lost.has(index)) {
      index -= 1;
    }
    return index >= 0 ? index : this.next(-1);
  }

  /** The segment behind another that can be had; −1 at the end. */
  next(index: number): number {
    let next = index + 1;
    while (next < this.infos.length && this.lost.has(next)) {
      next += 1;
    }
    return next < this.infos.length ? next : -1;
  }

  /** A segment, if it is there. */
  have(index: number): Segment | undefined {
    const { tail } = this;
    return tail?.begun === true && tail.segment.index === index ? tail.segment : this.kept.get(index);
  }

  /** The stretches that are there. */
  loaded(): Stretch[] {
    const tail = this.tail?.begun === true ? [this.tail.segment.index] : [];
    return [...this.kept.keys(), ...tail]
      .sort((a, b) => a - b)
      .map((index) => ({ from: this.starts[index]!, to: this.starts[index + 1] ?? this.to }));
  }

  /** Sees to it that a segment comes, and stays a while. */
  want(index: number): void {
    const held = this.have(index);
    if (held !== undefined) {
      if (this.kept.delete(index)) {
        this.kept.set(index, held);
      }
      return;
    }
    if (index < 0 || index >= this.infos.length || this.coming.has(index) || this.lost.has(index)) {
      return;
    }
    const { file } = this.infos[index]!;
    // Meanwhile it may have grown, and have another name.
    const current = (): boolean => this.infos[index]?.file === file;
    const coming = this.read(index)
      .then((segment) => {
        if (!current()) {
          return null;
        }
        this.kept.set(index, segment);
        this.trim();
        return segment;
      })
      .catch((error: unknown) => {
        if (current()) {
          this.lost.set(index, error instanceof Damaged ? error.message : String(error));
        }
        return null;
      });
    this.coming.set(index, coming);
    void coming.finally(() => {
      this.coming.delete(index);
      this.onChange();
    });
  }

  /** A segment that is not kept: for who goes through all of them. Null where it can't be had. */
  async borrow(index: number): Promise<Segment | null> {
    const held = this.have(index) ?? (await this.coming.get(index));
    if (held !== undefined) {
      return held;
    }
    try {
      return await this.read(index);
    } catch {
      return null;
    }
  }

  private async read(index: number): Promise<Segment> {
    const { file } = this.infos[index]!;
    const bytes = this.packed.get(file) ?? (await this.files.bytes(this.path(file)));
    return Segment.read(index, bytes, this.tables, file);
  }

  private path(file: string): string {
    return `r/${this.published.id}/${file}`;
  }

  /**
   * Has the segments come that lie on this machine, those about a moment first, so that to go anywhere takes no
   * longer than to unpack it; until `signal` says that nobody wants them any more.
   */
  async gather(at: number, signal: AbortSignal): Promise<void> {
    if (this.files.near !== true) {
      return;
    }
    const middle = this.indexAt(at);
    const wanted = this.infos
      .map(({ file, bytes }, index) => ({ file, bytes, away: Math.abs(index - middle) }))
      .filter(({ file }) => file !== "")
      .sort((a, b) => a.away - b.away);
    let room = PACKED_BYTES;
    for (const { file, bytes } of wanted) {
      room -= bytes;
      if (room < 0 || signal.aborted) {
        return;
      }
      try {
        this.packed.set(file, await this.files.bytes(this.path(file)));
      } catch {
        // Who goes there will be told.
      }
      await new Promise((resolve) => setTimeout(resolve, GATHERS));
    }
  }

  private trim(): void {
    let bytes = 0;
    let least = KEPT_LEAST;
    for (const [index, segment] of [...this.kept].reverse()) {
      bytes += segment.size;
      least -= 1;
      if (least < 0 && bytes > KEPT_BYTES) {
        this.kept.delete(index);
      }
    }
  }
}
