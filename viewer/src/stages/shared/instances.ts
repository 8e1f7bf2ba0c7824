// Many things of one shape, drawn at once.

import type { InstancedBufferAttribute, InstancedMesh } from "three";

function changed(attribute: InstancedBufferAttribute | null, numbers: number): void {
  if (attribute !== null) {
    attribute.clearUpdateRanges();
    attribute.addUpdateRange(0, numbers);
    attribute.needsUpdate = true;
  }
}

/** So many are there now: no more of them need to go to the graphics card. */
export function setCount(mesh: InstancedMesh, count: number): void {
  mesh.count = count;
  changed(mesh.instanceMatrix, 16 * count);
  changed(mesh.instanceColor, 3 * count);
}
