// One recording on one stage.

import { el, offTheme, onTheme, reducedMotion, say, theme } from "../dom.js";
import { joined } from "../format.js";
import type { Stage, StageDef, Stageplay, Theme } from "../model.js";
import type { Loader } from "../play/loader.js";
import { Show } from "../play/show.js";
import { messageOf } from "../source/check.js";
import { suitable } from "../stages/index.js";

/** The requests of a stage that its page handles. */
type StageRequests = Pick<Stageplay, "redraw" | "saved" | "plot">;

/** The place where a recording is shown. */
export class Theatre {
  readonly element: HTMLElement;
  readonly show: Show;
  readonly loader: Loader;
  readonly stages: readonly StageDef[];
  chosen: StageDef;
  stage: Stage | null = null;
  private readonly host = el("div", { class: "host" });
  private readonly message = el("p", { class: "message", role: "status" });
  private readonly note = el("p", { class: "note", role: "note", hidden: true });
  private readonly asked: StageRequests;
  private readonly resized: ResizeObserver;
  private choosing = 0;
  private failed = false;
  private readonly themed = (to: Theme): void => {
    this.stage?.themeChanged?.(to);
    this.asked.redraw();
  };

  constructor(loader: Loader, asked: StageRequests) {
    this.loader = loader;
    this.show = new Show(loader);
    this.asked = asked;
    this.stages = suitable(loader.tables);
    this.chosen = this.stages[0]!;
    this.element = el("section", { class: "theatre", "aria-label": loader.published.name }, this.host, this.message);
    this.element.append(this.note);
    this.resized = new ResizeObserver(() => this.resize());
    this.resized.observe(this.host);
    onTheme(this.themed);
  }

  /** Shows another stage, with the choices that were saved. */
  async choose(def: StageDef, restored: string | null = null): Promise<void> {
    this.choosing += 1;
    const mine = this.choosing;
    this.stage?.dispose();
    this.stage = null;
    this.failed = false;
    this.chosen = def;
    const place = el("div", { class: "place" });
    this.host.replaceChildren(place);
    say(this.message, "");
    const page: Stageplay = {
      ...this.asked,
      get theme() {
        return theme();
      },
      get reducedMotion() {
        return reducedMotion();
      },
    };
    try {
      const stage = await def.load();
      if (mine !== this.choosing) {
        return;
      }
      await stage.mount(place, this.loader.tables, page);
      if (mine !== this.choosing) {
        stage.dispose();
        return;
      }
      this.stage = stage;
      if (restored !== null && restored !== "") {
        stage.restore(restored);
      }
      this.resize();
    } catch (error) {
      this.fail(`The stage “${def.title}” can't be shown: ${messageOf(error)}`);
    }
    this.asked.redraw();
  }

  private fail(why: string): void {
    this.failed = true;
    say(this.message, why);
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.host;
    if (clientWidth > 0 && clientHeight > 0) {
      this.stage?.resize(clientWidth, clientHeight);
    }
    this.asked.redraw();
  }

  /** Draws the current state. */
  draw(): void {
    const { stage, show } = this;
    if (this.failed) {
      return;
    }
    say(
      this.message,
      show.ready ? "" : this.loader.starts.length === 0 ? "Nothing has been recorded yet." : "Loading …",
    );
    if (stage === null || !show.ready) {
      return;
    }
    this.doubt();
    try {
      stage.draw(show);
    } catch (error) {
      this.fail(`The stage “${this.chosen.title}” stopped: ${messageOf(error)}`);
    }
  }

  /** Says so where the picture is not what was recorded. */
  private doubt(): void {
    const said = this.loader.doubtAt(this.show.at);
    this.note.hidden = said === null;
    say(this.note, said === null ? "" : `${said.charAt(0).toUpperCase()}${said.slice(1)}.`);
  }

  /** The description of the picture in words. */
  describe(): string {
    if (this.stage === null || !this.show.ready || this.failed) {
      return "";
    }
    return joined([this.stage.describe(this.show), this.note.textContent ?? ""]);
  }

  dispose(): void {
    this.choosing += 1;
    offTheme(this.themed);
    this.resized.disconnect();
    this.stage?.dispose();
    this.element.remove();
  }
}
