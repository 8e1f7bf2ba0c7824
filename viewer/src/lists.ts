// Small helpers for lists and maps.

/** The value of a key; where there is none yet, it is made, and kept. */
export function obtain<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let found = map.get(key);
  if (found === undefined) {
    found = make();
    map.set(key, found);
  }
  return found;
}

/** The number of the first places, of `length`, for which `before` holds; it holds for none of the later ones. */
export function countBefore(length: number, before: (place: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (before(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/** Whether two lists have the same numbers. */
export function same(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((number, at) => number === b[at]);
}

/** The one after `now`; after the last, the first. */
export function following<T>(all: readonly T[], now: T): T {
  return all[(all.indexOf(now) + 1) % all.length] ?? now;
}

/** The product of all: of the edges of a grid, the number of its cells. */
export function product(numbers: readonly number[]): number {
  return numbers.reduce((made, number) => made * number, 1);
}
