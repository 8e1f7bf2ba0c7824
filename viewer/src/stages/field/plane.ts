// The layout of a grid's cells on a picture: the coordinates that go across and down, and those that are chosen by
// hand.

type Tiling = "strip" | "squares" | "hexes";

export interface Plane {
  readonly tiling: Tiling;
  /** The coordinate that goes across, and the one that goes down: -1 of strips. */
  readonly across: number;
  readonly down: number;
  /** The other ones, of which a slice is taken. */
  readonly rest: readonly number[];
}

/** The pairs of names that mean the two directions of a plane: across and down. */
const PAIRS: readonly (readonly [across: string, down: string, tiling: Tiling])[] = [
  ["col", "row", "squares"],
  ["q", "r", "hexes"],
  ["x", "y", "squares"],
];

/** The plane that the names of the coordinates mean; otherwise that of the last two, or a strip. */
export function plane(names: readonly string[]): Plane {
  const others = (...taken: readonly number[]): number[] =>
    names.map((_, at) => at).filter((at) => !taken.includes(at));
  if (names.length === 1) {
    return { tiling: "strip", across: 0, down: -1, rest: [] };
  }
  // Parts of a product end in a number: `row_1`.
  for (const suffix of ["", ...names.map((_, at) => `_${at}`)]) {
    for (const [x, y, tiling] of PAIRS) {
      const [across, down] = [names.indexOf(x + suffix), names.indexOf(y + suffix)];
      if (across >= 0 && down >= 0) {
        return { tiling, across, down, rest: others(across, down) };
      }
    }
  }
  const [across, down] = [names.length - 1, names.length - 2];
  return { tiling: "squares", across, down, rest: others(across, down) };
}

/** The distance between neighbours along each key, in cells: the last key is the fastest. */
export function strides(shape: readonly number[]): number[] {
  const strides = shape.map(() => 1);
  for (let at = shape.length - 2; at >= 0; at--) {
    strides[at] = (strides[at + 1] ?? 1) * (shape[at + 1] ?? 1);
  }
  return strides;
}

/** The cells of a slice: `cell = base + x * right + y * below`. */
export interface Slice {
  readonly wide: number;
  readonly high: number;
  readonly base: number;
  readonly right: number;
  readonly below: number;
}

/** The slice at these places along the other coordinates. */
export function slice({ across, down, rest }: Plane, shape: readonly number[], at: readonly number[]): Slice {
  const steps = strides(shape);
  const base = rest.reduce((sum, dim, place) => {
    const last = (shape[dim] ?? 1) - 1;
    return sum + Math.max(0, Math.min(last, at[place] ?? 0)) * (steps[dim] ?? 0);
  }, 0);
  return {
    wide: shape[across] ?? 1,
    high: down < 0 ? 1 : (shape[down] ?? 1),
    base,
    right: steps[across] ?? 1,
    below: down < 0 ? 0 : (steps[down] ?? 1),
  };
}

/** A slice with no more cells along a side than that: of longer ones every second, third and so on. */
export function thinned(of: Slice, most: number): Slice {
  const [x, y] = [Math.ceil(of.wide / most), Math.ceil(of.high / most)];
  return {
    wide: Math.ceil(of.wide / x),
    high: Math.ceil(of.high / y),
    base: of.base,
    right: of.right * x,
    below: of.below * y,
  };
}

const ROOT3 = Math.sqrt(3);

/** A rectangle of the picture. */
interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** The places of the cells. Of squares, `size` is a side; of hexes, the distance from the middle to a corner. */
export interface Placing {
  readonly tiling: Tiling;
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly w: number;
  readonly h: number;
}

/** The largest cells with which a slice fits into a box, in the middle of it. */
export function placing(tiling: Tiling, { wide, high }: Slice, box: Box): Placing {
  const hexes = tiling === "hexes";
  // Hexes have a corner at the top; each row starts half a hexagon further to the right.
  const [across, down] = hexes ? [ROOT3 * (wide + (high - 1) / 2), 1.5 * high + 0.5] : [wide, high];
  const fit = Math.min(box.w / across, box.h / down);
  const size = hexes ? Math.max(0.5, fit) : fit >= 1 ? Math.floor(fit) : fit;
  const [w, h] = [across * size, down * size];
  return { tiling, size, w, h, x: Math.round(box.x + (box.w - w) / 2), y: Math.round(box.y + (box.h - h) / 2) };
}

/** The place within a slice at a point; `undefined` beside it. */
export function cellAt(
  at: Placing,
  { wide, high }: Slice,
  px: number,
  py: number,
): readonly [x: number, y: number] | undefined {
  const [dx, dy] = [px - at.x, py - at.y];
  let [x, y] = [Math.floor(dx / at.size), Math.floor(dy / at.size)];
  if (at.tiling === "hexes") {
    [x, y] = hexAt(dx / at.size - ROOT3 / 2, dy / at.size - 1);
  }
  return x >= 0 && y >= 0 && x < wide && y < high ? [x, y] : undefined;
}

/** The hexagon at a point, in units of its corner's distance, from the middle of the first one. */
function hexAt(x: number, y: number): [q: number, r: number] {
  const q = x / ROOT3 - y / 3;
  const r = (2 / 3) * y;
  // Rounds to whole cube coordinates: the one with the largest error is computed from the other two.
  let [cq, cr, cs] = [Math.round(q), Math.round(r), Math.round(-q - r)];
  const [oq, or, os] = [Math.abs(cq - q), Math.abs(cr - r), Math.abs(cs + q + r)];
  if (oq > or && oq > os) {
    cq = -cr - cs;
  } else if (or > os) {
    cr = -cq - cs;
  } else {
    cs = -cq - cr;
  }
  // Never -0.
  return [cq + 0, cr + 0];
}

/** The middle of a cell. */
export function middle(at: Placing, x: number, y: number): [x: number, y: number] {
  return at.tiling === "hexes"
    ? [at.x + ROOT3 * at.size * (x + y / 2 + 0.5), at.y + at.size * (1.5 * y + 1)]
    : [at.x + (x + 0.5) * at.size, at.y + (y + 0.5) * at.size];
}

/** Draws the outline of a cell. */
export function outline(to: CanvasRenderingContext2D, at: Placing, x: number, y: number): void {
  if (at.tiling !== "hexes") {
    to.strokeRect(at.x + x * at.size, at.y + y * at.size, at.size, at.size);
    return;
  }
  const [mx, my] = middle(at, x, y);
  to.beginPath();
  for (let corner = 0; corner < 6; corner++) {
    const angle = (Math.PI / 3) * corner + Math.PI / 6;
    to.lineTo(mx + at.size * Math.cos(angle), my + at.size * Math.sin(angle));
  }
  to.closePath();
  to.stroke();
}
