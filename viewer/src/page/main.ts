// The page: the library, or a recording.

import { Loader } from "../play/loader.js";
import { Damaged } from "../source/check.js";
import { Embedded, Fetched, type Files } from "../source/files.js";
import { type Entry, library as readLibrary, recordingId } from "../source/published.js";
import { type Address, formatAddress, parseAddress } from "./address.js";
import { button, el } from "./dom.js";
import { dialog } from "./help.js";
import { card, library } from "./library.js";
import { Player } from "./player.js";
import { startTheme, switchTheme } from "./theme.js";

const NOWHERE: Address = { recording: null, at: null, stage: null, saved: null, beside: null, loop: null };

class Page {
  private readonly root: HTMLElement;
  private readonly files: Files;
  private entries: readonly Entry[] = [];
  private player: Player | null = null;
  private address: Address = NOWHERE;
  private opening = 0;

  constructor(root: HTMLElement) {
    this.root = root;
    const embedded = document.querySelectorAll("script[data-file]");
    this.files = embedded.length > 0 ? new Embedded(embedded) : new Fetched(document.baseURI);
  }

  async start(): Promise<void> {
    try {
      this.entries = readLibrary(await this.files.text("library.json"));
    } catch (error) {
      this.fail(error);
      return;
    }
    addEventListener("hashchange", () => void this.follow());
    await this.follow();
  }

  /** Shows what the address says. */
  private async follow(): Promise<void> {
    const address = parseAddress(location.hash);
    const only = this.entries.length === 1 ? this.entries[0]!.id : null;
    const id = address.recording ?? only;
    const same = this.player !== null && id === (this.address.recording ?? only) && address.beside === this.address.beside;
    this.address = { ...address, recording: id };
    if (same) {
      await this.player?.start(this.address);
      return;
    }
    this.opening += 1;
    const mine = this.opening;
    this.player?.dispose();
    this.player = null;
    if (id === null) {
      this.root.replaceChildren(this.libraryTop(), library(this.entries));
      document.title = "gametape";
      return;
    }
    this.root.replaceChildren(el("p", { class: "message", role: "status" }, "Loading …"));
    try {
      const loader = await Loader.open(this.files, recordingId(id));
      if (mine === this.opening) {
        await this.play(loader);
      }
    } catch (error) {
      if (mine === this.opening) {
        this.fail(error);
      }
    }
  }

  private async play(loader: Loader): Promise<void> {
    const player = new Player(loader, {
      address: (of) => this.say(of),
      beside: () => this.chooseBeside(),
      library: this.entries.length > 1 ? () => (location.hash = "") : null,
      copyLink: (of) => void this.copy(of),
    });
    this.player = player;
    document.title = `${loader.published.name} · gametape`;
    this.root.replaceChildren(player.element);
    await player.start(this.address);
    await this.openBeside();
  }

  private async openBeside(): Promise<void> {
    const { player } = this;
    const { beside } = this.address;
    try {
      const loader = beside === null ? null : await Loader.open(this.files, recordingId(beside));
      if (player === this.player) {
        await player?.beside(loader);
      }
    } catch (error) {
      dialog("The other recording", el("p", {}, sentence(error)));
    }
  }

  private link(of: Omit<Address, "recording" | "beside">): string {
    const { recording, beside } = this.address;
    return formatAddress({ ...of, recording, beside });
  }

  private say(of: Omit<Address, "recording" | "beside">): void {
    try {
      history.replaceState(null, "", this.link(of));
    } catch {
      // Browsers refuse it when it comes too often: the next one is taken.
    }
  }

  private async copy(of: Omit<Address, "recording" | "beside">): Promise<void> {
    const link = new URL(this.link(of), location.href).href;
    this.say(of);
    try {
      await navigator.clipboard.writeText(link);
    } catch {
      const field = el("input", { value: link, readonly: true, "aria-label": "The link" });
      dialog("A link to this moment", field);
      field.select();
    }
  }

  /** Asks which recording is to be seen beside this one; takes it away where one is. */
  private chooseBeside(): void {
    const show = (id: string | null): void => {
      this.address = { ...this.address, beside: id };
      void this.openBeside();
    };
    if (this.address.beside !== null) {
      show(null);
      return;
    }
    const list = el("ul", { class: "cards" });
    const window = dialog("Beside this recording", list);
    for (const entry of this.entries) {
      const made = el("button", { type: "button" }, ...card(entry));
      made.addEventListener("click", () => {
        window.close();
        show(entry.id);
      });
      list.append(el("li", {}, made));
    }
  }

  private libraryTop(): HTMLElement {
    return el("header", { class: "top" }, el("h1", {}, "gametape"), el("span", { class: "space" }), button("theme", "Dark or light", "", switchTheme));
  }

  private fail(error: unknown): void {
    const back = el("a", { href: "#" }, "All recordings");
    this.root.replaceChildren(
      el("main", { class: "library" }, el("h1", {}, "This can't be shown"), el("p", { role: "alert" }, sentence(error)), ...(this.entries.length > 1 ? [back] : [])),
    );
  }
}

function sentence(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const text = error instanceof Damaged ? message : `something went wrong in this page: ${message}`;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

startTheme();
void new Page(document.querySelector<HTMLElement>("#page")!).start();
