// The snapshot/delta wire, version 0: everything that a page needs to read a stream of packets.

export { Baselines } from "./baselines.js";
export { Decoder, type ReadOptions } from "./decode.js";
export { SmallestThree, fixedPoint } from "./dequantise.js";
export type { Header } from "./frame.js";
export { parseJson } from "./schema.js";
export { DEFAULT_LIMITS, type Limit, type Limits, NO_LIMITS } from "./limits.js";
export type { Codec, Component, Field } from "./layout.js";
export { type Rule, type RuleCode, WireError } from "./rules.js";
export { Schema, SchemaError } from "./schema.js";
export { Snapshot, type Value } from "./snapshot.js";
