// What stages draw on: a canvas that follows the size of its element, and many things of one shape at once.

import type { InstancedBufferAttribute, InstancedMesh } from "three";

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

  /** Erases the drawing; from then on lengths are in pixels of the page. */
  clear(): CanvasRenderingContext2D {
    this.context.setTransform(1, 0, 0, 1, 0, 0);
    this.context.clearRect(0, 0, this.element.width, this.element.height);
    this.context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    return this.context;
  }
}

/** Calls back whenever an element's size changes; the function that is returned ends that. */
export function watchSize(element: HTMLElement, changed: (width: number, height: number) => void): () => void {
  const observer = new ResizeObserver(() => changed(element.clientWidth, element.clientHeight));
  observer.observe(element);
  return () => observer.disconnect();
}

function changed(attribute: InstancedBufferAttribute | null, numbers: number): void {
  if (attribute !== null) {
    attribute.clearUpdateRanges();
    attribute.addUpdateRange(0, numbers);
    attribute.needsUpdate = true;
  }
}

/** Sets the number of instances: only so many are sent to the graphics card. */
export function setCount(mesh: InstancedMesh, count: number): void {
  mesh.count = count;
  changed(mesh.instanceMatrix, 16 * count);
  changed(mesh.instanceColor, 3 * count);
}
