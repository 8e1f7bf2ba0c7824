// A canvas whose pixels are those of the screen.

export class Canvas {
  readonly element: HTMLCanvasElement;
  readonly context: CanvasRenderingContext2D;
  /** Its size in pixels of the page. */
  width = 0;
  height = 0;
  /** Pixels of the screen in one of the page. */
  ratio = 1;

  constructor(host: HTMLElement) {
    this.element = document.createElement("canvas");
    this.element.className = "stage-canvas";
    host.append(this.element);
    const context = this.element.getContext("2d");
    if (context === null) {
      throw new Error("this browser draws no canvas");
    }
    this.context = context;
  }

  /** Takes this size; whether anything changed, and what was drawn is gone. */
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

  /** All of it empty, and lengths in pixels of the page from here on. */
  clear(): CanvasRenderingContext2D {
    this.context.setTransform(1, 0, 0, 1, 0, 0);
    this.context.clearRect(0, 0, this.element.width, this.element.height);
    this.context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    return this.context;
  }
}

/** Calls back whenever an element's size changes; what is returned ends that. */
export function watchSize(element: HTMLElement, changed: (width: number, height: number) => void): () => void {
  const observer = new ResizeObserver(() => changed(element.clientWidth, element.clientHeight));
  observer.observe(element);
  return () => observer.disconnect();
}
