// Colours of the stages, and a canvas that follows the size of its element.

import type { Theme } from "../../model.js";

export interface Colours {
  /** The background of everything. */
  readonly back: string;
  /** The background of panels above it. */
  readonly panel: string;
  readonly line: string;
  readonly grid: string;
  readonly ink: string;
  readonly faint: string;
  readonly accent: string;
  readonly wrong: string;
}

const DARK: Colours = {
  back: "#0e1116",
  panel: "#171c24",
  line: "#2c3542",
  grid: "#1d2530",
  ink: "#e7ecf3",
  faint: "#94a1b3",
  accent: "#5aa9ff",
  wrong: "#ff4fa3",
};

const LIGHT: Colours = {
  back: "#f4f6f9",
  panel: "#ffffff",
  line: "#c9d1dc",
  grid: "#e1e6ed",
  ink: "#18202b",
  faint: "#5b6878",
  accent: "#0b66d0",
  wrong: "#d4006f",
};

export function colours(theme: Theme): Colours {
  return theme === "dark" ? DARK : LIGHT;
}

/** Colours to tell things apart by, readable on both backgrounds. */
export const DISTINCT: readonly string[] = [
  "#4c9be8",
  "#f2913d",
  "#4fb477",
  "#d65db1",
  "#b59a00",
  "#8b7bea",
  "#e0605e",
  "#2aa9b8",
];

export const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";

export class Canvas {
  readonly element: HTMLCanvasElement;
  readonly context: CanvasRenderingContext2D;
  /** Its size in pixels of the page. */
  width = 0;
  height = 0;
  /** Pixels of the screen in one of the page. */
  ratio = 1;

  /** `label` describes the picture; a canvas that lies over another has none. */
  constructor(host: HTMLElement, label?: string) {
    this.element = document.createElement("canvas");
    this.element.className = "stage-canvas";
    if (label === undefined) {
      this.element.setAttribute("aria-hidden", "true");
    } else {
      this.element.setAttribute("role", "img");
      this.element.setAttribute("aria-label", label);
    }
    host.append(this.element);
    const context = this.element.getContext("2d");
    if (context === null) {
      throw new Error("this browser draws no canvas");
    }
    this.context = context;
  }

  /** Takes this size. Returns whether it changed, which erases the drawing. */
  resize(width: number, height: number): boolean {
    const ratio = globalThis.devicePixelRatio || 1;
    const [wide, high] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
    this.width = width;
    this.height = height;
    if (this.element.width === wide && this.element.height === high && this.ratio === ratio) {
      return false;
    }
    this.ratio = ratio;
    this.element.width = wide;
    this.element.height = high;
    return true;
  }

  /** Erases the drawing; from then on lengths are in pixels of the page, with a scale of 1 in those of the screen. */
  clear(scale = this.ratio): CanvasRenderingContext2D {
    this.context.setTransform(1, 0, 0, 1, 0, 0);
    this.context.clearRect(0, 0, this.element.width, this.element.height);
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    return this.context;
  }
}
