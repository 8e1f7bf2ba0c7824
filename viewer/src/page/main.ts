// The page: the library, or a recording.

import { button, dialog, el, say, startTheme, switchTheme } from "../dom.js";
import { Loader } from "../play/loader.js";
import { Damaged, messageOf } from "../source/check.js";
import { Embedded, Fetched, type Files } from "../source/files.js";
import { type Entry, library as readLibrary, recordingId } from "../source/published.js";
import { type Address, NOWHERE, type Viewpoint, formatAddress, parseAddress } from "./address.js";
import { Library, chooser } from "./library.js";
import { Player } from "./player.js";

/** The page looks for the next recording for so long after the end of one, in milliseconds. */
const NEXT = 300_000;
/** The list of recordings is read again after so many milliseconds: with live ones, and without. */
const LOOKS = 3000;
const LOOKS_SELDOM = 15_000;

class Page {
  private readonly root: HTMLElement;
  private readonly files: Files;
  private entries: readonly Entry[] = [];
  /** The error of reading the library, if there was one. */
  private library: Promise<unknown> = Promise.resolve(null);
  private player: Player | null = null;
  private readonly waiting = el("p", { class: "message", role: "status" });
  private looking = 0;
  private address: Address = NOWHERE;
  private opening = 0;

  constructor(root: HTMLElement) {
    this.root = root;
    const embedded = document.querySelectorAll("script[data-file]");
    this.files = embedded.length > 0 ? new Embedded(embedded) : new Fetched(document.baseURI);
  }

  async start(): Promise<void> {
    const reading = this.files.text("library.json").then((text) => (this.entries = readLibrary(text)));
    // A recording can be played where the library can't be read.
    this.library = reading.then(
      () => null,
      (error: unknown) => error,
    );
    addEventListener("hashchange", () => void this.follow());
    await this.follow();
  }

  /** Shows the recording that the address names. */
  private async follow(): Promise<void> {
    const address = parseAddress(location.hash);
    // Library and recording are loaded side by side.
    const opening = address.recording === null ? null : this.open(address.recording, address.at);
    const wrong = await this.library;
    if (wrong !== null && opening === null) {
      this.fail(wrong);
      return;
    }
    const only = this.entries.length === 1 ? this.entries[0]!.id : null;
    const id = address.recording ?? only;
    const same =
      this.player !== null && id === (this.address.recording ?? only) && address.beside === this.address.beside;
    this.address = { ...address, recording: id };
    if (same) {
      await this.player?.start(this.address);
      return;
    }
    this.opening += 1;
    const mine = this.opening;
    clearTimeout(this.looking);
    this.player?.dispose();
    this.player = null;
    if (id === null) {
      const list = new Library(this.entries);
      this.root.replaceChildren(this.libraryTop(), list.element);
      document.title = "gametape";
      this.look(list);
      return;
    }
    this.root.replaceChildren(this.waiting);
    try {
      const loader = await (opening ?? this.open(id, address.at));
      if (mine === this.opening) {
        await this.play(loader);
      }
    } catch (error) {
      if (mine === this.opening) {
        this.fail(error);
      }
    }
  }

  /** Reads the list of recordings again and again: more often while some are live. */
  private look(list: Library): void {
    if (this.files instanceof Embedded) {
      return;
    }
    const often = this.entries.some(({ live }) => live) ? LOOKS : LOOKS_SELDOM;
    this.looking = window.setTimeout(async () => {
      try {
        const entries = document.hidden ? this.entries : readLibrary(await this.files.text("library.json"));
        if (list.element.isConnected) {
          this.entries = entries;
          list.show(entries);
        }
      } catch {
        // The page goes on showing the old list.
      }
      if (list.element.isConnected) {
        this.look(list);
      }
    }, often);
  }

  /** Opens a recording, unless it is open. */
  private open(id: string, at: number | null): Promise<Loader> {
    if (this.player !== null && this.address.recording === id) {
      return Promise.resolve(this.player.loader);
    }
    say(this.waiting, "Loading …");
    const made = (done: number): void =>
      say(this.waiting, `The server makes it ready: ${Math.floor(100 * done)} % …`);
    const opening = Promise.resolve().then(() => Loader.open(this.files, recordingId(id), at, made));
    // The caller that awaits it reports the error.
    opening.catch(() => {});
    return opening;
  }

  private async play(loader: Loader): Promise<void> {
    const player = new Player(loader, {
      address: (of) => this.say(of),
      ended: () => this.lookForNext(player, performance.now() + NEXT),
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

  /** Offers the next recording: of a server that was started again, of the next match. */
  private lookForNext(player: Player, until: number): void {
    if (this.files instanceof Embedded || performance.now() > until) {
      return;
    }
    clearTimeout(this.looking);
    this.looking = window.setTimeout(async () => {
      let begun;
      try {
        const entries = readLibrary(await this.files.text("library.json"));
        begun = entries.find(({ id, live }) => live && this.entries.every((known) => known.id !== id));
      } catch {
        // It may answer again.
      }
      if (player !== this.player) {
        return;
      }
      if (begun === undefined) {
        this.lookForNext(player, until);
      } else {
        player.next(begun.name, formatAddress({ ...NOWHERE, recording: begun.id }));
      }
    }, LOOKS / 3);
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

  private link(of: Viewpoint): string {
    const { recording, beside } = this.address;
    return formatAddress({ ...of, recording, beside });
  }

  private say(of: Viewpoint): void {
    try {
      history.replaceState(null, "", this.link(of));
    } catch {
      // Browsers refuse this when it comes too often: the next call will succeed.
    }
  }

  private async copy(of: Viewpoint): Promise<void> {
    const link = new URL(this.link(of), location.href).href;
    this.say(of);
    try {
      await navigator.clipboard.writeText(link);
    } catch {
      const field = el("input", { value: link, readonly: true, "aria-label": "The link" });
      dialog(of.loop === null ? "A link to this moment" : "A link to this clip", field);
      field.select();
    }
  }

  /** Asks for a recording to show beside this one, or removes the one that is shown. */
  private chooseBeside(): void {
    const show = (id: string | null): void => {
      this.address = { ...this.address, beside: id };
      void this.openBeside();
    };
    if (this.address.beside !== null) {
      show(null);
      return;
    }
    const here = this.entries.find(({ id }) => id === this.address.recording);
    const window = dialog(
      "Beside this recording",
      ...chooser(this.entries, here, ({ id }) => {
        window.close();
        show(id);
      }),
    );
  }

  private libraryTop(): HTMLElement {
    return el(
      "header",
      { class: "top" },
      el("h1", {}, "gametape"),
      el("span", { class: "space" }),
      button("theme", "Dark or light", "", switchTheme),
    );
  }

  private fail(error: unknown): void {
    const back = el("a", { href: "#" }, "All recordings");
    this.root.replaceChildren(
      el(
        "main",
        { class: "library" },
        el("h1", {}, "This can't be shown"),
        el("p", { role: "alert" }, sentence(error)),
        ...(this.entries.length > 1 ? [back] : []),
      ),
    );
  }
}

function sentence(error: unknown): string {
  const message = messageOf(error);
  const text = error instanceof Damaged ? message : `something went wrong in this page: ${message}`;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

startTheme();
void new Page(document.querySelector<HTMLElement>("#page")!).start();
