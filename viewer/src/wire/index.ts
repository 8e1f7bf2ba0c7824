// The snapshot/delta wire, version 0: everything that a page needs to read a stream of packets.

export { Decoder, type ReadOptions } from "./decode.js";
export { type Codec, type Component, type SchemaField, fixedPoint } from "./layout.js";
export { DEFAULT_LIMITS, type Limits, NO_LIMITS, type Rule, WireError } from "./rules.js";
export { Schema, SchemaError, parseJson } from "./schema.js";
export { Snapshot } from "./snapshot.js";
