// Limits for packets, checked before anything is counted or allocated.

/** The most there may be of each thing. */
export interface Limits {
  /** Bytes of a packet, header included. */
  readonly packetBytes: number;
  /** Sections of a packet. */
  readonly sections: number;
  /** Bytes of a section's body. */
  readonly sectionBytes: number;
  /** Entities of a CREATE section. */
  readonly creates: number;
  /** Entities of an UPDATE section. */
  readonly updates: number;
  /** Entities of a DESTROY section. */
  readonly destroys: number;
  /** Components of the schema; more than 64 are never possible. */
  readonly components: number;
  /** Fields of a component; more than 64 are never possible. */
  readonly fields: number;
  /** Entities of the state that comes out. */
  readonly entities: number;
}

/** The name of a limit. */
export type Limit = keyof Limits;

/** The limits of a decoder that is given no others. */
export const DEFAULT_LIMITS: Limits = {
  packetBytes: 64 << 10,
  sections: 16,
  sectionBytes: 32 << 10,
  creates: 1024,
  updates: 2048,
  destroys: 1024,
  components: 64,
  fields: 64,
  entities: 4096,
};

const U32_MAX = 0xffff_ffff;

/** No limit but what the packet's length implies: for recordings, and input that is trusted. */
export const NO_LIMITS: Limits = {
  packetBytes: U32_MAX,
  sections: U32_MAX,
  sectionBytes: U32_MAX,
  creates: U32_MAX,
  updates: U32_MAX,
  destroys: U32_MAX,
  components: 64,
  fields: 64,
  entities: U32_MAX,
};

/** The things that each limit counts, as sentences name them. */
export const LIMIT_NAMES: Readonly<Record<Limit, string>> = {
  packetBytes: "bytes in a packet",
  sections: "sections in a packet",
  sectionBytes: "bytes in a section",
  creates: "created entities in a packet",
  updates: "updated entities in a packet",
  destroys: "destroyed entities in a packet",
  components: "components in a schema",
  fields: "fields in a component",
  entities: "entities in a state",
};
