// Entities in three dimensions.

import {
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  Color,
  DirectionalLight,
  EdgesGeometry,
  GridHelper,
  HemisphereLight,
  InstancedMesh,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  MeshStandardMaterial,
  PerspectiveCamera,
  Scene,
  SphereGeometry,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { View } from "../../model.js";
import { element } from "../shared/controls.js";
import type { Colours } from "../shared/theme.js";
import { setCount } from "../shared/canvas.js";
import type { Look } from "./map.js";
import { NAMED_DEEP, type Points, size } from "./points.js";
import { round } from "./sheet.js";

/** The most pieces of trails that are drawn. */
const PIECES = 8192;

export class Space {
  private readonly renderer = new WebGLRenderer({ antialias: true });
  private readonly scene = new Scene();
  private readonly camera = new PerspectiveCamera(48, 1, 0.01, 1000);
  private readonly orbit: OrbitControls;
  private readonly labels: HTMLElement;
  private readonly tags: HTMLElement[] = [];
  private balls: InstancedMesh | undefined;
  private room: LineSegments | undefined;
  private floor: GridHelper | undefined;
  private readonly pieces = new Float32Array(6 * PIECES);
  private readonly shades = new Float32Array(6 * PIECES);
  private readonly ways: LineSegments;
  private extent = 0;
  /** The distance from the middle of everything to its furthest corner. */
  private half = 1;
  private readonly middle = new Vector3();
  private placed = false;
  private readonly matrix = new Matrix4();
  private readonly colour = new Color();
  private readonly spot = new Vector3();
  private readonly up: "x" | "y" | "z";
  private line = "#888888";

  constructor(body: HTMLElement, up: "x" | "y" | "z", moved: () => void, settled: () => void) {
    this.up = up;
    const { domElement } = this.renderer;
    domElement.classList.add("stage-canvas");
    domElement.tabIndex = 0;
    domElement.setAttribute("role", "img");
    domElement.setAttribute("aria-label", "The entities in three dimensions");
    body.append(domElement);
    this.labels = element("div", "stage-overlay", body);
    this.camera.up.set(up === "x" ? 1 : 0, up === "y" ? 1 : 0, up === "z" ? 1 : 0);
    this.orbit = new OrbitControls(this.camera, domElement);
    this.orbit.enableDamping = false;
    this.orbit.addEventListener("change", moved);
    this.orbit.addEventListener("end", settled);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(this.pieces, 3));
    geometry.setAttribute("color", new BufferAttribute(this.shades, 3));
    this.ways = new LineSegments(
      geometry,
      new LineBasicMaterial({ vertexColors: true, transparent: true, opacity: 0.6 }),
    );
    this.ways.frustumCulled = false;
    const sun = new DirectionalLight(0xffffff, 1.6);
    sun.position.set(0.4, 0.9, 0.6);
    this.scene.add(new HemisphereLight(0xffffff, 0x667788, 2), sun, this.ways);
  }

  show(on: boolean): void {
    this.renderer.domElement.style.display = on ? "" : "none";
    this.labels.style.display = on ? "" : "none";
  }

  resize(width: number, height: number): void {
    this.renderer.setPixelRatio(Math.min(2, globalThis.devicePixelRatio || 1));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  paint(colours: Colours): void {
    this.scene.background = new Color(colours.back);
    this.line = colours.line;
    this.extent = 0;
  }

  /** The box around everything, and a ground of round squares. */
  private build({ bounds }: Points): void {
    const extent = size(bounds) || 1;
    if (extent <= this.extent) {
      return;
    }
    this.extent = extent * 1.02;
    const [least, most] = [new Vector3().fromArray(bounds.least), new Vector3().fromArray(bounds.most)];
    this.middle.addVectors(least, most).multiplyScalar(0.5);
    const sides = most.sub(least).clampScalar(extent / 50, Infinity);
    for (const old of [this.room, this.floor]) {
      old?.removeFromParent();
      old?.geometry.dispose();
    }
    this.half = sides.length() / 2;
    const material = new LineBasicMaterial({ color: this.line });
    this.room = new LineSegments(new EdgesGeometry(new BoxGeometry(sides.x, sides.y, sides.z)), material);
    this.room.position.copy(this.middle);
    const step = round(extent / 10);
    const squares = Math.ceil((extent * 1.1) / step);
    this.floor = new GridHelper(squares * step, squares, this.line, this.line);
    (this.floor.material as LineBasicMaterial).transparent = true;
    (this.floor.material as LineBasicMaterial).opacity = 0.5;
    this.floor.position.copy(this.middle);
    this.floor.position[this.up] -= sides[this.up] / 2;
    this.floor.rotation.set(this.up === "z" ? Math.PI / 2 : 0, 0, this.up === "x" ? Math.PI / 2 : 0);
    this.scene.add(this.room, this.floor);
    if (!this.placed) {
      this.fit();
    }
    this.camera.near = extent / 500;
    this.camera.far = extent * 20;
    this.camera.updateProjectionMatrix();
  }

  /** Moves the camera to where everything is seen. */
  fit(): void {
    this.placed = true;
    const back = (this.half * 2.6) / Math.min(1, this.camera.aspect);
    const way = this.up === "z" ? [0.55, -0.75, 0.5] : this.up === "y" ? [0.55, 0.5, 0.75] : [0.5, 0.55, 0.75];
    this.camera.position.copy(this.middle).addScaledVector(this.spot.fromArray(way).normalize(), back);
    this.orbit.target.copy(this.middle);
    this.orbit.update();
  }

  private ballsFor(count: number): InstancedMesh {
    if (this.balls === undefined || this.balls.instanceMatrix.count < count) {
      this.balls?.removeFromParent();
      this.balls?.dispose();
      this.balls = new InstancedMesh(
        new SphereGeometry(1, 16, 12),
        new MeshStandardMaterial({ roughness: 0.5 }),
        Math.max(64, 2 * count),
      );
      this.balls.frustumCulled = false;
      this.scene.add(this.balls);
    }
    return this.balls;
  }

  draw(view: View, points: Points, look: Look): void {
    this.build(points);
    const balls = this.ballsFor(points.count);
    const radius = this.extent / (points.count > 500 ? 260 : 110);
    for (let point = 0; point < points.count; point++) {
      const chosen = points.ids[point] === look.chosen ? 1.7 : 1;
      this.matrix.makeScale(radius * chosen, radius * chosen, radius * chosen);
      this.matrix.setPosition(points.at[3 * point] ?? 0, points.at[3 * point + 1] ?? 0, points.at[3 * point + 2] ?? 0);
      balls.setMatrixAt(point, this.matrix);
      balls.setColorAt(point, this.colour.set(look.colour(point)));
    }
    setCount(balls, points.count);
    this.drawWays(points, look);
    this.renderer.render(this.scene, this.camera);
    this.name(view, points, look, radius);
  }

  private drawWays(points: Points, look: Look): void {
    let pieces = 0;
    points.ways.forEach((way, point) => {
      this.colour.set(look.colour(point));
      for (let at = 0; at < way.length && pieces < PIECES; at++, pieces++) {
        const [from, to] = [way[at], way[at + 1]];
        for (let axis = 0; axis < 3; axis++) {
          this.pieces[6 * pieces + axis] = from?.[axis] ?? 0;
          this.pieces[6 * pieces + 3 + axis] = to === undefined ? (points.at[3 * point + axis] ?? 0) : (to[axis] ?? 0);
        }
        this.colour.toArray(this.shades, 6 * pieces);
        this.colour.toArray(this.shades, 6 * pieces + 3);
      }
    });
    const { geometry } = this.ways;
    geometry.setDrawRange(0, 2 * pieces);
    geometry.getAttribute("position").needsUpdate = true;
    geometry.getAttribute("color").needsUpdate = true;
  }

  private name(view: View, points: Points, look: Look, radius: number): void {
    const count = look.names && points.count <= NAMED_DEEP ? points.count : 0;
    const { clientWidth: width, clientHeight: height } = this.renderer.domElement;
    while (this.tags.length < count) {
      const tag = element("span", "stage-tag", this.labels);
      tag.style.color = "var(--stage-ink)";
      tag.style.textShadow = "0 0 3px var(--stage-back), 0 0 3px var(--stage-back)";
      this.tags.push(tag);
    }
    this.tags.forEach((tag, point) => {
      this.spot.fromArray(points.at, 3 * point);
      this.spot[this.up] += 1.6 * radius;
      this.spot.project(this.camera);
      const on = point < count && Math.abs(this.spot.z) < 1;
      tag.style.display = on ? "" : "none";
      if (on) {
        const name = points.name(view, point);
        if (tag.textContent !== name) {
          tag.textContent = name;
        }
        const [x, y] = [((this.spot.x + 1) / 2) * width, ((1 - this.spot.y) / 2) * height];
        tag.style.transform = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px) translate(-50%, -100%)`;
      }
    });
  }

  /** The camera, and the point that it looks at. */
  save(): number[] {
    return [...this.camera.position.toArray(), ...this.orbit.target.toArray()];
  }

  restore(places: readonly number[]): void {
    this.placed = true;
    this.camera.position.fromArray(places as number[]);
    this.orbit.target.fromArray(places as number[], 3);
    this.orbit.update();
  }

  dispose(): void {
    this.orbit.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }
}
