// Players as bodies: a head that looks somewhere, a torso, hands; or the bones where they are recorded.

import {
  BoxGeometry,
  CapsuleGeometry,
  CylinderGeometry,
  DoubleSide,
  Group,
  InstancedMesh,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  Color,
  DynamicDrawUsage,
  type Object3D,
  SphereGeometry,
  TorusGeometry,
  Vector3,
} from "three";
import { obtain } from "../../lists.js";
import { setCount } from "../shared/scenery.js";
import type { Actor, Pose } from "./actors.js";
import { MOST_BONES, type Skeletons, cross } from "./bones.js";
import { teamColour } from "./court.js";

const matrix = new Matrix4();
const [left, up, forward, way] = [new Vector3(), new Vector3(), new Vector3(), new Vector3()];
const [end, end2] = [new Vector3(), new Vector3()];
const GREY = new Color(0x808890);

/** Puts an object where a pose is, turned as it is. */
export function put(object: Object3D, pose: Pose): void {
  forward.fromArray(pose.forward).normalize();
  left.fromArray(cross(pose.up, pose.forward)).normalize();
  if (left.lengthSq() < 0.5) {
    // No directions are recorded.
    object.quaternion.identity();
  } else {
    up.crossVectors(forward, left);
    matrix.makeBasis(left, up, forward);
    object.quaternion.setFromRotationMatrix(matrix);
  }
  object.position.fromArray(pose.at);
}

/** A matrix that lays a rod of length 1 along y from one place to another. */
function rod(from: Vector3, to: Vector3, into: Matrix4): Matrix4 {
  way.subVectors(to, from);
  const length = way.length();
  up.copy(way).divideScalar(length || 1);
  left.set(1, 0, 0);
  if (Math.abs(up.x) > 0.9) {
    left.set(0, 0, 1);
  }
  forward.crossVectors(left, up).normalize();
  left.crossVectors(up, forward);
  into.makeBasis(left, way, forward);
  return into.setPosition((from.x + to.x) / 2, (from.y + to.y) / 2, (from.z + to.z) / 2);
}

const HEAD = new SphereGeometry(0.15, 20, 14);
const VISOR = new BoxGeometry(0.2, 0.07, 0.06);
const TORSO = new CapsuleGeometry(0.17, 0.36, 6, 14);
const HAND = new BoxGeometry(0.09, 0.05, 0.15);
const ARM = new CylinderGeometry(0.035, 0.045, 1, 8);
const RING = new TorusGeometry(0.62, 0.035, 8, 40);
/** A patch of a sphere around +z: in front. */
const SHIELD = new SphereGeometry(0.6, 18, 10, Math.PI * 0.2, Math.PI * 0.6, Math.PI * 0.28, Math.PI * 0.44);

class Avatar {
  readonly group = new Group();
  private readonly skin = new MeshStandardMaterial({ roughness: 0.55, metalness: 0.15 });
  private readonly head = new Mesh(HEAD, this.skin);
  private readonly body = new Group();
  private readonly torso = new Mesh(TORSO, this.skin);
  private readonly hands = [new Mesh(HAND, this.skin), new Mesh(HAND, this.skin)] as const;
  private readonly arms = [new Mesh(ARM, this.skin), new Mesh(ARM, this.skin)] as const;
  private readonly ring = new Mesh(RING, new MeshBasicMaterial({ color: 0xffffff }));
  private readonly shield = new Mesh(
    SHIELD,
    new MeshBasicMaterial({ color: 0x8fe3ff, transparent: true, opacity: 0.42, side: DoubleSide, depthWrite: false }),
  );

  constructor(parent: Group) {
    parent.add(this.group);
    const visor = new Mesh(VISOR, new MeshStandardMaterial({ color: 0x10151c, roughness: 0.2 }));
    visor.position.set(0, 0.02, 0.12);
    this.head.add(visor);
    this.torso.position.y = -0.48;
    this.ring.rotation.x = Math.PI / 2;
    this.ring.position.y = -0.42;
    this.shield.position.y = -0.25;
    this.body.add(this.torso, this.ring, this.shield);
    this.group.add(this.head, this.body, ...this.hands, ...this.arms);
    for (const arm of this.arms) {
      arm.matrixAutoUpdate = false;
    }
  }

  /** Poses the body like a player. `bones`: the skeleton replaces torso and arms; `eyes`: the camera is in the head. */
  show(actor: Actor, bones: boolean, eyes: boolean): void {
    const { parts } = actor;
    put(this.head, parts.head);
    put(this.body, parts.body);
    this.head.visible = !eyes;
    this.torso.visible = !bones && !eyes;
    this.ring.visible = actor.possession && !eyes;
    this.shield.visible = actor.blocking;
    const colour = teamColour(actor.team);
    this.skin.color.setHex(colour);
    (this.ring.material as MeshBasicMaterial).color.setHex(colour);
    this.skin.transparent = actor.stunned;
    this.skin.opacity = actor.stunned ? 0.35 : 1;
    [parts.left_hand, parts.right_hand].forEach((pose, side) => {
      const [hand, arm] = [this.hands[side === 0 ? 0 : 1], this.arms[side === 0 ? 0 : 1]];
      put(hand, pose);
      arm.visible = !bones && !eyes;
      if (arm.visible) {
        left.set(side === 0 ? 0.2 : -0.2, -0.28, 0).applyQuaternion(this.body.quaternion);
        end.fromArray(parts.body.at).add(left);
        arm.matrix.copy(rod(end, hand.position, matrix));
      }
    });
  }
}

/** Players that a skeleton is drawn for at most. */
const MOST_SKELETONS = 32;

export class Avatars {
  readonly group = new Group();
  private readonly avatars = new Map<number, Avatar>();
  private readonly joints: InstancedMesh;
  private readonly links: InstancedMesh;
  private readonly colour = new Color();

  constructor() {
    const skin = new MeshStandardMaterial({ roughness: 0.5, metalness: 0.15 });
    const most = MOST_BONES * MOST_SKELETONS;
    this.joints = new InstancedMesh(new SphereGeometry(0.05, 10, 8), skin, most);
    this.links = new InstancedMesh(new CylinderGeometry(0.036, 0.036, 1, 8), skin, most);
    for (const mesh of [this.joints, this.links]) {
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.count = 0;
      // They are all over the arena: a visibility test would save nothing.
      mesh.frustumCulled = false;
      mesh.setColorAt(0, this.colour);
      this.group.add(mesh);
    }
  }

  update(actors: readonly Actor[], skeletons: Skeletons | undefined, eyes: number): void {
    for (const actor of actors) {
      const avatar = obtain(this.avatars, actor.id, () => new Avatar(this.group));
      avatar.group.visible = actor.here && actor.playing;
      if (avatar.group.visible) {
        avatar.show(actor, skeletons?.of.get(actor.id)?.here === true, actor.id === eyes);
      }
    }
    this.drawBones(actors, skeletons, eyes);
  }

  private drawBones(actors: readonly Actor[], skeletons: Skeletons | undefined, eyes: number): void {
    let [joints, links] = [0, 0];
    for (const actor of actors) {
      const skeleton = skeletons?.of.get(actor.id);
      if (
        skeletons === undefined ||
        skeleton?.here !== true ||
        !actor.here ||
        actor.id === eyes ||
        joints + MOST_BONES > MOST_BONES * MOST_SKELETONS
      ) {
        continue;
      }
      this.colour.setHex(teamColour(actor.team));
      if (actor.stunned) {
        this.colour.lerp(GREY, 0.6);
      }
      const { places, seen } = skeleton;
      for (let bone = 0; bone < MOST_BONES; bone++) {
        if (seen[bone] === 1) {
          matrix.makeTranslation(places[3 * bone] ?? 0, places[3 * bone + 1] ?? 0, places[3 * bone + 2] ?? 0);
          this.joints.setMatrixAt(joints, matrix);
          this.joints.setColorAt(joints++, this.colour);
        }
      }
      for (const [from, to] of skeletons.links) {
        if (seen[from] === 1 && seen[to] === 1) {
          this.links.setMatrixAt(links, rod(end.fromArray(places, 3 * from), end2.fromArray(places, 3 * to), matrix));
          this.links.setColorAt(links++, this.colour);
        }
      }
    }
    setCount(this.joints, joints);
    setCount(this.links, links);
  }
}
