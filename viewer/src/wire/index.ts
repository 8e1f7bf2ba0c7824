// The snapshot/delta wire, version 0: what a page needs to hold the state that a stream of packets tells.

export { Baselines } from "./baselines.js";
export { Decoder, type ReadOptions } from "./decode.js";
export { SmallestThree, fixedPoint } from "./dequantise.js";
export type { Header } from "./frame.js";
export { parseJson } from "./json.js";
export { DEFAULT_LIMITS, type Limit, type Limits, NO_LIMITS } from "./limits.js";
export type { Codec, Component, Field } from "./model.js";
export { type Rule, type RuleCode, WireError } from "./rules.js";
export { Schema, SchemaError } from "./schema.js";
export { Snapshot, type Value } from "./snapshot.js";
