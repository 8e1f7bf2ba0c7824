// The stage of the board: it draws its tables as squares, counters and a cursor.

import type { Grid, Recording, Rows, Stage, Stageplay, View } from "../../model.js";
import { Canvas, watchSize } from "../shared/canvas.js";
import { dress, element, toggle, undress } from "../shared/controls.js";
import { lerp } from "../shared/motion.js";
import { column, count, fact, rowOf, span } from "../shared/tables.js";
import { FACES, parts, place, untouched, words } from "./faces.js";
import { type BoardColumns, boardColumns } from "./columns.js";
import { type Layout, cursorMix, layout, squareAt } from "./layout.js";
import { bevel, counter, counterWidth, palette, pictures } from "./paint.js";
import { type Mood, drawMood, drawPointer, drawRing, drawTrail, pressed } from "./pointer.js";

/** For how many milliseconds the trail and the rings of clicks stay. */
const TRAIL = 1500;
const RING = 600;

export class Board implements Stage {
  readonly keys = [
    ["W", "the way of the cursor"],
    ["R", "rings at clicks"],
  ] as const;

  private columns!: BoardColumns;
  private recording!: Recording;
  private page!: Stageplay;
  private host!: HTMLElement;
  private squares!: Canvas;
  private hand!: Canvas;
  private note!: HTMLElement;
  private probe!: HTMLElement;
  private theme: "dark" | "light" = "light";
  private at: Layout | undefined;
  private images: HTMLCanvasElement | undefined;
  private trail = true;
  private rings = true;
  private showTrail: (on: boolean) => void = () => undefined;
  private showRings: (on: boolean) => void = () => undefined;
  /** The version of the grid that is drawn, and what the counters showed. */
  private drawn = "";
  private wrong: number[] = [];
  private hovered: readonly [number, number] | undefined;
  private view: View | undefined;
  private points = new Float64Array(512);
  private unit = 16;
  private said = "";
  private unwatch: () => void = () => undefined;

  mount(host: HTMLElement, recording: Recording, page: Stageplay): void {
    const columns = boardColumns(recording);
    if (columns === undefined) {
      throw new Error("this recording has no board");
    }
    this.columns = columns;
    this.recording = recording;
    this.page = page;
    this.host = host;
    this.theme = page.theme;
    this.unit = Number(fact(recording, "cell_size") ?? 16) || 16;
    dress(host, page.theme);
    const bar = element("div", "stage-bar", host);
    this.showTrail = toggle(bar, "Trail", "The way of the cursor", this.trail, (on) => this.set({ trail: on }));
    this.showRings = toggle(bar, "Clicks", "Rings where buttons go down", this.rings, (on) => this.set({ rings: on }));
    const body = element("div", "stage-body", host);
    const status = element("div", "stage-status", host);
    this.note = element("span", "", status);
    this.probe = element("span", "stage-note", status);
    this.squares = new Canvas(body, "The board");
    this.hand = new Canvas(body);
    this.hand.element.addEventListener("pointermove", (event) => this.hover(event));
    this.hand.element.addEventListener("pointerleave", () => this.hover(undefined));
    this.unwatch = watchSize(body, (width, height) => {
      this.fit(width, height);
      page.redraw();
    });
  }

  private set(change: { trail?: boolean; rings?: boolean }): void {
    this.trail = change.trail ?? this.trail;
    this.rings = change.rings ?? this.rings;
    this.showTrail(this.trail);
    this.showRings(this.rings);
    this.page.saved();
    this.page.redraw();
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

  private squareWords(grid: Grid, cell: number): string {
    const { recorded, rules } = this.columns;
    const [says, gives] = [recorded, rules].map((at) => (at < 0 ? undefined : grid.value(cell, at)));
    return parts(says, gives) ? `recorded ${words(says)}, by the rules ${words(gives)}` : words(says ?? gives);
  }

  resize(): void {
    const body = this.hand.element.parentElement;
    this.fit(body?.clientWidth ?? 0, body?.clientHeight ?? 0);
  }

  private fit(width: number, height: number): void {
    this.squares.resize(width, height);
    this.hand.resize(width, height);
    const { element: canvas, ratio } = this.hand;
    this.at = layout(canvas.width, canvas.height, ratio, ...this.size());
    this.images = pictures(this.at.cell, this.theme);
    this.drawn = "";
  }

  themeChanged(theme: "dark" | "light"): void {
    this.theme = theme;
    dress(this.host, theme);
    if (this.at !== undefined) {
      this.images = pictures(this.at.cell, theme);
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
    const state = [grid.version, this.counted(counters, "mines_left"), this.counted(counters, "clock"), mood].join();
    if (state !== this.drawn) {
      this.drawn = state;
      this.drawSquares(grid, counters, mood, this.at);
      this.showProbe();
    }
    const said = this.counts(view, counters);
    if (said !== this.said) {
      this.note.textContent = this.said = said;
    }
    this.drawHand(view, this.at);
  }

  private counted(counters: Rows | undefined, name: string): number {
    const at = counters === undefined ? -1 : column(counters.def, name);
    return counters === undefined || counters.length === 0 || at < 0 ? Number.NaN : counters.number(0, at);
  }

  /** The counters in a line. */
  private counts(view: View, counters: Rows | undefined): string {
    const get = (name: string): number => this.counted(counters, name);
    const parts: string[] = [];
    const [solved, all] = [get("solved_bbbv"), Number(fact(this.recording, "bbbv"))];
    if (Number.isFinite(solved)) {
      const seconds = view.at / 1000;
      const speed = this.recording.times && seconds > 0.5 ? `, ${(solved / seconds).toFixed(2)}/s` : "";
      parts.push(`3BV ${solved}${Number.isFinite(all) ? `/${all}` : ""}${speed}`);
    }
    if (Number.isFinite(get("clicks"))) {
      const kinds = `${get("left_clicks")} left, ${get("right_clicks")} right, ${get("double_clicks")} chords`;
      parts.push(`${count(get("clicks"), "click")}: ${kinds}`);
    }
    return parts.join(" · ");
  }

  private mood(view: View): Mood {
    const { before } = view;
    const counters = before.rows("counters");
    const cells = this.size()[0] * this.size()[1];
    const mines = Number(fact(this.recording, "board_mines"));
    if (this.counted(counters, "opened") >= cells - mines) {
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
    const is = (name: string): boolean => {
      const at = cursor === undefined ? -1 : column(cursor.def, name);
      return cursor !== undefined && cursor.length > 0 && at >= 0 && cursor.value(0, at) === true;
    };
    return { left: is("left"), right: is("right"), middle: is("middle") };
  }

  private drawSquares(grid: Grid, counters: Rows | undefined, mood: Mood, at: Layout): void {
    const { context: to, element: canvas, ratio } = this.squares;
    const { cell, edge, frame, head } = at;
    const colours = palette(this.theme);
    to.setTransform(1, 0, 0, 1, 0, 0);
    to.clearRect(0, 0, canvas.width, canvas.height);
    to.fillStyle = colours.face;
    to.fillRect(frame.x, frame.y, frame.w, frame.h);
    bevel(to, frame.x, frame.y, frame.w, frame.h, edge, colours.light, colours.shade);
    bevel(
      to,
      frame.x + edge * 2,
      head.y,
      frame.w - edge * 4,
      head.h,
      Math.ceil(edge / 2),
      colours.shade,
      colours.light,
    );
    const [cols, rows] = this.size();
    bevel(
      to,
      at.x - edge,
      at.y - edge,
      cols * cell + 2 * edge,
      rows * cell + 2 * edge,
      edge,
      colours.shade,
      colours.light,
    );
    const [inset, high] = [Math.round(head.h * 0.16), Math.round(head.h * 0.68)];
    const [left, right] = [frame.x + 2 * edge + inset, frame.x + frame.w - 2 * edge - inset];
    counter(to, left, head.y + inset, high, this.counted(counters, "mines_left"));
    counter(to, right - counterWidth(high), head.y + inset, high, this.counted(counters, "clock"));
    if (frame.w > 2 * counterWidth(high) + high * 2.2) {
      drawMood(to, frame.x + frame.w / 2 - head.h / 2, head.y, head.h, mood);
    }
    this.wrong = [];
    const { recorded, rules } = this.columns;
    for (let col = 0; col < cols; col++) {
      for (let row = 0; row < rows; row++) {
        const of = this.cell(col, row);
        const says = recorded < 0 ? undefined : grid.value(of, recorded);
        const gives = rules < 0 ? undefined : grid.value(of, rules);
        this.picture(to, at, place(says ?? gives), col, row);
        if (parts(says, gives)) {
          this.wrong.push(of);
          this.markWrong(to, at, place(gives), col, row, ratio);
        }
      }
    }
  }

  private picture(to: CanvasRenderingContext2D, { cell, x, y }: Layout, face: number, col: number, row: number): void {
    if (this.images !== undefined) {
      to.drawImage(this.images, face * cell, 0, cell, cell, x + col * cell, y + row * cell, cell, cell);
    }
  }

  /** Outlines the squares where the recording and the rules differ, with the rules' square in the corner. */
  private markWrong(
    to: CanvasRenderingContext2D,
    { cell, x, y }: Layout,
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

  private drawHand(view: View, at: Layout): void {
    const { context: to, element: canvas, ratio } = this.hand;
    to.setTransform(1, 0, 0, 1, 0, 0);
    to.clearRect(0, 0, canvas.width, canvas.height);
    const { cursor } = this.columns;
    const rows = view.before.rows(cursor.name);
    if (rows === undefined || rows.length === 0) {
      return;
    }
    const [x, y] = this.cursorAt(view, rows);
    const scale = at.cell / this.unit;
    const [px, py] = [at.x + x * scale, at.y + y * scale];
    if (this.trail) {
      const length = this.fillTrail(view, rows, at, scale, px, py);
      drawTrail(to, this.points, length, ratio);
    }
    if (this.rings && this.recording.times) {
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

  private fillTrail(view: View, rows: Rows, at: Layout, scale: number, px: number, py: number): number {
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

  private drawRings(view: View, to: CanvasRenderingContext2D, at: Layout, scale: number, ratio: number): void {
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
    const { recorded, rules } = this.columns;
    let [open, flags] = [0, 0];
    const wrong: string[] = [];
    for (let cell = 0; cell < cols * rows; cell++) {
      const says = recorded < 0 ? undefined : grid.value(cell, recorded);
      const gives = rules < 0 ? undefined : grid.value(cell, rules);
      const shown = says ?? gives;
      flags += FACES[place(shown)]?.look === "flag" ? 1 : 0;
      open += !untouched(shown) && FACES[place(shown)]?.look === "open" ? 1 : 0;
      if (parts(says, gives)) {
        const [col, row] =
          this.columns.across === 0 ? [Math.floor(cell / rows), cell % rows] : [cell % cols, Math.floor(cell / cols)];
        wrong.push(`column ${col}, row ${row} is ${this.squareWords(grid, cell)}`);
      }
    }
    const cursor = view.before.rows(this.columns.cursor.name);
    const at = (name: string): number =>
      cursor === undefined || cursor.length === 0 ? Number.NaN : cursor.number(0, column(cursor.def, name));
    const held = Object.entries(this.held(cursor))
      .filter(([, down]) => down)
      .map(([name]) => name);
    const sentences = [
      `A board of ${cols} columns and ${rows} rows: ${count(open, "cell")} open, ${count(flags, "flag")}.`,
      Number.isFinite(at("col"))
        ? `The cursor is on column ${at("col")}, row ${at("row")}.`
        : "The cursor is beside the board.",
      held.length > 0 ? `Down: the ${held.join(" and the ")} button.` : "",
      this.counts(view, counters).replace(/.$/, "$&."),
      ...wrong.slice(0, 3).map((what) => `The recording and the rules part: ${what}.`),
      wrong.length > 3 ? `So they do on ${count(wrong.length - 3, "more cell")}.` : "",
    ];
    return sentences.filter((sentence) => sentence !== "").join(" ");
  }

  key(event: KeyboardEvent): boolean {
    switch (event.key.toLowerCase()) {
      case "w":
        this.set({ trail: !this.trail });
        return true;
      case "r":
        this.set({ rings: !this.rings });
        return true;
      default:
        return false;
    }
  }

  save(): string {
    return `${this.trail ? "t" : ""}${this.rings ? "r" : ""}` || "-";
  }

  restore(saved: string): void {
    this.trail = saved.includes("t");
    this.rings = saved.includes("r");
    this.showTrail(this.trail);
    this.showRings(this.rings);
  }

  dispose(): void {
    this.unwatch();
    undress(this.host);
  }
}
