// Segments: loaded when they are wanted, and a few kept.

import { Damaged } from "../source/check.js";
import type { Files } from "../source/files.js";
import { LABEL, records, textOf } from "../source/records.js";
import { gunzip } from "../source/files.js";
import { type Published, type SegmentInfo, published } from "../source/published.js";
import { Tables } from "../tables/frame.js";
import type { Stretch } from "./playhead.js";
import { Segment } from "./segment.js";

/** Unpacked bytes of segments that are kept, those just wanted aside. */
const KEPT_BYTES = 64 << 20;
/** Segments that are kept whatever their size: the one that plays and its neighbours. */
const KEPT_LEAST = 3;

/** A recording that has been opened: its tables, and its segments as they are wanted. */
export class Loader {
  published: Published;
  readonly tables: Tables;
  /** When each segment begins: milliseconds, or steps. */
  starts: readonly number[] = [];
  /** The first moment and the last. */
  from = 0;
  to = 0;
  /** Called when a segment has come, or will not. */
  onChange: () => void = () => {};
  private readonly files: Files;
  /** Those that are there, the one asked for last at the end. */
  private readonly kept = new Map<number, Segment>();
  private readonly coming = new Map<number, Promise<Segment | null>>();
  private readonly lost = new Map<number, string>();

  private constructor(files: Files, of: Published, tables: Tables) {
    this.files = files;
    this.published = of;
    this.tables = tables;
    this.measure();
  }

  private measure(): void {
    const { segments, described, live } = this.published;
    let latest = -Infinity;
    // Clocks may go back; a playhead does not.
    this.starts = segments.map(({ from }) => (latest = Math.max(latest, this.atOf(from))));
    const ends = segments.slice(-1).map(({ to }) => this.atOf(to));
    this.from = this.starts[0] ?? 0;
    // Of what is still being written, the segments say best how far it has got.
    const last = described.last === null || live ? this.from : this.atOf(described.last);
    this.to = Math.max(this.from, last, ...ends);
  }

  /** Asks how far a recording that is being written has got. Whether it has got any further. */
  async refresh(): Promise<boolean> {
    const { id, segments, live } = this.published;
    const now = published(await this.files.text(`r/${id}/recording.json`));
    if (now.schema.hash !== this.tables.schema.hash) {
      throw new Damaged("the recording has begun anew: load the page again");
    }
    // The last segment may have grown meanwhile: under another name.
    let same = 0;
    while (same < segments.length && segments[same]!.file === now.segments[same]?.file) {
      same += 1;
    }
    for (let index = same; index < segments.length; index += 1) {
      this.kept.delete(index);
      this.lost.delete(index);
    }
    this.published = now;
    this.measure();
    return same < now.segments.length || now.live !== live;
  }

  /** Opens a recording. */
  static async open(files: Files, id: string): Promise<Loader> {
    const of = published(await files.text(`r/${id}/recording.json`));
    const tables = new Tables(of);
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
    return new Loader(files, of, tables);
  }

  /** Where a moment is on the clock that the playhead runs by. */
  atOf(moment: { readonly step: number; readonly timeMs: number | null }): number {
    return this.tables.times ? (moment.timeMs ?? 0) : moment.step;
  }

  /** What is wrong with the recording as it is published, a sentence each. */
  problems(): string[] {
    const damaged = [...this.kept.values()].flatMap(({ problem }) => (problem === null ? [] : [problem]));
    const lost = [...this.lost].map(([index, why]) => `segment ${index + 1} of ${this.infos.length} is missing: ${why}`);
    return [...this.tables.problems, ...lost, ...damaged];
  }

  private get infos(): readonly SegmentInfo[] {
    return this.published.segments;
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
    return this.kept.get(index);
  }

  /** The stretches that are there. */
  loaded(): Stretch[] {
    return [...this.kept.keys()].sort((a, b) => a - b).map((index) => ({ from: this.starts[index]!, to: this.starts[index + 1] ?? this.to }));
  }

  /** Sees to it that a segment comes, and stays a while. */
  want(index: number): void {
    const held = this.kept.get(index);
    if (held !== undefined) {
      this.kept.delete(index);
      this.kept.set(index, held);
      return;
    }
    if (index < 0 || index >= this.infos.length || this.coming.has(index) || this.lost.has(index)) {
      return;
    }
    const coming = this.read(index)
      .then((segment) => {
        this.kept.set(index, segment);
        this.trim();
        return segment;
      })
      .catch((error: unknown) => {
        this.lost.set(index, error instanceof Damaged ? error.message : String(error));
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
    const held = this.kept.get(index) ?? (await this.coming.get(index));
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
    return Segment.read(index, await this.files.bytes(`r/${this.published.id}/${file}`), this.tables, file);
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
