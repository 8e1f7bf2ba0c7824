// Bits: most significant first in each byte, with byte-aligned little-endian integers and varuints.

import { WireError } from "./rules.js";

/** Spare bytes after the end of a packet, so that loads of whole words need no check. */
const SPARE = 8;

/** A packet's bytes with spare bytes after them; the memory is kept from packet to packet. */
export class PacketBytes {
  /** The length of the packet in bytes. */
  length = 0;
  view = new DataView(new ArrayBuffer(4096 + SPARE));
  private bytes = new Uint8Array(this.view.buffer);

  /** Takes a copy of a packet, in place of the one before. */
  load(packet: Uint8Array): void {
    if (packet.length + SPARE > this.bytes.length) {
      const room = Math.max(packet.length + SPARE, 2 * this.bytes.length);
      this.view = new DataView(new ArrayBuffer(room));
      this.bytes = new Uint8Array(this.view.buffer);
    }
    this.bytes.set(packet);
    this.length = packet.length;
  }
}

/**
 * Reads bits of a packet, from a byte of it up to another.
 *
 * A strict reader checks that padding is zero and that varuints are as short as their values allow. Errors
 * are at the byte that is to be read next.
 */
export class BitReader {
  /** The byte of the packet that is read next. */
  byte = 0;
  /** The number of bits of that byte that are read. */
  protected bit = 0;
  private end = 0;
  private view: DataView;
  private readonly packet: PacketBytes;
  private readonly strict: boolean;

  constructor(packet: PacketBytes, strict: boolean) {
    this.packet = packet;
    this.view = packet.view;
    this.strict = strict;
  }

  /** Goes to a byte of the packet; `end` is the first byte that is not to be read. */
  seek(byte: number, end: number): void {
    this.view = this.packet.view;
    this.byte = byte;
    this.bit = 0;
    this.end = end;
  }

  /** Bits that are left. */
  left(): number {
    return (this.end - this.byte) * 8 - this.bit;
  }

  /** Refuses to go on where fewer than `count` bits are left. */
  want(count: number): void {
    if (count > this.left()) {
      throw new WireError({ code: "delta.truncated", wanted: count, left: this.left() }, this.byte);
    }
  }

  /** The next 0 to 32 bits as a number, the first one highest; `want` says that they are there. */
  take(count: number): number {
    if (count === 0) {
      return 0;
    }
    const { byte, bit } = this;
    let value = (this.view.getUint32(byte) << bit) >>> (32 - count);
    const over = bit + count - 32;
    if (over > 0) {
      value = (value | (this.view.getUint8(byte + 4) >>> (8 - over))) >>> 0;
    }
    const end = bit + count;
    this.byte = byte + (end >>> 3);
    this.bit = end & 7;
    return value;
  }

  /** The byte in which the last `count` bits that were read begin, for errors. */
  byteBefore(count: number): number {
    return this.byte + Math.floor((this.bit - count) / 8);
  }

  /** Goes on to the next byte. */
  align(): void {
    if (this.bit === 0) {
      return;
    }
    const bits = this.view.getUint8(this.byte) & (0xff >>> this.bit);
    if (bits !== 0 && this.strict) {
      throw new WireError({ code: "delta.padding", bits }, this.byte);
    }
    this.byte += 1;
    this.bit = 0;
  }

  /** Aligns, then reads a little-endian u32. */
  u32(): number {
    this.align();
    this.want(32);
    const value = this.view.getUint32(this.byte, true);
    this.byte += 4;
    return value;
  }

  /** Aligns, then reads a varuint: LEB128 of at most 32 bits. */
  varuint(): number {
    this.align();
    const start = this.byte;
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      this.want(8);
      const bits = this.view.getUint8(this.byte);
      this.byte += 1;
      if (shift === 28 && bits > 0xf) {
        break;
      }
      value |= (bits & 0x7f) << shift;
      if (bits < 0x80) {
        if (bits === 0 && shift > 0 && this.strict) {
          this.byte = start;
          throw new WireError({ code: "delta.varuint-not-minimal" }, start);
        }
        return value >>> 0;
      }
    }
    this.byte = start;
    throw new WireError({ code: "delta.varuint-too-long" }, start);
  }
}
