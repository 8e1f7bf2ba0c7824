// The timeline: the playhead, the markers, and clicks on them.

import { colour, el } from "../dom.js";
import { position } from "../format.js";
import type { Stretch } from "../play/playhead.js";
import type { Marker } from "../source/published.js";
import { Canvas } from "../stages/shared/canvas.js";
import { Marked, type Pin, type Placed, listed } from "./marked.js";

/** The contents of a timeline. */
export interface Track {
  readonly from: number;
  readonly to: number;
  readonly times: boolean;
  readonly markers: readonly Placed[];
  /** Stretches that are loaded. */
  loaded(): readonly Stretch[];
  /** The user may be about to go to this moment. */
  foresee(at: number): void;
}

const EDGE = 10;
/** A click within so many pixels goes to the marker. */
const NEAR = 7;
/** Pins lie no closer together, in pixels: one stands for several. */
const APART = 4;
/** The rest of the pointer at a moment before that is loaded, in milliseconds. */
const RESTS = 30;

export class Timeline {
  readonly element: HTMLElement;
  private readonly canvas: Canvas;
  private readonly tip = el("div", { class: "tip", role: "presentation", hidden: true });
  private track: Track;
  private readonly seek: (at: number) => void;
  private marked = new Marked([]);
  /** The drawing, as long as nothing moves. */
  private drawn: { readonly pins: readonly Pin[]; readonly strip: Float64Array; readonly most: number } | null = null;
  private at = 0;
  private loop: Stretch | null = null;
  private dragging = false;
  private hover: number | null = null;
  private resting: ReturnType<typeof setTimeout> | undefined;

  constructor(track: Track, seek: (at: number) => void) {
    this.seek = seek;
    this.element = el("div", { class: "timeline", role: "slider", tabindex: "0", "aria-label": "Timeline" });
    const { element } = this;
    this.canvas = new Canvas(element);
    element.append(this.tip);
    this.track = track;
    this.change(track);
    element.addEventListener("pointerdown", (event) => {
      this.dragging = true;
      element.setPointerCapture(event.pointerId);
      this.point(event);
      this.seek(this.snapped(event));
    });
    element.addEventListener("pointermove", (event) => {
      this.point(event);
      if (this.dragging) {
        this.seek(this.momentOf(event));
      }
    });
    const ends = (event: PointerEvent): void => {
      this.dragging = false;
      // A finger that has left the screen points at nothing.
      if (event.pointerType === "touch") {
        this.tip.hidden = true;
        this.hover = null;
      }
    };
    element.addEventListener("pointerup", ends);
    element.addEventListener("pointercancel", ends);
    element.addEventListener("pointerleave", () => {
      this.tip.hidden = true;
      this.hover = null;
      this.draw();
    });
    new ResizeObserver(() => this.resize()).observe(element);
  }

  /** Shows another track. */
  change(track: Track): void {
    this.marked = new Marked(track.markers);
    this.set(track);
    this.draw();
  }

  /** The recording has grown. */
  grow(from: number, to: number): void {
    if (to !== this.track.to || from !== this.track.from) {
      this.set({ ...this.track, from, to });
    }
  }

  private set(track: Track): void {
    this.track = track;
    this.drawn = null;
    this.element.setAttribute("aria-valuemin", String(Math.round(track.from)));
    this.element.setAttribute("aria-valuemax", String(Math.round(track.to)));
  }

  /** The moment of the next marker, or of the previous one; null where there is none. */
  markerFrom(at: number, by: -1 | 1): number {
    return this.marked.next(at, by);
  }

  /** The moment under the pointer, or so many pixels beside it. */
  private momentOf(event: PointerEvent, beside = 0): number {
    const { left } = this.element.getBoundingClientRect();
    const share = (event.clientX + beside - left - EDGE) / Math.max(1, this.canvas.width - 2 * EDGE);
    return this.track.from + Math.min(1, Math.max(0, share)) * (this.track.to - this.track.from);
  }

  /** The same, but the moment of a marker that is close. */
  private snapped(event: PointerEvent): number {
    const at = this.momentOf(event);
    return nearest(this.near(event), at) ?? at;
  }

  private near(event: PointerEvent): readonly Placed[] {
    return this.marked.within(this.momentOf(event, -NEAR), this.momentOf(event, NEAR));
  }

  private point(event: PointerEvent): void {
    const at = this.momentOf(event);
    const near = this.near(event);
    this.hover = at;
    // A pointer that only passes wants nothing.
    clearTimeout(this.resting);
    const meant = nearest(near, at) ?? at;
    this.resting = setTimeout(() => this.track.foresee(meant), RESTS);
    this.tip.replaceChildren(
      el("b", {}, position(meant, this.track.times)),
      ...listed(near, at).map(({ kind, text }) => el("span", { class: kind }, text)),
    );
    this.tip.hidden = false;
    const half = this.tip.offsetWidth / 2;
    const x = Math.min(this.canvas.width - half, Math.max(half, this.x(at)));
    this.tip.style.transform = `translate(${x - half}px, -100%)`;
    this.draw();
  }

  private x(at: number): number {
    const { from, to } = this.track;
    return EDGE + (to > from ? (at - from) / (to - from) : 0) * (this.canvas.width - 2 * EDGE);
  }

  private resize(): void {
    const { width, height } = this.element.getBoundingClientRect();
    this.canvas.resize(width, height);
    this.drawn = null;
    this.draw();
  }

  show(at: number, loop: Stretch | null): void {
    const { element, track } = this;
    [this.at, this.loop] = [at, loop];
    element.setAttribute("aria-valuenow", String(Math.round(at)));
    element.setAttribute("aria-valuetext", `${position(at, track.times)} of ${position(track.to, track.times)}`);
    this.draw();
  }

  private laid(): NonNullable<Timeline["drawn"]> {
    if (this.drawn === null) {
      const x = (at: number): number => this.x(at);
      const strip = this.marked.strip(x, this.canvas.width);
      const most = strip.reduce((most, count) => Math.max(most, count), 0);
      this.drawn = { pins: this.marked.pins(x, APART), strip, most };
    }
    return this.drawn;
  }

  /** Draws the bands, the markers and the playhead. */
  draw(): void {
    const { track } = this;
    const { width, height } = this.canvas;
    if (width === 0) {
      return;
    }
    const context = this.canvas.clear();
    const middle = Math.round(height * 0.62);
    const bar = (from: number, to: number, fill: string, tall: number): void => {
      const [left, right] = [this.x(from), this.x(to)];
      context.fillStyle = fill;
      context.beginPath();
      context.roundRect(left, middle - tall / 2, Math.max(1, right - left), tall, tall / 2);
      context.fill();
    };
    bar(track.from, track.to, colour("--track"), 6);
    for (const { from, to } of track.loaded()) {
      bar(Math.max(from, track.from), Math.min(to, track.to), colour("--loaded"), 6);
    }
    bar(track.from, this.at, colour("--accent"), 6);
    if (this.loop !== null) {
      context.fillStyle = colour("--loop");
      context.fillRect(
        this.x(this.loop.from),
        4,
        Math.max(2, this.x(this.loop.to) - this.x(this.loop.from)),
        height - 8,
      );
    }
    const { pins, strip, most } = this.laid();
    context.fillStyle = colour("--event");
    strip.forEach((count, x) => {
      if (count > 0) {
        context.globalAlpha = 0.3 + (0.7 * Math.log1p(count)) / Math.log1p(most);
        context.fillRect(x, middle + 6, 1, 4);
      }
    });
    context.globalAlpha = 1;
    for (const { x, kind, count } of pins) {
      pin(context, x, middle, kind, count);
    }
    if (this.hover !== null) {
      context.fillStyle = colour("--muted");
      context.fillRect(Math.round(this.x(this.hover)), 4, 1, height - 8);
    }
    const x = this.x(this.at);
    context.fillStyle = colour("--ink");
    context.fillRect(Math.round(x) - 1, 3, 2, height - 6);
    context.beginPath();
    context.arc(x, middle, 7, 0, 2 * Math.PI);
    context.fill();
    context.fillStyle = colour("--accent");
    context.beginPath();
    context.arc(x, middle, 4.5, 0, 2 * Math.PI);
    context.fill();
  }
}

/** The moment of the nearest pin. */
function nearest(near: readonly Placed[], to: number): number | undefined {
  let best: number | undefined;
  for (const { at, pinned } of near) {
    best = pinned && (best === undefined || Math.abs(at - to) < Math.abs(best - to)) ? at : best;
  }
  return best;
}

/** Events are rhombs, findings flags, so that kinds differ without colour, too. A sign for several is larger. */
function pin(context: CanvasRenderingContext2D, x: number, middle: number, kind: Marker["kind"], count: number): void {
  context.fillStyle = colour(`--${kind}`);
  const top = middle - 9;
  context.beginPath();
  if (kind === "event" || kind === "info") {
    const size = (kind === "event" ? 4.5 : 3) + Math.min(2.5, Math.log10(count) * 1.5);
    context.moveTo(x, top - size);
    context.lineTo(x + size, top);
    context.lineTo(x, top + size);
    context.lineTo(x - size, top);
  } else {
    context.moveTo(x - 5, top - 6);
    context.lineTo(x + 5, top - 6);
    context.lineTo(x, top + 4);
  }
  context.fill();
}
