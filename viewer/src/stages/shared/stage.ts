// The common part of stages with a picture: a bar of controls, the picture and its size, switches that links keep.

import type { Recording, Stage, StageKey, Stageplay, Theme, View } from "../../model.js";
import type { Colours } from "./canvas.js";
import { dress, element, toggle } from "./controls.js";

export abstract class PictureStage<Switch extends string> implements Stage {
  abstract readonly keys: readonly StageKey[];
  protected recording!: Recording;
  protected page!: Stageplay;
  protected theme: Theme = "dark";
  protected colours!: Colours;
  protected host!: HTMLElement;
  protected bar!: HTMLElement;
  protected body!: HTMLElement;
  /** The things that can be switched on and off. A link has the first letter of each that is on. */
  protected abstract readonly on: Record<Switch, boolean>;
  private readonly shown = new Map<Switch, (on: boolean) => void>();
  private resized: ResizeObserver | undefined;

  mount(host: HTMLElement, recording: Recording, page: Stageplay): void {
    [this.host, this.recording, this.page, this.theme] = [host, recording, page, page.theme];
    this.colours = dress(host, page.theme);
    this.bar = element("div", "stage-bar", host);
    this.body = element("div", "stage-body", host);
    this.build();
    // Its size also changes when the bar gets another row.
    this.resized = new ResizeObserver(() => {
      this.resize();
      page.redraw();
    });
    this.resized.observe(this.body);
  }

  /** Makes the controls and the picture. */
  protected abstract build(): void;
  protected abstract fit(width: number, height: number): void;
  abstract draw(view: View): void;
  abstract describe(view: View): string;
  abstract save(): string;
  abstract restore(saved: string): void;

  resize(): void {
    this.fit(this.body.clientWidth, this.body.clientHeight);
  }

  /** Does what a user wants; the page draws it, and has it in its address. */
  protected change(what: () => void): void {
    what();
    this.page.saved();
    this.page.redraw();
  }

  protected addSwitch(parent: HTMLElement, name: Switch, text: string, title: string): void {
    this.shown.set(name, toggle(parent, text, title, this.on[name], (on) => this.change(() => this.set(name, on))));
  }

  protected set(name: Switch, on: boolean): void {
    this.on[name] = on;
    this.shown.get(name)?.(on);
  }

  protected flip(name: Switch): void {
    this.change(() => this.set(name, !this.on[name]));
  }

  private get switches(): Switch[] {
    return Object.keys(this.on) as Switch[];
  }

  protected saveSwitches(): string {
    return this.switches.map((name) => (this.on[name] ? name.charAt(0) : "")).join("");
  }

  protected restoreSwitches(saved: string): void {
    this.switches.forEach((name) => this.set(name, saved.includes(name.charAt(0))));
  }

  themeChanged(theme: Theme): void {
    this.theme = theme;
    this.colours = dress(this.host, theme);
    this.paint();
  }

  /** The colours have changed. */
  protected paint(): void {}

  dispose(): void {
    this.resized?.disconnect();
    this.host.replaceChildren();
  }
}
