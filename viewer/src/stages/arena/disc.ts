// The disc and its trail.

import {
  BufferAttribute,
  BufferGeometry,
  CanvasTexture,
  CylinderGeometry,
  DoubleSide,
  DynamicDrawUsage,
  Group,
  Line,
  LineBasicMaterial,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  Points,
  PointsMaterial,
  Vector3,
} from "three";
import type { Vec3 } from "../shared/motion.js";
import type { Pose } from "./actors.js";
import { put } from "./avatars.js";
import { groundAt } from "./court.js";

/** The most places of a trail that are drawn. */
const MOST = 256;
/** Metres that its ribbon is wide at the disc. */
const WIDTH = 0.22;
/** A step that is longer was no flight: the ribbon begins anew. */
const JUMP = 6;

/** A round spot: points are square. */
function round(): CanvasTexture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 32;
  const to = canvas.getContext("2d");
  if (to !== null) {
    to.fillStyle = "#ffffff";
    to.beginPath();
    to.arc(16, 16, 14, 0, 2 * Math.PI);
    to.fill();
  }
  return new CanvasTexture(canvas);
}

export class Disc {
  readonly group = new Group();
  private readonly disc = new Mesh(
    new CylinderGeometry(0.26, 0.26, 0.09, 32),
    new MeshStandardMaterial({ color: 0xffffff, emissive: 0xffffff, emissiveIntensity: 0.55, roughness: 0.3 }),
  );
  /** A halo, so that the disc can be seen from afar, and through players. */
  private readonly spot = new Points(
    new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(3), 3)),
    new PointsMaterial({ size: 7, sizeAttenuation: false, transparent: true, depthTest: false, map: round() }),
  );
  private readonly places = new Float32Array(6 * MOST);
  private readonly shades = new Float32Array(8 * MOST);
  private readonly ribbon = new Mesh(
    new BufferGeometry(),
    new MeshBasicMaterial({ vertexColors: true, transparent: true, side: DoubleSide, depthWrite: false }),
  );
  /** A line straight down to the ground, so that its place can be seen. */
  private readonly plumb = new Line(
    new BufferGeometry().setAttribute("position", new BufferAttribute(Float32Array.of(0, 0, 0, 0, -1, 0), 3)),
    new LineBasicMaterial({ transparent: true, opacity: 0.35 }),
  );
  private readonly colour = { r: 1, g: 1, b: 1 };
  private readonly from = new Vector3();
  private readonly to = new Vector3();
  private readonly eye = new Vector3();

  constructor() {
    const { geometry } = this.ribbon;
    geometry.setAttribute("position", new BufferAttribute(this.places, 3).setUsage(DynamicDrawUsage));
    geometry.setAttribute("color", new BufferAttribute(this.shades, 4).setUsage(DynamicDrawUsage));
    const faces = [];
    for (let at = 0; at < MOST - 1; at++) {
      faces.push(2 * at, 2 * at + 1, 2 * at + 2, 2 * at + 2, 2 * at + 1, 2 * at + 3);
    }
    geometry.setIndex(faces);
    this.ribbon.frustumCulled = false;
    this.group.add(this.disc, this.spot, this.plumb, this.ribbon);
  }

  /** Light on dark, dark on light. */
  paint(light: boolean): void {
    this.colour.r = this.colour.g = this.colour.b = light ? 0.12 : 1;
    const { color, emissive } = this.disc.material;
    for (const paint of [color, emissive, this.spot.material.color, this.plumb.material.color]) {
      paint.setHex(light ? 0x20262e : 0xffffff);
    }
  }

  show(pose: Pose | undefined, trail: readonly (readonly number[])[], camera: Vector3): void {
    this.group.visible = pose !== undefined;
    if (pose === undefined) {
      return;
    }
    put(this.disc, pose);
    this.spot.position.copy(this.disc.position);
    this.plumb.position.copy(this.disc.position);
    this.plumb.scale.y = Math.max(0.01, pose.at[1] - groundAt(pose.at[0]));
    this.draw(trail, pose.at, camera);
  }

  /** A ribbon that turns its side to the camera, thinner and fainter the older it is. */
  private draw(trail: readonly (readonly number[])[], now: Vec3, camera: Vector3): void {
    const first = Math.max(0, trail.length - (MOST - 1));
    const count = trail.length - first + 1;
    const place = (at: number): readonly number[] => trail[first + at] ?? now;
    let begin = 0;
    for (let at = 0; at < count; at++) {
      const [one, two] = [place(Math.max(0, at - 1)), place(Math.min(count - 1, at + 1))];
      this.from.fromArray(one);
      this.to.fromArray(two);
      if (at > 0 && this.from.distanceTo(this.eye.fromArray(place(at))) > JUMP) {
        begin = at;
      }
      this.eye.fromArray(place(at)).sub(camera);
      this.to.sub(this.from).cross(this.eye).normalize();
      const age = count < 2 ? 1 : at / (count - 1);
      this.to.multiplyScalar(WIDTH * (0.25 + 0.75 * age) * 0.5);
      for (let side = 0; side < 2; side++) {
        const vertex = 2 * at + side;
        const sign = side === 0 ? 1 : -1;
        this.places[3 * vertex] = (place(at)[0] ?? 0) + sign * this.to.x;
        this.places[3 * vertex + 1] = (place(at)[1] ?? 0) + sign * this.to.y;
        this.places[3 * vertex + 2] = (place(at)[2] ?? 0) + sign * this.to.z;
        this.shades[4 * vertex] = this.colour.r;
        this.shades[4 * vertex + 1] = this.colour.g;
        this.shades[4 * vertex + 2] = this.colour.b;
        this.shades[4 * vertex + 3] = 0.7 * age * age;
      }
    }
    const { geometry } = this.ribbon;
    geometry.setDrawRange(6 * begin, 6 * Math.max(0, count - 1 - begin));
    for (const name of ["position", "color"]) {
      geometry.getAttribute(name).needsUpdate = true;
    }
  }
}
