// The frame of a packet: its header, and where its sections are.

import { BitReader, PacketBytes } from "./bits.js";
import { CREATE, DESTROY, HEADER_BYTES, MAGIC, UPDATE, VERSION } from "./rules.js";
import { type Limits, type SectionTag, WireError, checkLimit } from "./rules.js";
import type { Schema } from "./schema.js";

/** A packet as it comes in: checked down to the framing of its sections. Used again for each packet. */
export class PacketFrame {
  readonly bytes = new PacketBytes();
  full = false;
  /** The tick of the resulting state. */
  tick = 0;
  /** The tick a delta builds on; 0 for a full snapshot. */
  baseline = 0;
  /** The start of each section's body, by its tag; 0 if there is no such section. */
  readonly starts = new Float64Array(4);
  readonly ends = new Float64Array(4);
  private readonly schema: Schema;
  private readonly limits: Limits;
  private readonly strict: boolean;
  private readonly reader: BitReader;

  constructor(schema: Schema, limits: Limits, strict: boolean) {
    this.schema = schema;
    this.limits = limits;
    this.strict = strict;
    this.reader = new BitReader(this.bytes, strict);
  }

  /** Takes a packet, and checks its header and its framing. */
  read(packet: Uint8Array): void {
    const { limits } = this;
    checkLimit(limits, "packetBytes", packet.length, limits.packetBytes);
    this.bytes.load(packet);
    this.readHeader();
    this.readSections();
    const { parts, mostFields } = this.schema.layout;
    checkLimit(limits, "components", parts.length, 8);
    checkLimit(limits, "fields", mostFields, 8);
  }

  private readHeader(): void {
    const { view, length } = this.bytes;
    if (length < HEADER_BYTES) {
      throw new WireError({ code: "delta.header", bytes: length }, length);
    }
    const magic = view.getUint32(0, true);
    if (magic !== MAGIC) {
      throw new WireError({ code: "delta.magic", found: magic }, 0);
    }
    const version = view.getUint16(4, true);
    if (version !== VERSION) {
      throw new WireError({ code: "delta.version", found: version }, 4);
    }
    const flags = view.getUint16(6, true);
    if (flags !== 1 && flags !== 2) {
      throw new WireError({ code: "delta.flags", found: flags }, 6);
    }
    this.full = flags === 1;
    this.tick = view.getUint32(16, true);
    this.baseline = view.getUint32(20, true);
    if (this.full !== (this.baseline === 0)) {
      throw new WireError({ code: "delta.baseline-tick", full: this.full, baseline: this.baseline }, 20);
    }
    const { schema } = this;
    if (view.getUint32(8, true) !== schema.hashLow || view.getUint32(12, true) !== schema.hashHigh) {
      const found = view.getBigUint64(8, true);
      throw new WireError({ code: "delta.schema-hash", expected: schema.hash, found }, 8);
    }
    if (!this.full && this.tick <= this.baseline && this.strict) {
      throw new WireError({ code: "delta.tick-order", tick: this.tick, baseline: this.baseline }, 16);
    }
    const claimed = view.getUint32(24, true);
    const found = length - HEADER_BYTES;
    if (claimed !== found) {
      throw new WireError({ code: "delta.payload-length", claimed, found }, 24);
    }
  }

  private readSections(): void {
    const { limits } = this;
    const { view, length } = this.bytes;
    this.starts.fill(0);
    let count = 0;
    for (let at = HEADER_BYTES; at < length; ) {
      count += 1;
      checkLimit(limits, "sections", count, at);
      const tag = view.getUint8(at);
      if (tag !== CREATE && tag !== DESTROY && tag !== UPDATE) {
        throw new WireError({ code: "delta.unknown-section", tag }, at);
      }
      const claimed = this.sectionLength(at + 1);
      checkLimit(limits, "sectionBytes", claimed, at + 1);
      const start = this.reader.byte;
      const left = length - start;
      if (claimed > left) {
        throw new WireError({ code: "delta.section-length", tag, claimed, left }, at + 1);
      }
      if (this.full && tag !== CREATE) {
        throw new WireError({ code: "delta.unexpected-section", tag }, at);
      }
      if (this.has(tag)) {
        throw new WireError({ code: "delta.duplicate-section", tag }, at);
      }
      this.starts[tag] = start;
      this.ends[tag] = start + claimed;
      at = start + claimed;
    }
  }

  private sectionLength(at: number): number {
    this.reader.seek(at, this.bytes.length);
    try {
      return this.reader.varuint();
    } catch (error) {
      // An error in a length is at its first byte.
      throw error instanceof WireError ? new WireError(error.rule, at) : error;
    }
  }

  /** Whether there is a section. */
  has(tag: SectionTag): boolean {
    return this.starts[tag] !== 0;
  }
}
