// The numbers of a field that are shown: a component, the length of a vector, or the difference to another
// recording.

import type { Grid } from "../../model.js";
import type { Component } from "./columns.js";

/** Whether two grids have the same cells, so that one can be taken from the other. */
export function comparable(one: Grid, other: Grid | undefined): other is Grid {
  const same = (a: readonly number[], b: readonly number[]): boolean =>
    a.length === b.length && a.every((n, at) => n === b[at]);
  return other !== undefined && same(one.shape, other.shape) && same(one.origin, other.origin);
}

/** The numbers that are shown; they stay valid until the next call. */
export class Values {
  private own = new Float64Array(0);
  private key = "";
  /** Goes up whenever the numbers may be others. */
  version = 0;
  private numbers: Float64Array = this.own;

  /** The numbers of a component; less those of the other grid, where one is given. */
  of(grid: Grid, component: Component, other: Grid | undefined): Float64Array {
    const key = [grid.def.name, component.name, grid.version, other?.version].join();
    if (key === this.key) {
      return this.numbers;
    }
    this.key = key;
    this.version += 1;
    const [first = 0] = component.columns;
    if (component.columns.length === 1 && other === undefined) {
      this.numbers = grid.numbers(first);
      return this.numbers;
    }
    const mine = this.fill(grid, component);
    if (other !== undefined) {
      const theirs =
        component.columns.length === 1
          ? other.numbers(first)
          : lengths(other, component, new Float64Array(mine.length));
      for (let cell = 0; cell < mine.length; cell++) {
        const [a, b] = [mine[cell] ?? 0, theirs[cell] ?? 0];
        // The difference of equal infinities counts as 0.
        mine[cell] = a === b ? 0 : a - b;
      }
    }
    this.numbers = mine;
    return mine;
  }

  private fill(grid: Grid, component: Component): Float64Array {
    const size = grid.shape.reduce((cells, along) => cells * along, 1);
    if (this.own.length !== size) {
      this.own = new Float64Array(size);
    }
    if (component.columns.length === 1) {
      this.own.set(grid.numbers(component.columns[0] ?? 0));
      return this.own;
    }
    return lengths(grid, component, this.own);
  }
}

function lengths(grid: Grid, { columns }: Component, into: Float64Array): Float64Array {
  into.fill(0);
  for (const column of columns) {
    const numbers = grid.numbers(column);
    for (let cell = 0; cell < into.length; cell++) {
      const number = numbers[cell] ?? Number.NaN;
      into[cell] = (into[cell] ?? 0) + number * number;
    }
  }
  for (let cell = 0; cell < into.length; cell++) {
    into[cell] = Math.sqrt(into[cell] ?? 0);
  }
  return into;
}

/** How many differences are not 0. */
export function differing(numbers: ArrayLike<number>): number {
  let differ = 0;
  for (let cell = 0; cell < numbers.length; cell++) {
    const number = numbers[cell] ?? Number.NaN;
    differ += number === 0 || number !== number ? 0 : 1;
  }
  return differ;
}
