// Loads segments when they are wanted, and keeps a few.

import { countBefore } from "../lists.js";
import { Damaged, messageOf } from "../source/check.js";
import { type Files, LABEL, gunzip, records, textOf } from "../source/files.js";
import { type Marker, type Published, type SegmentInfo, published } from "../source/published.js";
import { Tables } from "../tables/frame.js";
import type { Stretch } from "./playhead.js";
import { Segment, Tail } from "./segment.js";

/** Unpacked bytes of segments that are kept, besides those just wanted. */
const KEPT_BYTES = 64 << 20;
/** Segments that are kept whatever their size: the one that plays and its neighbours. */
const KEPT_LEAST = 3;

/** Packed bytes that are kept of segments on this machine. */
const PACKED_BYTES = 64 << 20;
/** The pause between two of those, in milliseconds, in which other requests get their turn. */
const GATHERS = 15;

/** A recording that has been opened: its tables, and its segments as they are wanted. */
export class Loader {
  published: Published;
  readonly tables: Tables;
  /** All segments, including the unfinished one. */
  infos: readonly SegmentInfo[] = [];
  /** The start of each segment, in milliseconds or steps. */
  starts: readonly number[] = [];
  /** The first moment and the last. */
  from = 0;
  to = 0;
  /** Called when a segment was loaded, or can't be. */
  onChange: () => void = () => {};
  /** The usual time from one packet to the next. */
  pace = 0;
  readonly files: Files;
  /** The unfinished segment, where the recording is followed. */
  private tail: Tail | null = null;
  /** The loaded segments, the one asked for last at the end. */
  private readonly kept = new Map<number, Segment>();
  private readonly coming = new Map<number, Promise<Segment | null>>();
  /** Packets of the segments that have a name. */
  private named = 0;
  private readonly lost = new Map<number, string>();
  /** Packed segments by their names: fetching one takes time, unpacking it does not. */
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
    // A recording that was opened while it was empty had no clock yet.
    this.infos.forEach(({ to }) => this.tables.met(to));
    let latest = -Infinity;
    // Clocks may go back; a playhead does not.
    this.starts = this.infos.map(({ from }) => (latest = Math.max(latest, this.atOf(from))));
    this.from = this.starts[0] ?? 0;
    // The segments of a live recording say best where it ends.
    const last = described.last === null || live ? this.from : this.atOf(described.last);
    this.to = Math.max(this.from, last);
    this.reach();
    this.named = segments.reduce((sum, { packets }) => sum + packets, 0);
    this.paced();
  }

  /** The last segment may have grown. */
  private reach(): void {
    const last = this.infos[this.infos.length - 1];
    this.to = last === undefined ? this.to : Math.max(this.to, this.atOf(last.to));
  }

  private paced(): void {
    this.pace = (this.to - this.from) / Math.max(1, this.packets);
  }

  /** The number of packets. */
  get packets(): number {
    return this.named + (this.tail?.packets ?? 0);
  }

  /**
   * Asks how far a live recording has got, and returns whether it has changed. Packets from a socket stay until the
   * segments have them, too; `wanted` says whether the answer is still of use.
   */
  async refresh(wanted: () => boolean = () => true): Promise<boolean> {
    const now = published(await this.files.text(`r/${this.published.id}/recording.json`));
    if (!wanted()) {
      return false;
    }
    const { segments, live } = this.published;
    if (now.schema.hash !== this.tables.schema.hash) {
      throw new Damaged("the recording has begun anew: load the page again");
    }
    const end = now.segments.length === 0 ? -Infinity : this.atOf(now.segments[now.segments.length - 1]!.to);
    if (now.live && this.tail?.begun === true && end < this.to) {
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

  /** Drops all segments but the first. */
  private keep(first: number): void {
    this.tail = null;
    for (const index of this.kept.keys()) {
      if (index >= first) {
        this.kept.delete(index);
      }
    }
    // The server answers again: segments that were missing may be there now.
    this.lost.clear();
  }

  /** A message of a socket: the first `keep` segments stay, then come `more`, then the next records. */
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

  /** A message of a socket: records of the unfinished segment. */
  append(records: Uint8Array): void {
    const { tail } = this;
    if (tail === null) {
      throw new Damaged("records came before the socket's first message");
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

  /** A message of a socket: the unfinished segment is complete, and another one begins. */
  seal(info: SegmentInfo): void {
    const { tail } = this;
    if (tail === null) {
      throw new Damaged("a segment was completed before the socket's first message");
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

  /** A message of a socket: the first `keep` markers stay, and `more` come after them. */
  mark(keep: number, more: readonly Marker[]): void {
    const { markers } = this.published;
    if (keep > markers.length) {
      throw new Damaged(`${keep} markers are to be kept, there are ${markers.length}`);
    }
    this.published = { ...this.published, markers: [...markers.slice(0, keep), ...more] };
  }

  /** Opens a recording; the segment that is shown first is loaded meanwhile. */
  static async open(
    files: Files,
    id: string,
    at: number | null = null,
    progress?: (done: number) => void,
  ): Promise<Loader> {
    const of = published(await files.text(`r/${id}/recording.json`, progress));
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

  /** A moment on the clock of the playhead. */
  atOf(moment: { readonly step: number; readonly timeMs: number | null }): number {
    return this.tables.times ? (moment.timeMs ?? 0) : moment.step;
  }

  /** The doubt about the picture at a moment of the playhead; of several doubts, the newest. */
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

  /** The problems of the published recording, a sentence each. */
  problems(): string[] {
    const damaged = [...this.kept.values()].flatMap(({ problem }) => (problem === null ? [] : [problem]));
    const lost = [...this.lost].map(
      ([index, why]) => `segment ${index + 1} of ${this.infos.length} is missing: ${why}`,
    );
    return [...this.tables.problems, ...lost, ...damaged];
  }

  /** The segment that has the state at a moment: of those that can be loaded, the last that begins no later. */
  indexAt(at: number): number {
    let index = countBefore(this.starts.length, (segment) => this.starts[segment]! <= at) - 1;
    while (index >= 0 && this.lost.has(index)) {
      index -= 1;
    }
    return index >= 0 ? index : this.next(-1);
  }

  /** The next segment that can be loaded; −1 at the end. */
  next(index: number): number {
    let next = index + 1;
    while (next < this.infos.length && this.lost.has(next)) {
      next += 1;
    }
    return next < this.infos.length ? next : -1;
  }

  /** A segment, if it is loaded. */
  have(index: number): Segment | undefined {
    const { tail } = this;
    return tail?.begun === true && tail.segment.index === index ? tail.segment : this.kept.get(index);
  }

  /** The stretches that are loaded. */
  loaded(): Stretch[] {
    const tail = this.tail?.begun === true ? [this.tail.segment.index] : [];
    return [...this.kept.keys(), ...tail]
      .sort((a, b) => a - b)
      .map((index) => ({ from: this.starts[index]!, to: this.starts[index + 1] ?? this.to }));
  }

  /** Loads a segment, and keeps it a while. */
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
          this.lost.set(index, messageOf(error));
        }
        return null;
      });
    this.coming.set(index, coming);
    void coming.finally(() => {
      this.coming.delete(index);
      this.onChange();
    });
  }

  /** Reads a segment without keeping it, for callers that go through all of them. Null where it can't be loaded. */
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
   * Fetches segments in advance from a server on this machine, those near a moment first, so that a jump only has to
   * unpack; until `signal` ends it.
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
        // A jump to it will report the error.
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
