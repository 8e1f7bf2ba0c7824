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
  SphereGeometry,
  Vector3,
} from "three";
import type { View } from "../../model.js";
import type { Colours } from "../shared/canvas.js";
import { FloatingLabel, element } from "../shared/controls.js";
import { Scenery, setCount } from "../shared/scenery.js";
import { type PointLook, round } from "./map.js";
import { NAMED_DEEP, type Points, size } from "./points.js";

/** The most pieces of trails that are drawn. */
const PIECES = 8192;

export class Space {
  private readonly scenery: Scenery;
  private readonly camera = new PerspectiveCamera(48, 1, 0.01, 1000);
  private readonly labels: HTMLElement;
  private readonly tags: FloatingLabel[] = [];
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
    this.camera.up.set(up === "x" ? 1 : 0, up === "y" ? 1 : 0, up === "z" ? 1 : 0);
    this.scenery = new Scenery(body, "The entities in three dimensions", this.camera, "default");
    this.labels = element("div", "stage-overlay", body);
    const { orbit, scene } = this.scenery;
    orbit.addEventListener("change", moved);
    orbit.addEventListener("end", settled);
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(this.pieces, 3));
    geometry.setAttribute("color", new BufferAttribute(this.shades, 3));
    const material = new LineBasicMaterial({ vertexColors: true, transparent: true, opacity: 0.6 });
    this.ways = new LineSegments(geometry, material);
    this.ways.frustumCulled = false;
    const sun = new DirectionalLight(0xffffff, 1.6);
    sun.position.set(0.4, 0.9, 0.6);
    scene.add(new HemisphereLight(0xffffff, 0x667788, 2), sun, this.ways);
  }

  show(on: boolean): void {
    this.scenery.element.style.display = on ? "" : "none";
    this.labels.style.display = on ? "" : "none";
  }

  resize(width: number, height: number): void {
    this.scenery.resize(width, height);
  }

  paint(colours: Colours): void {
    this.scenery.scene.background = new Color(colours.back);
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
    this.scenery.scene.add(this.room, this.floor);
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
    this.scenery.orbit.target.copy(this.middle);
    this.scenery.orbit.update();
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
      this.scenery.scene.add(this.balls);
    }
    return this.balls;
  }

  draw(view: View, points: Points, look: PointLook): void {
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
    this.scenery.render();
    this.name(view, points, look, radius);
  }

  private drawWays(points: Points, look: PointLook): void {
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

  private name(view: View, points: Points, look: PointLook, radius: number): void {
    const count = look.names && points.count <= NAMED_DEEP ? points.count : 0;
    while (this.tags.length < count) {
      const tag = new FloatingLabel(this.labels);
      tag.element.style.color = "var(--stage-ink)";
      tag.element.style.textShadow = "0 0 3px var(--stage-back), 0 0 3px var(--stage-back)";
      this.tags.push(tag);
    }
    this.tags.forEach((tag, point) => {
      this.spot.fromArray(points.at, 3 * point);
      this.spot[this.up] += 1.6 * radius;
      const { x, y, z } = this.scenery.project(this.spot);
      const on = point < count && Math.abs(z) < 1;
      tag.show(on);
      if (on) {
        tag.say(points.name(view, point));
        tag.move(x, y);
      }
    });
  }

  save(): number[] {
    return this.scenery.save();
  }

  restore(places: readonly number[]): void {
    this.placed = true;
    this.scenery.restore(places);
  }

  dispose(): void {
    this.scenery.dispose();
  }
}
