// The stage of the board: it draws its tables as squares, counters and a cursor.

import { say } from "../../dom.js";
import { count, joined } from "../../format.js";
import type { Grid, Rows, StageKey, Value, View } from "../../model.js";
import { Canvas } from "../shared/canvas.js";
import { element } from "../shared/controls.js";
import { lerp, rowOf, span } from "../shared/motion.js";
import { PictureStage } from "../shared/stage.js";
import { column, fact, first, firstNumber } from "../shared/tables.js";
import { type BoardColumns, FACES, boardColumns, differ, place, words } from "./columns.js";
import { type BoardLayout, bevel, counter, counterWidth, layout, palette, pictures, squareAt } from "./paint.js";
import { type Mood, cursorMix, drawMood, drawPointer, drawRing, drawTrail, pressed } from "./pointer.js";

/** The trail and the rings of clicks stay for so many milliseconds. */
const TRAIL = 1500;
const RING = 600;

export class Board extends PictureStage<"trail" | "rings"> {
  readonly keys: readonly StageKey[] = [
    ["W", "the way of the cursor", () => this.flip("trail")],
    ["R", "rings at clicks", () => this.flip("rings")],
  ];

  protected readonly on = { trail: true, rings: true };
  private columns!: BoardColumns;
  private squares!: Canvas;
  private hand!: Canvas;
  private note!: HTMLElement;
  private probe!: HTMLElement;
  private at: BoardLayout | undefined;
  private images: HTMLCanvasElement | undefined;
  /** The version of the grid that is drawn, and what the counters showed. */
  private drawn = "";
  private hovered: readonly [number, number] | undefined;
  private view: View | undefined;
  private points = new Float64Array(512);
  private unit = 16;

  protected build(): void {
    const columns = boardColumns(this.recording);
    if (columns === undefined) {
      throw new Error("this recording has no board");
    }
    this.columns = columns;
    this.unit = Number(fact(this.recording, "cell_size") ?? 16) || 16;
    this.addSwitch(this.bar, "trail", "Trail", "The way of the cursor");
    this.addSwitch(this.bar, "rings", "Clicks", "Rings where buttons go down");
    const status = element("div", "stage-status", this.host);
    this.note = element("span", "", status);
    this.probe = element("span", "stage-note", status);
    this.squares = new Canvas(this.body, "The board");
    this.hand = new Canvas(this.body);
    this.hand.element.addEventListener("pointermove", (event) => this.hover(event));
    this.hand.element.addEventListener("pointerleave", () => this.hover(undefined));
  }

  private size(): readonly [cols: number, rows: number] {
    const { board, across } = this.columns;
    return [board.shape[across] ?? 1, board.shape[1 - across] ?? 1];
  }

  private cell(col: number, row: number): number {
    const [cols, rows] = this.size();
    return this.columns.across === 0 ? col * rows + row : row * cols + col;
  }

  private hover(event: PointerEvent | undefined): void {
    const [cols, rows] = this.size();
    const { ratio } = this.hand;
    this.hovered =
      event === undefined || this.at === undefined
        ? undefined
        : squareAt(this.at, cols, rows, [event.offsetX * ratio, event.offsetY * ratio]);
    this.showProbe();
  }

  private showProbe(): void {
    const grid = this.view?.before.grid(this.columns.board.name);
    if (this.hovered === undefined || grid === undefined) {
      this.probe.textContent = "";
      return;
    }
    const [col, row] = this.hovered;
    this.probe.textContent = `(${col}, ${row}): ${this.squareWords(grid, this.cell(col, row))}`;
  }

  /** A square as the recording has it, and as the rules give it. */
  private square(grid: Grid, cell: number): readonly [says: Value | undefined, gives: Value | undefined] {
    const { recorded, rules } = this.columns;
    return [recorded < 0 ? undefined : grid.value(cell, recorded), rules < 0 ? undefined : grid.value(cell, rules)];
  }

  private squareWords(grid: Grid, cell: number): string {
    const [says, gives] = this.square(grid, cell);
    return differ(says, gives) ? `recorded ${words(says)}, by the rules ${words(gives)}` : words(says ?? gives);
  }

  protected fit(width: number, height: number): void {
    this.squares.resize(width, height);
    this.hand.resize(width, height);
    const { element: canvas, ratio } = this.hand;
    this.at = layout(canvas.width, canvas.height, ratio, ...this.size());
    this.images = pictures(this.at.cell, this.theme);
    this.drawn = "";
  }

  protected override paint(): void {
    if (this.at !== undefined) {
      this.images = pictures(this.at.cell, this.theme);
    }
    this.drawn = "";
  }

  draw(view: View): void {
    this.view = view;
    const grid = view.before.grid(this.columns.board.name);
    const counters = view.before.rows("counters");
    if (this.at === undefined || grid === undefined) {
      return;
    }
    const mood = this.mood(view);
    const state = [grid.version, firstNumber(counters, "mines_left"), firstNumber(counters, "clock"), mood].join();
    if (state !== this.drawn) {
      this.drawn = state;
      this.drawSquares(grid, counters, mood, this.at);
      this.showProbe();
    }
    say(this.note, this.counts(view, counters));
    this.drawHand(view, this.at);
  }

  /** The counters in a line. */
  private counts(view: View, counters: Rows | undefined): string {
    const get = (name: string): number => firstNumber(counters, name);
    const [solved, all] = [get("solved_bbbv"), Number(fact(this.recording, "bbbv"))];
    const seconds = view.at / 1000;
    const speed = this.recording.times && seconds > 0.5 ? `, ${(solved / seconds).toFixed(2)}/s` : "";
    const kinds = `${get("left_clicks")} left, ${get("right_clicks")} right, ${get("double_clicks")} chords`;
    return joined(
      [
        Number.isFinite(solved) ? `3BV ${solved}${Number.isFinite(all) ? `/${all}` : ""}${speed}` : "",
        Number.isFinite(get("clicks")) ? `${count(get("clicks"), "click")}: ${kinds}` : "",
      ],
      " · ",
    );
  }

  private mood(view: View): Mood {
    const { before } = view;
    const counters = before.rows("counters");
    const cells = this.size()[0] * this.size()[1];
    const mines = Number(fact(this.recording, "board_mines"));
    if (firstNumber(counters, "opened") >= cells - mines) {
      return "won";
    }
    const grid = before.grid(this.columns.board.name);
    if (view.after === null && grid !== undefined && fact(this.recording, "outcome") === "blast") {
      return "lost";
    }
    const held = this.held(before.rows(this.columns.cursor.name));
    return held.left || held.middle ? "hold" : "play";
  }

  private held(cursor: Rows | undefined): { left: boolean; right: boolean; middle: boolean } {
    const is = (name: string): boolean => first(cursor, name) === true;
    return { left: is("left"), right: is("right"), middle: is("middle") };
  }

  private drawSquares(grid: Grid, counters: Rows | undefined, mood: Mood, at: BoardLayout): void {
    const { ratio } = this.squares;
    const to = this.squares.clear(1);
    const { cell, edge, frame, head } = at;
    const colours = palette(this.theme);
    to.fillStyle = colours.face;
    to.fillRect(frame.x, frame.y, frame.w, frame.h);
    bevel(to, frame.x, frame.y, frame.w, frame.h, edge, colours.light, colours.shade);
    const sunken = (x: number, y: number, w: number, h: number, edge: number): void =>
      bevel(to, x, y, w, h, edge, colours.shade, colours.light);
    sunken(frame.x + edge * 2, head.y, frame.w - edge * 4, head.h, Math.ceil(edge / 2));
    const [cols, rows] = this.size();
    sunken(at.x - edge, at.y - edge, cols * cell + 2 * edge, rows * cell + 2 * edge, edge);
    const [inset, high] = [Math.round(head.h * 0.16), Math.round(head.h * 0.68)];
    const [left, right] = [frame.x + 2 * edge + inset, frame.x + frame.w - 2 * edge - inset];
    counter(to, left, head.y + inset, high, firstNumber(counters, "mines_left"));
    counter(to, right - counterWidth(high), head.y + inset, high, firstNumber(counters, "clock"));
    if (frame.w > 2 * counterWidth(high) + high * 2.2) {
      drawMood(to, frame.x + frame.w / 2 - head.h / 2, head.y, head.h, mood);
    }
    for (let col = 0; col < cols; col++) {
      for (let row = 0; row < rows; row++) {
        const [says, gives] = this.square(grid, this.cell(col, row));
        this.picture(to, at, place(says ?? gives), col, row);
        if (differ(says, gives)) {
          this.markWrong(to, at, place(gives), col, row, ratio);
        }
      }
    }
  }

  private picture(
    to: CanvasRenderingContext2D,
    { cell, x, y }: BoardLayout,
    face: number,
    col: number,
    row: number,
  ): void {
    if (this.images !== undefined) {
      to.drawImage(this.images, face * cell, 0, cell, cell, x + col * cell, y + row * cell, cell, cell);
    }
  }

  /** Outlines the squares where the recording and the rules differ, with the rules' square in the corner. */
  private markWrong(
    to: CanvasRenderingContext2D,
    { cell, x, y }: BoardLayout,
    gives: number,
    col: number,
    row: number,
    ratio: number,
  ): void {
    const [left, top] = [x + col * cell, y + row * cell];
    const wide = Math.max(2, Math.round(2.5 * ratio));
    to.strokeStyle = "#ff2fa0";
    to.lineWidth = wide;
    to.strokeRect(left + wide / 2, top + wide / 2, cell - wide, cell - wide);
    const small = Math.round(cell * 0.46);
    const [sx, sy] = [left + cell - small, top + cell - small];
    to.fillStyle = "#ff2fa0";
    to.fillRect(sx - wide, sy - wide, small + wide, small + wide);
    if (this.images !== undefined) {
      to.drawImage(this.images, gives * cell, 0, cell, cell, sx, sy, small, small);
    }
  }

  private drawHand(view: View, at: BoardLayout): void {
    const { ratio } = this.hand;
    const to = this.hand.clear(1);
    const { cursor } = this.columns;
    const rows = view.before.rows(cursor.name);
    if (rows === undefined || rows.length === 0) {
      return;
    }
    const [x, y] = this.cursorAt(view, rows);
    const scale = at.cell / this.unit;
    const [px, py] = [at.x + x * scale, at.y + y * scale];
    if (this.on.trail) {
      const length = this.fillTrail(view, rows, at, scale, px, py);
      drawTrail(to, this.points, length, ratio);
    }
    if (this.on.rings && this.recording.times) {
      this.drawRings(view, to, at, scale, ratio);
    }
    drawPointer(to, px, py, this.held(rows), ratio);
  }

  private cursorAt(view: View, rows: Rows): readonly [x: number, y: number] {
    const [cx, cy] = [column(rows.def, "x"), column(rows.def, "y")];
    const [x, y] = [rows.number(0, cx), rows.number(0, cy)];
    const next = view.after?.rows(rows.def.name);
    const row = next === undefined ? -1 : rowOf(next, rows.id(0), 0);
    if (view.after === null || next === undefined || row < 0) {
      return [x, y];
    }
    const mix = cursorMix(view.mix, span(view.before, view.after, this.recording.times));
    return [lerp(x, next.number(row, cx), mix), lerp(y, next.number(row, cy), mix)];
  }

  private fillTrail(view: View, rows: Rows, at: BoardLayout, scale: number, px: number, py: number): number {
    const places = view.trail(rows.def.name, rows.id(0), [column(rows.def, "x"), column(rows.def, "y")], TRAIL);
    if (this.points.length < 2 * (places.length + 1)) {
      this.points = new Float64Array(4 * (places.length + 1));
    }
    let length = 0;
    for (const place of places) {
      this.points[2 * length] = at.x + (place[0] ?? 0) * scale;
      this.points[2 * length + 1] = at.y + (place[1] ?? 0) * scale;
      length += 1;
    }
    this.points[2 * length] = px;
    this.points[2 * length + 1] = py;
    return length + 1;
  }

  private drawRings(view: View, to: CanvasRenderingContext2D, at: BoardLayout, scale: number, ratio: number): void {
    for (const { name, lane } of this.recording.tables) {
      if (lane !== "events") {
        continue;
      }
      for (const event of view.events(name, RING)) {
        const button = pressed(event);
        const age = (view.at - (event.moment.timeMs ?? view.at)) / RING;
        const [x, y] = [Number(event.row["x"]), Number(event.row["y"])];
        if (button !== undefined && age >= 0 && age <= 1) {
          drawRing(to, at.x + x * scale, at.y + y * scale, age, button, this.page.reducedMotion, ratio);
        }
      }
    }
  }

  describe(view: View): string {
    const grid = view.before.grid(this.columns.board.name);
    const counters = view.before.rows("counters");
    const [cols, rows] = this.size();
    if (grid === undefined) {
      return `A board of ${cols} columns and ${rows} rows. Nothing is recorded here.`;
    }
    let [open, flags] = [0, 0];
    const wrong: string[] = [];
    for (let cell = 0; cell < cols * rows; cell++) {
      const [says, gives] = this.square(grid, cell);
      const look = FACES[place(says ?? gives)]?.look;
      flags += look === "flag" ? 1 : 0;
      open += look === "open" ? 1 : 0;
      if (differ(says, gives)) {
        const [col, row] =
          this.columns.across === 0 ? [Math.floor(cell / rows), cell % rows] : [cell % cols, Math.floor(cell / cols)];
        wrong.push(`column ${col}, row ${row} is ${this.squareWords(grid, cell)}`);
      }
    }
    const cursor = view.before.rows(this.columns.cursor.name);
    const at = (name: string): number => firstNumber(cursor, name);
    const held = Object.entries(this.held(cursor))
      .filter(([, down]) => down)
      .map(([name]) => name);
    return joined([
      `A board of ${cols} columns and ${rows} rows: ${count(open, "cell")} open, ${count(flags, "flag")}.`,
      Number.isFinite(at("col"))
        ? `The cursor is on column ${at("col")}, row ${at("row")}.`
        : "The cursor is beside the board.",
      held.length > 0 ? `Down: the ${held.join(" and the ")} button.` : "",
      this.counts(view, counters).replace(/.$/, "$&."),
      ...wrong.slice(0, 3).map((what) => `The recording and the rules part: ${what}.`),
      wrong.length > 3 ? `So they do on ${count(wrong.length - 3, "more cell")}.` : "",
    ]);
  }

  save(): string {
    return this.saveSwitches() || "-";
  }

  restore(saved: string): void {
    this.restoreSwitches(saved);
  }
}
