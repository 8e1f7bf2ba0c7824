// One plot: numbers over the whole of a recording, in step with the timeline.

import uPlot from "uplot";

import type { Loader } from "../play/loader.js";
import { Samples, type Series, sample } from "../play/sampler.js";
import { button, colour, el, say } from "./dom.js";
import { position } from "./format.js";

const HEIGHT = 130;
const INKS = ["--accent", "--event", "--warning", "--error", "--info"];
/** How often it is drawn while samples come, in milliseconds. */
const OFTEN = 250;

/** The series of a plot, and their names. */
export interface Plotted {
  readonly title: string;
  readonly series: readonly Series[];
  /** The name of each line. */
  readonly names: readonly string[];
}

export class Plot {
  readonly element: HTMLElement;
  private readonly line = el("div", { class: "now" });
  private readonly chart: HTMLElement;
  private readonly progress = el("span", { class: "quiet" });
  private readonly samples: Samples;
  private readonly names: readonly string[];
  private readonly loader: Loader;
  private readonly stopping = new AbortController();
  private plot: uPlot | null = null;
  private drawnAt = 0;
  private at = 0;
  private wake: ((more: boolean) => void) | null = null;

  constructor(loader: Loader, { title, series, names }: Plotted, seek: (at: number) => void, close: () => void) {
    this.loader = loader;
    this.names = names;
    this.samples = new Samples(series, loader.from, loader.to);
    const closing = button("close", `Close the plot of ${title}`, "", () => {
      this.dispose();
      close();
    });
    this.chart = el("div", { class: "chart", role: "img", "aria-label": `${title} over time` });
    this.element = el("section", { class: "plot" }, el("h3", {}, title, " ", this.progress, closing), this.chart);
    this.chart.addEventListener("click", (event) => {
      const { plot } = this;
      if (plot !== null) {
        seek(plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, "x"));
      }
    });
    new ResizeObserver(() => this.resize()).observe(this.chart);
    const more = (): Promise<boolean> =>
      loader.published.live ? new Promise((resolve) => (this.wake = resolve)) : Promise.resolve(false);
    void sample(loader, this.samples, this.stopping.signal, () => this.tell(), more).then(() => this.tell(true));
  }

  /** More has been recorded, or nothing more will be. */
  grown(): void {
    this.wake?.(true);
    this.wake = null;
  }

  private tell(last = false): void {
    const now = performance.now();
    if (!last && now - this.drawnAt < OFTEN) {
      return;
    }
    this.drawnAt = now;
    const { done } = this.samples;
    say(this.progress, done < 1 ? `${Math.floor(100 * done)} %` : "");
    this.redraw();
  }

  /** Draws the lines again, because there are more samples or other colours. */
  redraw(): void {
    const data = this.data();
    if (this.plot !== null) {
      this.plot.setData(data);
      this.show(this.at);
    } else if (this.chart.clientWidth > 0) {
      this.make(data);
    }
  }

  themed(): void {
    this.plot?.destroy();
    this.plot = null;
    this.redraw();
  }

  private data(): uPlot.AlignedData {
    const lines = this.samples.series.map((_, at) => this.samples.line(at));
    if (lines.length === 1) {
      return [lines[0]!.at, lines[0]!.value];
    }
    return uPlot.join(lines.map(({ at, value }) => [at, value]));
  }

  private make(data: uPlot.AlignedData): void {
    const { times } = this.loader.tables;
    const axis = {
      stroke: () => colour("--muted"),
      grid: { stroke: () => colour("--line"), width: 1 },
      ticks: { show: false },
      font: "11px system-ui",
    };
    this.plot = new uPlot(
      {
        width: this.chart.clientWidth,
        height: HEIGHT,
        legend: { show: this.names.length > 1 },
        hooks: { draw: [() => this.show(this.at)] },
        cursor: { drag: { setScale: false }, y: false },
        scales: { x: { time: false, range: () => [this.loader.from, this.loader.to] } },
        axes: [
          { ...axis, size: 26, space: 70, values: (_, all) => all.map((at) => position(at, times, 0)) },
          { ...axis, size: 52 },
        ],
        series: [
          { label: times ? "time" : "step", value: (_, at) => (at === null ? "" : position(at, times)) },
          ...this.names.map((label, at) => ({
            label,
            stroke: () => colour(INKS[at % INKS.length]!),
            width: 1.5,
            points: { show: false },
            spanGaps: false,
          })),
        ],
      },
      data,
      this.chart,
    );
    this.plot.over.append(this.line);
    this.show(this.at);
  }

  private resize(): void {
    if (this.plot === null) {
      this.redraw();
    } else if (this.chart.clientWidth > 0) {
      this.plot.setSize({ width: this.chart.clientWidth, height: HEIGHT });
      this.show(this.at);
    }
  }

  /** Where the playhead is. */
  show(at: number): void {
    this.at = at;
    if (this.plot?.status === 1) {
      this.line.style.transform = `translateX(${this.plot.valToPos(at, "x")}px)`;
    }
  }

  dispose(): void {
    this.stopping.abort();
    this.grown();
    this.plot?.destroy();
    this.element.remove();
  }
}
