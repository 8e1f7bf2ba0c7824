// A picture in three dimensions: the scene, its camera, and turning it by hand.

import type { InstancedBufferAttribute, InstancedMesh, PerspectiveCamera, Vector3 } from "three";
import { Scene, WebGLRenderer } from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

export class Scenery {
  readonly scene = new Scene();
  readonly camera: PerspectiveCamera;
  readonly orbit: OrbitControls;
  readonly element: HTMLCanvasElement;
  private readonly renderer: WebGLRenderer;

  /** Throws where this browser has no WebGL. */
  constructor(body: HTMLElement, label: string, camera: PerspectiveCamera, powerPreference: WebGLPowerPreference) {
    this.camera = camera;
    this.renderer = new WebGLRenderer({ antialias: true, powerPreference });
    this.element = this.renderer.domElement;
    this.element.classList.add("stage-canvas");
    this.element.tabIndex = 0;
    this.element.setAttribute("role", "img");
    this.element.setAttribute("aria-label", label);
    body.append(this.element);
    this.orbit = new OrbitControls(camera, this.element);
    this.orbit.enableDamping = false;
  }

  resize(width: number, height: number): void {
    this.renderer.setPixelRatio(Math.min(2, globalThis.devicePixelRatio || 1));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  render(): void {
    this.renderer.render(this.scene, this.camera);
  }

  /** Takes a place to its pixel of the page; its depth is from −1 to 1 where the camera sees it. */
  project(place: Vector3): Vector3 {
    const { clientWidth, clientHeight } = this.element;
    const { x, y, z } = place.project(this.camera);
    return place.set(((x + 1) / 2) * clientWidth, ((1 - y) / 2) * clientHeight, z);
  }

  /** The camera, and the point that it looks at. */
  save(): number[] {
    return [...this.camera.position.toArray(), ...this.orbit.target.toArray()];
  }

  restore(places: readonly number[]): void {
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

function changed(attribute: InstancedBufferAttribute | null, numbers: number): void {
  if (attribute !== null) {
    attribute.clearUpdateRanges();
    attribute.addUpdateRange(0, numbers);
    attribute.needsUpdate = true;
  }
}

/** Sets the number of instances: only so many are sent to the graphics card. */
export function setCount(mesh: InstancedMesh, count: number): void {
  mesh.count = count;
  changed(mesh.instanceMatrix, 16 * count);
  changed(mesh.instanceColor, 3 * count);
}
