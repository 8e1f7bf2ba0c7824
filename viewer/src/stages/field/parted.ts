// Cells that an audit names: the values shown there differ from the recorded ones.

import type { Finding, Moment, TableDef } from "../../model.js";

/** A cell that a finding names, counted along each key from 0. */
export interface Parted {
  readonly place: readonly number[];
  readonly message: string;
}

/** The coordinates that the data of a finding has, if it names this field and a cell of it. */
function cellOf({ data }: Finding, def: TableDef, origin: readonly number[]): number[] | undefined {
  const members = Object.values(data);
  if (!members.includes(def.name)) {
    return undefined;
  }
  for (const member of members) {
    if (Array.isArray(member) && member.length === def.shape.length) {
      const place = member.map((coordinate, key) => Number(coordinate) - (origin[key] ?? 0));
      if (place.every((at, key) => Number.isInteger(at) && at >= 0 && at < (def.shape[key] ?? 0))) {
        return place;
      }
    }
  }
  return undefined;
}

/** The cells that errors up to a moment name. */
export function parted(
  findings: readonly Finding[],
  def: TableDef,
  origin: readonly number[],
  { step }: Moment,
): Parted[] {
  return findings.flatMap((finding) => {
    if (finding.severity !== "error" || finding.moment === null || finding.moment.step > step) {
      return [];
    }
    const place = cellOf(finding, def, origin);
    return place === undefined ? [] : [{ place, message: finding.message }];
  });
}
