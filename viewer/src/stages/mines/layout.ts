// The layout of the board: in whole pixels of the screen, so that every line is crisp.

export interface Layout {
  /** The width of a square. */
  readonly cell: number;
  /** The first square's corner. */
  readonly x: number;
  readonly y: number;
  /** The frame around all of it. */
  readonly frame: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  /** The counters' part of it. */
  readonly head: { readonly y: number; readonly h: number };
  /** The width of the frame's edges. */
  readonly edge: number;
}

/** The largest squares with which a board and its counters fit. */
export function layout(width: number, height: number, ratio: number, cols: number, rows: number): Layout {
  const pad = Math.round(6 * ratio);
  const edge = Math.max(2, Math.round(3 * ratio));
  const gap = 2 * edge;
  const head = Math.round(Math.min(44, Math.max(28, height / ratio / 11)) * ratio);
  const [wide, high] = [width - 2 * pad - 4 * edge, height - 2 * pad - head - 3 * gap];
  // No square is so large that its picture says less than a smaller one's.
  const cell = Math.max(2, Math.min(Math.floor(wide / cols), Math.floor(high / rows), Math.round(64 * ratio)));
  const frame = { w: cell * cols + 4 * edge, h: cell * rows + head + 3 * gap };
  const x = Math.max(0, Math.round((width - frame.w) / 2));
  const y = Math.max(0, Math.min(Math.round((height - frame.h) / 2), Math.round(40 * ratio)));
  return {
    cell,
    edge,
    x: x + 2 * edge,
    y: y + head + 2 * gap,
    frame: { x, y, ...frame },
    head: { y: y + gap, h: head },
  };
}

/** The square at a pixel of the screen; `undefined` beside the board. */
export function squareAt(
  { cell, x, y }: Layout,
  cols: number,
  rows: number,
  at: readonly [x: number, y: number],
): readonly [col: number, row: number] | undefined {
  const [col, row] = [Math.floor((at[0] - x) / cell), Math.floor((at[1] - y) / cell)];
  return col >= 0 && row >= 0 && col < cols && row < rows ? [col, row] : undefined;
}

/**
 * The position of the cursor between two events, 0 to 1. A hand moves while events come, and rests in the pauses
 * between them.
 */
export function cursorMix(mix: number, gapMs: number): number {
  const moving = 40;
  return gapMs <= moving ? mix : Math.max(0, 1 - ((1 - mix) * gapMs) / moving);
}
