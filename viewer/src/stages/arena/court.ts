// The arena itself: its walls, its lines, its goals, in metres.

import {
  BackSide,
  BufferGeometry,
  CircleGeometry,
  DoubleSide,
  Float32BufferAttribute,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  MeshStandardMaterial,
  TorusGeometry,
} from "three";
import type { Theme } from "../../model.js";
import type { Vec3 } from "../shared/motion.js";

interface ArenaColours {
  readonly back: number;
  readonly wall: number;
  readonly wallOpacity: number;
  readonly line: number;
  readonly floor: number;
}

const DARK: ArenaColours = { back: 0x0b0f16, wall: 0x5f7d9c, wallOpacity: 0.05, line: 0x34475c, floor: 0x22303f };
const LIGHT: ArenaColours = { back: 0xe9eef4, wall: 0x7d95ad, wallOpacity: 0.12, line: 0xa9b9ca, floor: 0xc6d2de };

export function arenaColours(theme: Theme): ArenaColours {
  return theme === "dark" ? DARK : LIGHT;
}

const TEAMS: Readonly<Record<string, number>> = { blue: 0x2f8dff, orange: 0xff8420 };

export function teamColour(team: string): number {
  return TEAMS[team] ?? 0x9aa5b1;
}

/** Colours of the background of white letters. */
const TAGS: Readonly<Record<string, string>> = { blue: "#1562c8", orange: "#b95300" };

export function tagColour(team: string): string {
  return TAGS[team] ?? "#56616e";
}

export function hex(colour: number): string {
  return `#${colour.toString(16).padStart(6, "0")}`;
}

/** The arena is 30 m wide, 20 m high and 80 m long; blue defends the goal at negative z. */
export const HALF = { width: 15, height: 10, length: 40 } as const;
/** The place of the goals, and the radius of their rings. */
export const GOAL = { z: 36, radius: 1.5 } as const;

/** The part of a section that is cut off at each corner, across and up. */
const CUT = 5;

/** The height of the ground at a distance from the middle. */
export function groundAt(x: number): number {
  return Math.max(0, Math.abs(x) - (HALF.width - CUT)) - HALF.height;
}

/** The corners of a section of the walls: a rectangle with cut corners. */
function section(scale: number): [x: number, y: number][] {
  const [w, h, cut] = [HALF.width * scale, HALF.height * scale, CUT * scale];
  return [
    [w - cut, -h],
    [w, -h + cut],
    [w, h - cut],
    [w - cut, h],
    [-w + cut, h],
    [-w, h - cut],
    [-w, -h + cut],
    [-w + cut, -h],
  ];
}

/** Sections along z, and their size: the ends are narrower. */
const SECTIONS: readonly (readonly [z: number, scale: number])[] = [
  [-HALF.length, 0.6],
  [-34, 1],
  [-20, 1],
  [0, 1],
  [20, 1],
  [34, 1],
  [HALF.length, 0.6],
];

function walls(): { readonly faces: number[]; readonly lines: number[] } {
  const [faces, lines]: [number[], number[]] = [[], []];
  SECTIONS.forEach(([z, scale], at) => {
    const corners = section(scale);
    const [nextZ, nextScale] = SECTIONS[at + 1] ?? [z, scale];
    const next = section(nextScale);
    corners.forEach(([x, y], corner) => {
      const other = (corner + 1) % corners.length;
      const [[ox, oy], [nx, ny], [mx, my]] = [corners[other] ?? [0, 0], next[corner] ?? [0, 0], next[other] ?? [0, 0]];
      lines.push(x, y, z, ox, oy, z);
      if (nextZ !== z) {
        lines.push(x, y, z, nx, ny, nextZ);
        faces.push(x, y, z, nx, ny, nextZ, ox, oy, z, ox, oy, z, nx, ny, nextZ, mx, my, nextZ);
      }
    });
  });
  return { faces, lines };
}

function geometry(points: readonly number[]): BufferGeometry {
  const made = new BufferGeometry();
  made.setAttribute("position", new Float32BufferAttribute(points, 3));
  return made;
}

function ground(): number[] {
  const [lines, y] = [[] as number[], -HALF.height];
  for (let z = -30; z <= 30; z += 5) {
    lines.push(-10, y, z, 10, y, z);
  }
  for (let x = -10; x <= 10; x += 5) {
    lines.push(x, y, -34, x, y, 34);
  }
  return lines;
}

function goal(side: -1 | 1): Group {
  const group = new Group();
  const colour = teamColour(side < 0 ? "blue" : "orange");
  const ring = new Mesh(
    new TorusGeometry(GOAL.radius, 0.13, 12, 48),
    new MeshStandardMaterial({ color: colour, emissive: colour, emissiveIntensity: 0.7, roughness: 0.4 }),
  );
  const back = new Mesh(
    new CircleGeometry(GOAL.radius, 48),
    new MeshBasicMaterial({ color: colour, transparent: true, opacity: 0.16, side: DoubleSide, depthWrite: false }),
  );
  const outer = new Mesh(
    new TorusGeometry(GOAL.radius * 1.7, 0.04, 6, 48),
    new MeshBasicMaterial({ color: colour, transparent: true, opacity: 0.5 }),
  );
  group.add(ring, back, outer);
  group.position.z = side * GOAL.z;
  return group;
}

/** Everything that stands still. `court` says whether it is the arena with goals. */
export class Court {
  readonly group = new Group();
  private readonly line = new LineBasicMaterial({ transparent: true, opacity: 0.9 });
  private readonly floor = new LineBasicMaterial();
  private readonly wall = new MeshBasicMaterial({ transparent: true, side: BackSide, depthWrite: false });

  constructor(court: boolean) {
    this.group.add(new LineSegments(geometry(ground()), this.floor));
    if (court) {
      const { faces, lines } = walls();
      this.group.add(new Mesh(geometry(faces), this.wall), new LineSegments(geometry(lines), this.line));
      const middle = new Mesh(new TorusGeometry(3, 0.03, 6, 64), new MeshBasicMaterial({ color: 0x8aa0b6 }));
      middle.rotation.x = Math.PI / 2;
      middle.position.y = -HALF.height + 0.02;
      this.group.add(goal(-1), goal(1), middle);
    }
  }

  /** For an unknown place only the ground is drawn, below everybody. */
  under({ least, most }: { readonly least: Vec3; readonly most: Vec3 }): void {
    const square = 10;
    this.group.position.set(
      Math.round((least[0] + most[0]) / 2 / square) * square,
      Math.floor(least[1]) - 1 + HALF.height,
      Math.round((least[2] + most[2]) / 2 / square) * square,
    );
  }

  paint(colours: ArenaColours): void {
    this.line.color.setHex(colours.line);
    this.floor.color.setHex(colours.floor);
    this.wall.color.setHex(colours.wall);
    this.wall.opacity = colours.wallOpacity;
  }
}
