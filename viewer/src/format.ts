// Values, moments and counts as people read them.

import type { ColumnDef, Moment, Value } from "./model.js";

/** A whole number, its digits in groups. */
export function grouped(number: number | bigint): string {
  return number.toLocaleString("en");
}

/** A noun with its number. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** The parts that say something, in one text. */
export function joined(parts: readonly string[], by = " "): string {
  return parts.filter((part) => part !== "").join(by);
}

export function withUnit(text: string, unit: string): string {
  return unit === "" ? text : `${text} ${unit}`;
}

/** The name of a column with its unit; of a vector, its own name with the unit of its columns. */
export function titled({ unit }: ColumnDef, name: string): string {
  return unit === "" ? name : `${name} (${unit})`;
}

/** Milliseconds as minutes and seconds; with hours where there are any. */
export function clock(ms: number, digits = 2): string {
  const sign = ms < 0 ? "−" : "";
  const unit = 10 ** digits;
  const parts = Math.floor((Math.abs(ms) / 1000) * unit + 1e-6);
  const seconds = Math.floor(parts / unit);
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (n: number): string => String(n).padStart(2, "0");
  const rest = digits === 0 ? "" : `.${String(parts % unit).padStart(digits, "0")}`;
  return `${sign}${h > 0 ? `${h}:${two(m)}` : m}:${two(s)}${rest}`;
}

/** The position of the playhead. */
export function position(at: number, times: boolean, digits = 2): string {
  return times ? clock(at, digits) : `step ${grouped(Math.floor(at))}`;
}

/** A moment, by the clock that the recording has. */
export function when(moment: Moment, times: boolean): string {
  return times && moment.timeMs !== null ? clock(moment.timeMs) : `step ${grouped(moment.step)}`;
}

/** The fewest digits that give a number of 32 bits back. */
function shortest(value: number): string {
  for (let digits = 6; digits < 9; digits += 1) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) {
      return String(Number(text));
    }
  }
  return String(Number(value.toPrecision(9)));
}

/** A value of a column, with no more digits than its precision allows. */
export function valueText(value: Value, column: ColumnDef): string {
  if (value === null) {
    return "–";
  }
  if (typeof value === "boolean") {
    return value ? "yes" : "no";
  }
  const { precision, kind } = column;
  if (typeof value !== "number" || (Number.isInteger(value) && precision === null)) {
    return String(value);
  }
  if (!Number.isFinite(value)) {
    return Number.isNaN(value) ? "NaN" : value > 0 ? "∞" : "−∞";
  }
  if (precision !== null && precision > 0) {
    const digits = Math.min(12, Math.max(0, Math.ceil(-Math.log10(precision))));
    return value.toFixed(digits);
  }
  return kind === "float32" ? shortest(value) : String(value);
}

/** A number for people: short, but near numbers stay different. */
export function short(value: number): string {
  if (!Number.isFinite(value)) {
    return Number.isNaN(value) ? "none" : value > 0 ? "∞" : "−∞";
  }
  const size = Math.abs(value);
  const text =
    size !== 0 && (size < 1e-3 || size >= 1e6) ? value.toExponential(2) : String(Number(value.toPrecision(4)));
  return text.replace("-", "−");
}
