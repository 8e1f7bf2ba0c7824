// BLAKE3, as far as schemas need it: the hash of a whole text, without a key. After the reference
// implementation's structure: chunks of 1,024 bytes, in blocks of 64, under a binary tree.

const IV = Uint32Array.of(
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
);
const ORDER = Uint8Array.of(2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8);
const CHUNK = 1024;
const BLOCK = 64;
const CHUNK_START = 1;
const CHUNK_END = 2;
const PARENT = 4;
const ROOT = 8;

/** The first 32 bytes of the digest. */
export function blake3(bytes: Uint8Array): Uint8Array {
  const words = hashTree(bytes, 0, true);
  const digest = new Uint8Array(32);
  const view = new DataView(digest.buffer);
  words.forEach((word, at) => view.setUint32(at * 4, word, true));
  return digest;
}

/** The chaining value of a piece that begins with chunk `first`. */
function hashTree(bytes: Uint8Array, first: number, root: boolean): Uint32Array {
  if (bytes.length <= CHUNK) {
    return hashChunk(bytes, first, root);
  }
  // On the left as many chunks as fill a whole tree, and at least one on the right.
  let chunks = 1;
  while (chunks * 2 * CHUNK < bytes.length) {
    chunks *= 2;
  }
  const block = new Uint32Array(16);
  block.set(hashTree(bytes.subarray(0, chunks * CHUNK), first, false));
  block.set(hashTree(bytes.subarray(chunks * CHUNK), first + chunks, false), 8);
  return compress(IV, block, 0, BLOCK, PARENT | (root ? ROOT : 0));
}

function hashChunk(bytes: Uint8Array, chunk: number, root: boolean): Uint32Array {
  let chain: Uint32Array = IV;
  const blocks = Math.max(1, Math.ceil(bytes.length / BLOCK));
  for (let at = 0; at < blocks; at += 1) {
    const part = bytes.subarray(at * BLOCK, (at + 1) * BLOCK);
    const padded = new Uint8Array(BLOCK);
    padded.set(part);
    const view = new DataView(padded.buffer);
    const block = Uint32Array.from({ length: 16 }, (_, word) => view.getUint32(word * 4, true));
    const last = at + 1 === blocks;
    const flags = (at === 0 ? CHUNK_START : 0) | (last ? CHUNK_END | (root ? ROOT : 0) : 0);
    chain = compress(chain, block, chunk, part.length, flags);
  }
  return chain;
}

function compress(
  chain: Uint32Array,
  block: Uint32Array,
  counter: number,
  length: number,
  flags: number,
): Uint32Array {
  const state = new Uint32Array(16);
  state.set(chain);
  state.set(IV.subarray(0, 4), 8);
  // No schema has 2^32 chunks: the counter's high word is 0.
  state.set([counter, 0, length, flags], 12);
  let words = block;
  for (let round = 0; round < 7; round += 1) {
    for (let at = 0; at < 4; at += 1) {
      mix(state, words, 2 * at, at, 4 + at, 8 + at, 12 + at);
    }
    for (let at = 0; at < 4; at += 1) {
      mix(state, words, 8 + 2 * at, at, 4 + ((at + 1) & 3), 8 + ((at + 2) & 3), 12 + ((at + 3) & 3));
    }
    const before = words;
    words = Uint32Array.from(ORDER, (from) => before[from]!);
  }
  return Uint32Array.from({ length: 8 }, (_, at) => state[at]! ^ state[at + 8]!);
}

function mix(
  state: Uint32Array,
  words: Uint32Array,
  word: number,
  a: number,
  b: number,
  c: number,
  d: number,
): void {
  for (let half = 0; half < 2; half += 1) {
    state[a] = state[a]! + state[b]! + words[word + half]!;
    state[d] = rotate(state[d]! ^ state[a]!, half === 0 ? 16 : 8);
    state[c] = state[c]! + state[d]!;
    state[b] = rotate(state[b]! ^ state[c]!, half === 0 ? 12 : 7);
  }
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}
