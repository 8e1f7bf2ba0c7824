// Quantised values as real numbers: the same bits as the Rust crate's `FixedPoint` and `SmallestThree`.

/** The number of a fixed-point value: a multiple of `1 / scale`. */
export function fixedPoint(quantised: number | bigint, scale: number): number {
  return Number(quantised) / scale;
}

/** Rotations as the three smallest components of a unit quaternion, each in `bits` bits. */
export class SmallestThree {
  private readonly steps: number;
  private readonly small = new Float64Array(3);

  /** With `bits` bits for each of three components, 2 to 24. */
  constructor(bits: number) {
    this.steps = 2 ** Math.min(24, Math.max(2, Math.trunc(bits))) - 2;
  }

  /**
   * Writes the unit quaternion of four fields (the place of the largest component, then the others) to
   * `into` from `at` on. Places and steps beyond the codecs are clamped.
   */
  write(place: number, a: number, b: number, c: number, into: Float32Array, at = 0): void {
    const { small } = this;
    small[0] = this.component(a);
    small[1] = this.component(b);
    small[2] = this.component(c);
    const rest = small[0] * small[0] + small[1] * small[1] + small[2] * small[2];
    const largest = root(Math.max(1 - rest, 0));
    // Steps no quaternion has can exceed length 1.
    const length = rest > 1 ? root(rest) : 1;
    const dropped = Math.min(place, 3);
    for (let part = 0, next = 0; part < 4; part += 1) {
      const value = part === dropped ? largest : small[next]!;
      next += part === dropped ? 0 : 1;
      // Stored as a float: rounded as such.
      into[at + part] = value / length;
    }
  }

  private component(value: number): number {
    return (Math.min(value, this.steps) / this.steps - 0.5) * Math.SQRT2;
  }
}

const ONE = 2 ** 52;

/**
 * The square root of a number from 0 to 2, cut off to a multiple of 2^-52: what Rust works out in integers.
 * `Math.sqrt` rounds, so that a root just below a whole number of steps may come out as that.
 */
export function root(value: number): number {
  // A double holds this exactly, and the root has at most 53 bits.
  const square = Math.trunc(value * ONE) * ONE;
  const found = Math.floor(Math.sqrt(square));
  return (exceeds(found, square) ? found - 1 : found) / ONE;
}

/** Whether `value` squared, to its last bit, is more than `square`. */
function exceeds(value: number, square: number): boolean {
  // The product in two doubles; the second is the rounding error of the first (Dekker).
  const product = value * value;
  const split = value * 134_217_729;
  const high = split - (split - value);
  const low = value - high;
  const lost = low * low - (product - high * high - 2 * high * low);
  return product - square + lost > 0;
}
