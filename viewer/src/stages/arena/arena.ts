// The stage of the arena: its scene, its cameras, its controls.

import { Color, DirectionalLight, HemisphereLight, PerspectiveCamera, Scene, WebGLRenderer } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Recording, Stage, Stageplay, View } from "../../model.js";
import { watchSize } from "../shared/canvas.js";
import { choice, dress, element, fill, list, toggle, undress } from "../shared/controls.js";
import { count } from "../shared/tables.js";
import { type Actor, Actors } from "./actors.js";
import { Avatars } from "./avatars.js";
import { Skeletons } from "./bones.js";
import { CAMERAS, type CameraKind, type Shot, broadcast, eyes, follow, overview } from "./cameras.js";
import { arenaColours } from "./court.js";
import { Court } from "./court.js";
import { Disc } from "./disc.js";
import { type ArenaColumns, arenaColumns } from "./columns.js";
import { Overlay, clock, label } from "./overlay.js";
import { TopView } from "./top.js";

/** Degrees that the camera sees from top to bottom: more with a player's eyes. */
const VIEW = 46;
const EYES = 78;
/** Milliseconds that the disc's trail goes back. */
const TRAIL = 1600;

export class Arena implements Stage {
  readonly keys = [
    ["V", "next camera: broadcast, follow, first person, free, top"],
    ["F, Shift+F", "next player, player before, for the cameras that follow one"],
    ["S", "skeletons, where bones are recorded"],
    ["H", "hide and show names"],
    ["Drag, wheel", "turn and zoom; two fingers or the right button move"],
  ] as const;

  private host!: HTMLElement;
  private page!: Stageplay;
  private columns!: ArenaColumns;
  private actors!: Actors;
  private skeletons: Skeletons | undefined;
  private theme: "dark" | "light" = "dark";
  private kind: CameraKind = "broadcast";
  /** The key of the player that is followed. */
  private followed = Number.NaN;
  private bones = true;
  private names = true;

  private renderer: WebGLRenderer | undefined;
  private orbit: OrbitControls | undefined;
  private readonly scene = new Scene();
  private readonly camera = new PerspectiveCamera(VIEW, 1, 0.05, 400);
  private court!: Court;
  private readonly avatars = new Avatars();
  private readonly disc = new Disc();
  private top!: TopView;
  private overlay!: Overlay;
  private size: readonly [width: number, height: number] = [1, 1];
  private fresh = true;
  private unwatch: () => void = () => undefined;

  private showKind!: (kind: CameraKind) => void;
  private showBones: (on: boolean) => void = () => undefined;
  private showNames!: (on: boolean) => void;
  private pick!: HTMLSelectElement;
  private picks = "";

  mount(host: HTMLElement, recording: Recording, page: Stageplay): void {
    const columns = arenaColumns(recording);
    if (columns === undefined) {
      throw new Error("this recording has no players");
    }
    this.columns = columns;
    this.actors = new Actors(columns);
    this.skeletons = columns.bones === undefined ? undefined : new Skeletons(columns.bones);
    this.host = host;
    this.page = page;
    this.theme = page.theme;
    dress(host, page.theme);
    this.controls(element("div", "stage-bar", host));
    const body = element("div", "stage-body", host);
    this.top = new TopView(body, columns.court);
    this.court = new Court(columns.court);
    this.light(body);
    this.overlay = new Overlay(body, recording);
    this.paint();
    // Users who ask for less motion get the camera that stands still.
    this.setKind(page.reducedMotion ? "top" : this.kind);
    this.unwatch = watchSize(body, (width, height) => {
      this.fit(width, height);
      page.redraw();
    });
  }

  private controls(bar: HTMLElement): void {
    const cameras: Readonly<Record<CameraKind, readonly [text: string, title: string]>> = {
      broadcast: ["Broadcast", "From the side, along with the disc"],
      follow: ["Follow", "Behind a player"],
      eyes: ["First person", "Out of a player's eyes"],
      free: ["Free", "Turned and moved by hand"],
      top: ["Top", "A map from above"],
    };
    const options = CAMERAS.map((kind) => [kind, ...cameras[kind]] as const);
    this.showKind = choice<CameraKind>(bar, "Camera", options, (kind) => this.change(() => this.setKind(kind)));
    this.pick = list(bar, "Player", [], (key) => this.change(() => this.setFollowed(Number(key))));
    this.showNames = toggle(bar, "Names", "Names, states and speeds", this.names, (on) =>
      this.change(() => this.setNames(on)),
    );
    if (this.skeletons !== undefined) {
      this.showBones = toggle(bar, "Bones", "Skeletons in place of bodies", this.bones, (on) =>
        this.change(() => this.setBones(on)),
      );
    }
  }

  /** The scene, where this browser draws in three dimensions. */
  private light(body: HTMLElement): void {
    try {
      this.renderer = new WebGLRenderer({ antialias: true, powerPreference: "high-performance" });
    } catch {
      const note = element(
        "span",
        "stage-note",
        this.host.firstElementChild as HTMLElement,
        "no WebGL here: the map alone",
      );
      note.setAttribute("role", "status");
      return;
    }
    const { domElement } = this.renderer;
    domElement.classList.add("stage-canvas");
    domElement.tabIndex = 0;
    domElement.setAttribute("role", "img");
    domElement.setAttribute("aria-label", "The arena in three dimensions");
    body.append(domElement);
    this.orbit = new OrbitControls(this.camera, domElement);
    this.orbit.enableDamping = false;
    this.orbit.maxDistance = 160;
    this.orbit.minDistance = 1;
    // Turning the picture looks around from the current camera; a mere click changes nothing.
    let held = false;
    this.orbit.addEventListener("start", () => {
      held = true;
      if (this.kind !== "free") {
        this.aimOrbit();
      }
    });
    this.orbit.addEventListener("change", () => {
      if (held && this.kind !== "free") {
        this.setKind("free", true);
      }
      if (this.kind === "free") {
        this.page.redraw();
      }
    });
    this.orbit.addEventListener("end", () => {
      held = false;
      if (this.kind === "free") {
        this.page.saved();
      }
    });
    const sun = new DirectionalLight(0xffffff, 1.7);
    sun.position.set(-12, 30, 8);
    this.scene.add(
      new HemisphereLight(0xffffff, 0x56677a, 2.1),
      sun,
      this.court.group,
      this.avatars.group,
      this.disc.group,
    );
  }

  private change(what: () => void): void {
    what();
    this.page.saved();
    this.page.redraw();
  }

  /** Turning goes around what the camera looks at, a little in front. */
  private aimOrbit(): void {
    if (this.orbit !== undefined && !this.fresh) {
      const ahead = this.camera.getWorldDirection(this.orbit.target.clone());
      this.orbit.target.copy(this.camera.position).addScaledVector(ahead, Math.min(30, this.camera.position.length()));
    }
  }

  /** `aimed`: the point that the free camera turns around is known. */
  private setKind(kind: CameraKind, aimed = false): void {
    const flat = kind === "top" || this.renderer === undefined;
    this.kind = flat ? "top" : kind;
    this.showKind(this.kind);
    if (this.renderer !== undefined) {
      this.renderer.domElement.style.display = flat ? "none" : "";
    }
    this.top.canvas.element.style.display = flat ? "" : "none";
    this.camera.fov = kind === "eyes" ? EYES : VIEW;
    this.camera.up.set(0, 1, 0);
    if (kind === "free" && !aimed) {
      this.aimOrbit();
    }
    this.pick.hidden = kind !== "follow" && kind !== "eyes";
  }

  private setFollowed(key: number): void {
    this.followed = key;
    this.pick.value = String(key);
  }

  private setNames(on: boolean): void {
    this.names = on;
    this.showNames(on);
  }

  private setBones(on: boolean): void {
    this.bones = on;
    this.showBones(on);
  }

  private paint(): void {
    const shade = arenaColours(this.theme);
    this.scene.background = new Color(shade.back);
    this.court.paint(shade);
    this.disc.paint(this.theme === "light");
  }

  themeChanged(theme: "dark" | "light"): void {
    this.theme = theme;
    dress(this.host, theme);
    this.paint();
  }

  resize(): void {
    const body = this.top.canvas.element.parentElement;
    this.fit(body?.clientWidth ?? 1, body?.clientHeight ?? 1);
  }

  private fit(width: number, height: number): void {
    this.size = [Math.max(1, width), Math.max(1, height)];
    this.top.canvas.resize(width, height);
    this.renderer?.setPixelRatio(Math.min(2, globalThis.devicePixelRatio || 1));
    this.renderer?.setSize(...this.size, false);
    this.camera.aspect = this.size[0] / this.size[1];
    this.camera.updateProjectionMatrix();
  }

  draw(view: View): void {
    const { actors } = this;
    actors.update(view);
    this.offer();
    this.overlay.say(view);
    const around = this.columns.court ? undefined : actors.around();
    if (around !== undefined) {
      this.court.under(around);
      this.top.widen(around);
    }
    const { disc } = this.columns;
    const trail =
      disc === undefined || !actors.discHere ? [] : view.trail(disc.def.name, actors.discId, disc.pose.at, TRAIL);
    if (this.kind === "top" || this.renderer === undefined) {
      this.overlay.hideNames();
      this.top.draw(actors, trail, this.theme, this.names);
      return;
    }
    const target = this.target();
    this.aim(view, target);
    const inside = this.kind === "eyes" ? (target?.id ?? -1) : -1;
    if (this.bones) {
      this.skeletons?.update(view, actors.all);
    }
    this.avatars.update(actors.all, this.bones ? this.skeletons : undefined, inside);
    this.disc.show(actors.discHere ? actors.disc : undefined, trail, this.camera.position);
    this.renderer.render(this.scene, this.camera);
    this.overlay.draw(actors, this.camera, ...this.size, this.names, inside);
  }

  /** The player that is followed; the first player where that one is not there. */
  private target(): Actor | undefined {
    const here = this.actors.players();
    return here.find(({ key }) => key === this.followed) ?? here[0];
  }

  private aim(view: View, target: Actor | undefined): void {
    const { aspect } = this.camera;
    if (this.kind === "free" && this.orbit !== undefined) {
      if (this.fresh) {
        this.look(overview(VIEW, aspect));
        this.orbit.target.set(0, -2, 0);
        this.orbit.update();
      }
      this.fresh = false;
      return;
    }
    this.fresh = false;
    if (this.kind === "broadcast" || target === undefined) {
      this.look(broadcast(view, this.actors, this.columns, VIEW, aspect));
    } else {
      this.look(this.kind === "eyes" ? eyes(target) : follow(view, target, this.columns));
    }
  }

  private look({ from, to, up }: Shot): void {
    this.camera.position.fromArray(from);
    this.camera.up.fromArray(up);
    this.camera.lookAt(...to);
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
  }

  /** Offers the players who are there. */
  private offer(): void {
    const here = this.actors.players();
    const names = here.map(({ key, name, team }) => [String(key), team === "" ? name : `${name} (${team})`] as const);
    const picks = names.flat().join("\n");
    if (picks !== this.picks) {
      this.picks = picks;
      fill(this.pick, names);
      const target = this.target();
      this.pick.value = target === undefined ? "" : String(target.key);
    }
  }

  describe(view: View): string {
    this.actors.update(view);
    const here = this.actors.players();
    const rows = view.before.rows("game");
    const get = (name: string): number =>
      rows === undefined || rows.length === 0
        ? Number.NaN
        : rows.number(
            0,
            rows.def.columns.findIndex((column) => column.name === name),
          );
    const teams = ["blue", "orange"].map((team) => here.filter((actor) => actor.team === team).length);
    const special = here.filter(({ possession, stunned, blocking }) => possession || stunned || blocking).map(label);
    const [x, y, z] = this.actors.disc.at.map((number) => number.toFixed(1));
    const sentences = [
      Number.isFinite(get("blue_points"))
        ? `Blue ${get("blue_points")}, orange ${get("orange_points")}, ${clock(get("clock"))} on the clock.`
        : "",
      `${count(here.length, "player")}: ${teams[0] ?? 0} blue, ${teams[1] ?? 0} orange.`,
      this.actors.discHere
        ? `The disc is at ${x} m across, ${y} m up, ${z} m along (orange defends the far end)${Number.isFinite(this.actors.discSpeed) ? `, ${this.actors.discSpeed.toFixed(1)} m/s` : ""}.`
        : "",
      special.length > 0 ? `${special.join("; ")}.` : "",
    ];
    return sentences.filter((sentence) => sentence !== "").join(" ");
  }

  key(event: KeyboardEvent): boolean {
    switch (event.key.toLowerCase()) {
      case "v":
        this.change(() => this.setKind(CAMERAS[(CAMERAS.indexOf(this.kind) + 1) % CAMERAS.length] ?? "broadcast"));
        return true;
      case "f": {
        const here = this.actors.players();
        const now = here.findIndex((actor) => actor === this.target());
        this.change(() =>
          this.setFollowed(here[(now + (event.shiftKey ? here.length - 1 : 1)) % here.length]?.key ?? Number.NaN),
        );
        return true;
      }
      case "s":
        this.change(() => this.setBones(!this.bones));
        return true;
      case "h":
        this.change(() => this.setNames(!this.names));
        return true;
      default:
        return false;
    }
  }

  save(): string {
    const flags = `${this.bones ? "b" : ""}${this.names ? "n" : ""}`;
    const free =
      this.kind === "free" && this.orbit !== undefined
        ? [...this.camera.position.toArray(), ...this.orbit.target.toArray()]
        : [];
    return [
      this.kind,
      Number.isFinite(this.followed) ? this.followed : "",
      flags,
      free.map((number) => number.toFixed(1)).join(","),
    ].join(";");
  }

  restore(saved: string): void {
    const [kind, followed = "", flags = "bn", free = ""] = saved.split(";");
    this.setBones(flags.includes("b"));
    this.setNames(flags.includes("n"));
    if (followed !== "") {
      this.setFollowed(Number(followed));
    }
    const known = CAMERAS.find((camera) => camera === kind);
    const places = free.split(",").map(Number);
    if (known === "free" && places.length === 6 && places.every(Number.isFinite) && this.orbit !== undefined) {
      this.camera.position.fromArray(places);
      this.orbit.target.fromArray(places, 3);
      this.setKind("free", true);
      this.fresh = false;
      this.orbit.update();
      return;
    }
    this.setKind(known ?? this.kind);
  }

  dispose(): void {
    this.unwatch();
    this.orbit?.dispose();
    this.renderer?.dispose();
    this.renderer?.forceContextLoss();
    undress(this.host);
  }
}
