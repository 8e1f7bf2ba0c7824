// Schemas: components, their fields, and how each is written.

import { blake3 } from "./blake3.js";
import { type Codec, type Component, type SchemaField, Layout } from "./layout.js";
import { MAX_MASK_BITS, hex64 } from "./rules.js";

/** The reason why a text is not a schema. */
export class SchemaError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "SchemaError";
  }
}

/**
 * Components in the order of the wire, checked.
 *
 * As JSON is read here, a key that is there twice counts for its last value, and 1.0 is 1; Rust refuses both.
 */
export class Schema {
  readonly components: readonly Component[];
  /** The hash that packets carry: the first 8 bytes of a BLAKE3 digest, little-endian. */
  readonly hash: bigint;
  /** Its two halves, as a header has them. */
  readonly hashLow: number;
  readonly hashHigh: number;
  /** The fields as the decoder reads and stores them. */
  readonly layout: Layout;

  private constructor(components: readonly Component[]) {
    check(components);
    this.components = components;
    const digest = new DataView(blake3(hashed(components)).buffer);
    this.hash = digest.getBigUint64(0, true);
    this.hashLow = digest.getUint32(0, true);
    this.hashHigh = digest.getUint32(4, true);
    this.layout = new Layout(components);
  }

  /** Reads a schema from its JSON. */
  static parse(text: string): Schema {
    let json;
    try {
      json = parseJson(text);
    } catch (error) {
      throw new SchemaError(`no JSON: ${error instanceof Error ? error.message : String(error)}`);
    }
    return Schema.from(json);
  }

  /** Reads a schema from JSON that `parseJson` has taken apart. */
  static from(json: unknown): Schema {
    const { components } = object(json, "the schema", ["components"], []);
    return new Schema(array(components, "the components").map(component));
  }

  /** The hash as 16 digits. */
  get hashText(): string {
    return hex64(this.hash);
  }

  /** The place of a component in the order of the wire; −1 where there is none of this id. */
  place(component: number): number {
    return this.components.findIndex(({ id }) => id === component);
  }

  /** The place of a field in its component; −1 where there is none of this id. */
  fieldPlace(component: number, field: number): number {
    const fields = this.components[this.place(component)]?.fields;
    return fields === undefined ? -1 : fields.findIndex(({ id }) => id === field);
  }
}

function object(
  json: unknown,
  what: string,
  needed: readonly string[],
  optional: readonly string[],
): Record<string, unknown> {
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    throw new SchemaError(`${what} is no object`);
  }
  for (const key of Object.keys(json)) {
    if (!needed.includes(key) && !optional.includes(key)) {
      throw new SchemaError(`${what} has an unknown key, ${JSON.stringify(key)}`);
    }
  }
  for (const key of needed) {
    if (!Object.hasOwn(json, key)) {
      throw new SchemaError(`${what} has no ${JSON.stringify(key)}`);
    }
  }
  return json as Record<string, unknown>;
}

function array(json: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(json)) {
    throw new SchemaError(`${what} are no array`);
  }
  return json;
}

function unsigned(json: unknown, what: string, bits: number): number {
  if (typeof json !== "number" || !Number.isInteger(json) || json < 0 || json >= 2 ** bits) {
    throw new SchemaError(`${what} is ${show(json)}, not an integer from 0 to ${2 ** bits - 1}`);
  }
  return json;
}

function i64(json: unknown, what: string): bigint {
  const value = typeof json === "number" && Number.isSafeInteger(json) ? BigInt(json) : json;
  if (typeof value !== "bigint" || BigInt.asIntN(64, value) !== value) {
    throw new SchemaError(`${what} is ${show(json)}, not an integer of 64 bits`);
  }
  return value;
}

function text(json: unknown, what: string): string | undefined {
  // `null` is what a missing name is in some writers.
  if (json === undefined || json === null) {
    return undefined;
  }
  if (typeof json !== "string") {
    throw new SchemaError(`${what} is ${show(json)}, not a text`);
  }
  return json;
}

function show(json: unknown): string {
  // JSON.stringify refuses bigints, wherever they stand.
  const digits = (_: string, value: unknown): unknown => (typeof value === "bigint" ? `${value}` : value);
  return typeof json === "bigint" ? `${json}` : (JSON.stringify(json, digits) ?? "nothing");
}

function component(json: unknown): Component {
  const { id, name, fields } = object(json, "a component", ["id", "fields"], ["name"]);
  const number = unsigned(id, "the id of a component", 16);
  const what = `component ${number}`;
  return {
    id: number,
    name: text(name, `the name of ${what}`),
    fields: array(fields, `the fields of ${what}`).map((json) => field(json, what)),
  };
}

function field(json: unknown, component: string): SchemaField {
  const found = object(json, `a field of ${component}`, ["id", "codec"], ["name", "change"]);
  const id = unsigned(found["id"], `the id of a field of ${component}`, 16);
  const what = `field ${id} of ${component}`;
  return {
    id,
    name: text(found["name"], `the name of ${what}`),
    codec: codec(found["codec"], what),
    threshold: threshold(found["change"], what),
  };
}

/** A kind, and what belongs to it: a text, which is the kind alone, or an object with the kind as its key. */
function variant(json: unknown, what: string): [string, unknown] {
  if (typeof json === "string") {
    return [json, null];
  }
  const entries = typeof json === "object" && json !== null ? Object.entries(json) : [];
  const [first] = entries;
  if (first === undefined || entries.length !== 1) {
    throw new SchemaError(`${what} is ${show(json)}`);
  }
  return first;
}

function codec(json: unknown, field: string): Codec {
  const what = `the codec of ${field}`;
  const [kind, inner] = variant(json, what);
  if ((kind === "Bool" || kind === "VarUInt" || kind === "VarSInt") && inner === null) {
    return { kind };
  }
  if (kind === "UInt" || kind === "SInt") {
    const { bits } = object(inner, what, ["bits"], []);
    return { kind, bits: unsigned(bits, `the bits of ${field}`, 8) };
  }
  if (kind !== "FixedPoint") {
    throw new SchemaError(`${what} is ${show(json)}, which is not known`);
  }
  const found = object(inner, what, ["min_q", "max_q", "scale"], []);
  return {
    kind,
    minQ: i64(found["min_q"], `the smallest value of ${field}`),
    maxQ: i64(found["max_q"], `the largest value of ${field}`),
    scale: unsigned(found["scale"], `the scale of ${field}`, 32),
  };
}

function threshold(json: unknown, field: string): number | undefined {
  if (json === undefined) {
    return undefined;
  }
  const what = `the change of ${field}`;
  const [kind, inner] = variant(json, what);
  if (kind === "Always" && inner === null) {
    return undefined;
  }
  if (kind !== "Threshold") {
    throw new SchemaError(`${what} is ${show(json)}, which is not known`);
  }
  const { threshold_q } = object(inner, what, ["threshold_q"], []);
  return unsigned(threshold_q, `the threshold of ${field}`, 32);
}

/** Ids, counts, widths and bounds. */
function check(components: readonly Component[]): void {
  if (components.length > MAX_MASK_BITS) {
    throw new SchemaError(`${components.length} components, ${MAX_MASK_BITS} are possible`);
  }
  const ids = new Set<number>();
  for (const { id, fields } of components) {
    if (id === 0) {
      throw new SchemaError("a component has the id 0");
    }
    if (ids.has(id)) {
      throw new SchemaError(`two components have the id ${id}`);
    }
    ids.add(id);
    if (fields.length > MAX_MASK_BITS) {
      throw new SchemaError(`component ${id} has ${fields.length} fields, ${MAX_MASK_BITS} are possible`);
    }
    const fieldIds = new Set<number>();
    for (const field of fields) {
      if (fieldIds.has(field.id)) {
        throw new SchemaError(`two fields of component ${id} have the id ${field.id}`);
      }
      fieldIds.add(field.id);
      checkField(id, field);
    }
  }
}

function checkField(component: number, { id, codec }: SchemaField): void {
  const what = `field ${id} of component ${component}`;
  if (id === 0) {
    throw new SchemaError(`a field of component ${component} has the id 0`);
  }
  if ((codec.kind === "UInt" || codec.kind === "SInt") && (codec.bits < 1 || codec.bits > 64)) {
    throw new SchemaError(`${what} has ${codec.bits} bits, 1 to 64 are possible`);
  }
  if (codec.kind === "FixedPoint") {
    if (codec.scale === 0) {
      throw new SchemaError(`${what} has the scale 0`);
    }
    if (codec.minQ > codec.maxQ) {
      throw new SchemaError(`${what} goes from ${codec.minQ} to ${codec.maxQ}`);
    }
  }
}

/** The bytes that the hash is taken of: all that matters on the wire, in its order, little-endian. */
function hashed(components: readonly Component[]): Uint8Array {
  const bytes: number[] = [];
  const put = (value: number, size: number): void => {
    for (let at = 0; at < size; at += 1) {
      bytes.push((value >>> (8 * at)) & 0xff);
    }
  };
  const put64 = (value: bigint): void => {
    put(Number(value & 0xffff_ffffn), 4);
    put(Number((value >> 32n) & 0xffff_ffffn), 4);
  };
  put(components.length, 4);
  for (const { id, fields } of components) {
    put(id, 2);
    put(fields.length, 4);
    for (const { id, codec, threshold } of fields) {
      put(id, 2);
      put(["Bool", "UInt", "SInt", "VarUInt", "VarSInt", "FixedPoint"].indexOf(codec.kind), 1);
      if (codec.kind === "UInt" || codec.kind === "SInt") {
        put(codec.bits, 1);
      } else if (codec.kind === "FixedPoint") {
        put64(codec.minQ);
        put64(codec.maxQ);
        put(codec.scale, 4);
      }
      put(threshold === undefined ? 0 : 1, 1);
      if (threshold !== undefined) {
        put(threshold, 4);
      }
    }
  }
  return Uint8Array.from(bytes);
}

// JSON whose integers keep all their digits: the bounds of a schema have up to 64 bits, and `JSON.parse`
// rounds what exceeds 53.

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
const LARGE = /^-?[1-9]\d{15,}$/;
// No string of a text begins with this: those that do get it twice, until they are read.
const MARK = "\\u0000";

/** `JSON.parse`, but integers beyond ±(2^53 − 1) are bigints. */
export function parseJson(text: string): unknown {
  const marked = text.replace(TOKEN, (token) => {
    if (token.startsWith(`"${MARK}`)) {
      return `"${MARK}${token.slice(1)}`;
    }
    return LARGE.test(token) && !Number.isSafeInteger(Number(token)) ? `"${MARK}${token}"` : token;
  });
  return JSON.parse(marked, (_, value: unknown) => {
    if (typeof value !== "string" || !value.startsWith("\0")) {
      return value;
    }
    return value.startsWith("\0\0") ? value.slice(1) : BigInt(value.slice(1));
  });
}
