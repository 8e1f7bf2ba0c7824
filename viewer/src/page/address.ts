// The contents of a link: recording, moment, stage, camera.

/** The contents of a link; the page chooses everything that is null. */
export interface Address {
  readonly recording: string | null;
  /** Milliseconds, or steps. */
  readonly at: number | null;
  readonly stage: string | null;
  /** The stage's own part: camera, choices. */
  readonly saved: string | null;
  /** The recording beside it. */
  readonly beside: string | null;
  readonly loop: { readonly from: number; readonly to: number } | null;
}

export const NOWHERE: Address = { recording: null, at: null, stage: null, saved: null, beside: null, loop: null };

/** The part of a link that a recording's own page chooses. */
export type Viewpoint = Omit<Address, "recording" | "beside">;

function number(text: string | null | undefined): number | null {
  const value = text === null || text === undefined || text === "" ? NaN : Number(text);
  return Number.isFinite(value) ? value : null;
}

/** Reads the part of an address after `#`. */
export function parseAddress(hash: string): Address {
  const of = new URLSearchParams(hash.replace(/^#/, ""));
  const [from, to] = (of.get("loop") ?? "").split("~").map(number);
  return {
    recording: of.get("r"),
    at: number(of.get("t")),
    stage: of.get("stage"),
    saved: of.get("view"),
    beside: of.get("with"),
    loop: from !== null && from !== undefined && to !== null && to !== undefined && from < to ? { from, to } : null,
  };
}

/** Writes it. */
export function formatAddress(of: Address): string {
  const params = new URLSearchParams();
  const put = (name: string, value: string | null): void => {
    if (value !== null && value !== "") {
      params.set(name, value);
    }
  };
  const text = (value: number): string => String(Number(value.toFixed(3)));
  put("r", of.recording);
  put("t", of.at === null ? null : text(of.at));
  put("loop", of.loop === null ? null : `${text(of.loop.from)}~${text(of.loop.to)}`);
  put("with", of.beside);
  put("stage", of.stage);
  put("view", of.saved);
  return `#${params.toString()}`;
}
