// The stage of the arena: its scene, its cameras, its controls.

import { Color, DirectionalLight, HemisphereLight, PerspectiveCamera } from "three";
import { count, joined } from "../../format.js";
import { following } from "../../lists.js";
import type { StageKey, View } from "../../model.js";
import { choice, element, fill, list } from "../shared/controls.js";
import { Scenery } from "../shared/scenery.js";
import { PictureStage } from "../shared/stage.js";
import { firstNumber } from "../shared/tables.js";
import { type Actor, Actors } from "./actors.js";
import { Avatars } from "./avatars.js";
import { Skeletons } from "./bones.js";
import { CAMERAS, type CameraKind, type Shot, broadcast, eyes, follow, overview } from "./cameras.js";
import { type ArenaColumns, arenaColumns } from "./columns.js";
import { Court, arenaColours } from "./court.js";
import { Disc } from "./disc.js";
import { Overlay, clock, label } from "./overlay.js";
import { TopView } from "./top.js";

/** Degrees that the camera sees from top to bottom: more with a player's eyes. */
const VIEW = 46;
const EYES = 78;
/** Milliseconds that the disc's trail goes back. */
const TRAIL = 1600;

export class Arena extends PictureStage<"bones" | "names"> {
  readonly keys: readonly StageKey[] = [
    ["V", "next camera: broadcast, follow, first person, free, top", () => this.change(() => this.nextKind())],
    [
      "F, Shift+F",
      "next player, player before, for the cameras that follow one",
      ({ shiftKey }) => this.change(() => this.nextFollowed(shiftKey)),
    ],
    ["S", "skeletons, where bones are recorded", () => this.flip("bones")],
    ["H", "hide and show names", () => this.flip("names")],
    ["Drag, wheel", "turn and zoom; two fingers or the right button move"],
  ];
  protected readonly on = { bones: true, names: true };

  private columns!: ArenaColumns;
  private actors!: Actors;
  private skeletons: Skeletons | undefined;
  private kind: CameraKind = "broadcast";
  /** The key of the player that is followed. */
  private followed = Number.NaN;

  /** Undefined where this browser has no WebGL. */
  private scenery: Scenery | undefined;
  private readonly camera = new PerspectiveCamera(VIEW, 1, 0.05, 400);
  private court!: Court;
  private readonly avatars = new Avatars();
  private readonly disc = new Disc();
  private top!: TopView;
  private overlay!: Overlay;
  private fresh = true;

  private showKind!: (kind: CameraKind) => void;
  private pick!: HTMLSelectElement;
  private picks = "";

  protected build(): void {
    const columns = arenaColumns(this.recording);
    if (columns === undefined) {
      throw new Error("this recording has no players");
    }
    this.columns = columns;
    this.actors = new Actors(columns);
    this.skeletons = columns.bones === undefined ? undefined : new Skeletons(columns.bones);
    this.controls(this.bar);
    this.top = new TopView(this.body, columns.court);
    this.court = new Court(columns.court);
    this.light();
    this.overlay = new Overlay(this.body, this.recording);
    this.paint();
    // Users who ask for less motion get the camera that stands still.
    this.setKind(this.page.reducedMotion ? "top" : this.kind);
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
    this.addSwitch(bar, "names", "Names", "Names, states and speeds");
    if (this.skeletons !== undefined) {
      this.addSwitch(bar, "bones", "Bones", "Skeletons in place of bodies");
    }
  }

  /** The scene, where this browser draws in three dimensions. */
  private light(): void {
    try {
      this.scenery = new Scenery(this.body, "The arena in three dimensions", this.camera, "high-performance");
    } catch {
      element("span", "stage-note", this.bar, "no WebGL here: the map alone").setAttribute("role", "status");
      return;
    }
    const { orbit, scene } = this.scenery;
    orbit.maxDistance = 160;
    orbit.minDistance = 1;
    // Turning the picture looks around from the current camera; a mere click changes nothing.
    let held = false;
    orbit.addEventListener("start", () => {
      held = true;
      if (this.kind !== "free") {
        this.aimOrbit();
      }
    });
    orbit.addEventListener("change", () => {
      if (held && this.kind !== "free") {
        this.setKind("free", true);
      }
      if (this.kind === "free") {
        this.page.redraw();
      }
    });
    orbit.addEventListener("end", () => {
      held = false;
      if (this.kind === "free") {
        this.page.saved();
      }
    });
    const sun = new DirectionalLight(0xffffff, 1.7);
    sun.position.set(-12, 30, 8);
    const sky = new HemisphereLight(0xffffff, 0x56677a, 2.1);
    scene.add(sky, sun, this.court.group, this.avatars.group, this.disc.group);
  }

  /** Turning goes around what the camera looks at, a little in front. */
  private aimOrbit(): void {
    const target = this.scenery?.orbit.target;
    if (target !== undefined && !this.fresh) {
      const ahead = this.camera.getWorldDirection(target.clone());
      target.copy(this.camera.position).addScaledVector(ahead, Math.min(30, this.camera.position.length()));
    }
  }

  /** `aimed`: the point that the free camera turns around is known. */
  private setKind(kind: CameraKind, aimed = false): void {
    const flat = kind === "top" || this.scenery === undefined;
    this.kind = flat ? "top" : kind;
    this.showKind(this.kind);
    if (this.scenery !== undefined) {
      this.scenery.element.style.display = flat ? "none" : "";
    }
    this.top.canvas.element.style.display = flat ? "" : "none";
    this.camera.fov = kind === "eyes" ? EYES : VIEW;
    this.camera.up.set(0, 1, 0);
    if (kind === "free" && !aimed) {
      this.aimOrbit();
    }
    this.pick.hidden = kind !== "follow" && kind !== "eyes";
  }

  private nextKind(): void {
    this.setKind(following(CAMERAS, this.kind));
  }

  private nextFollowed(back: boolean): void {
    const here = this.actors.players();
    const now = here.findIndex((actor) => actor === this.target());
    this.setFollowed(here[(now + (back ? here.length - 1 : 1)) % here.length]?.key ?? Number.NaN);
  }

  private setFollowed(key: number): void {
    this.followed = key;
    this.pick.value = String(key);
  }

  protected override paint(): void {
    const shade = arenaColours(this.theme);
    if (this.scenery !== undefined) {
      this.scenery.scene.background = new Color(shade.back);
    }
    this.court.paint(shade);
    this.disc.paint(this.theme === "light");
  }

  protected fit(width: number, height: number): void {
    this.top.canvas.resize(width, height);
    this.scenery?.resize(Math.max(1, width), Math.max(1, height));
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
    if (this.kind === "top" || this.scenery === undefined) {
      this.overlay.hideNames();
      this.top.draw(actors, trail, this.theme, this.on.names);
      return;
    }
    const target = this.target();
    this.aim(view, target);
    const inside = this.kind === "eyes" ? (target?.id ?? -1) : -1;
    const skeletons = this.on.bones ? this.skeletons : undefined;
    skeletons?.update(view, actors.all);
    this.avatars.update(actors.all, skeletons, inside);
    this.disc.show(actors.discHere ? actors.disc : undefined, trail, this.camera.position);
    this.scenery.render();
    this.overlay.draw(actors, this.scenery, this.on.names, inside);
  }

  /** The player that is followed; the first player where that one is not there. */
  private target(): Actor | undefined {
    const here = this.actors.players();
    return here.find(({ key }) => key === this.followed) ?? here[0];
  }

  private aim(view: View, target: Actor | undefined): void {
    const { aspect } = this.camera;
    if (this.kind === "free" && this.scenery !== undefined) {
      if (this.fresh) {
        const { orbit } = this.scenery;
        this.look(overview(VIEW, aspect));
        orbit.target.set(0, -2, 0);
        orbit.update();
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
    const get = (name: string): number => firstNumber(rows, name);
    const teams = ["blue", "orange"].map((team) => here.filter((actor) => actor.team === team).length);
    const special = here.filter(({ possession, stunned, blocking }) => possession || stunned || blocking).map(label);
    const [x, y, z] = this.actors.disc.at.map((number) => number.toFixed(1));
    return joined([
      Number.isFinite(get("blue_points"))
        ? `Blue ${get("blue_points")}, orange ${get("orange_points")}, ${clock(get("clock"))} on the clock.`
        : "",
      `${count(here.length, "player")}: ${teams[0] ?? 0} blue, ${teams[1] ?? 0} orange.`,
      this.actors.discHere
        ? `The disc is at ${x} m across, ${y} m up, ${z} m along (orange defends the far end)${Number.isFinite(this.actors.discSpeed) ? `, ${this.actors.discSpeed.toFixed(1)} m/s` : ""}.`
        : "",
      special.length > 0 ? `${special.join("; ")}.` : "",
    ]);
  }

  save(): string {
    const free = this.kind === "free" && this.scenery !== undefined ? this.scenery.save() : [];
    return [
      this.kind,
      Number.isFinite(this.followed) ? this.followed : "",
      this.saveSwitches(),
      free.map((number) => number.toFixed(1)).join(","),
    ].join(";");
  }

  restore(saved: string): void {
    const [kind, followed = "", flags = "bn", free = ""] = saved.split(";");
    this.restoreSwitches(flags);
    if (followed !== "") {
      this.setFollowed(Number(followed));
    }
    const known = CAMERAS.find((camera) => camera === kind);
    const places = free.split(",").map(Number);
    if (known === "free" && places.length === 6 && places.every(Number.isFinite) && this.scenery !== undefined) {
      this.setKind("free", true);
      this.fresh = false;
      this.scenery.restore(places);
      return;
    }
    this.setKind(known ?? this.kind);
  }

  override dispose(): void {
    super.dispose();
    this.scenery?.dispose();
  }
}
