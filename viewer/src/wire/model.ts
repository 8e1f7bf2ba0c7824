// What a schema is made of.

/** How a field is written. */
export type Codec =
  | { readonly kind: "Bool" | "VarUInt" | "VarSInt" }
  | { readonly kind: "UInt" | "SInt"; readonly bits: number }
  | { readonly kind: "FixedPoint"; readonly minQ: bigint; readonly maxQ: bigint; readonly scale: number };

/** One field of a component. */
export interface Field {
  /** 1 to 65,535, unique in the component. */
  readonly id: number;
  /** For people; neither on the wire nor in the hash. */
  readonly name: string | undefined;
  readonly codec: Codec;
  /** Differences up to this are not sent; undefined where all are. */
  readonly threshold: number | undefined;
}

/** One component: fields that are replicated together. */
export interface Component {
  /** 1 to 65,535, unique in the schema. */
  readonly id: number;
  readonly name: string | undefined;
  /** In the order of the wire. */
  readonly fields: readonly Field[];
}
