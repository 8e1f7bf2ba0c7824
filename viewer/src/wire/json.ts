// JSON whose integers keep all their digits: the bounds of a schema have up to 64 bits, and `JSON.parse`
// rounds what exceeds 53.

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;
const LARGE = /^-?[1-9]\d{15,}$/;
// No string of a text begins with this: those that do get it twice, until they are read.
const MARK = "\\u0000";

/** `JSON.parse`, but integers beyond ±(2^53 − 1) are bigints. */
export function parseJson(text: string): unknown {
  const marked = text.replace(TOKEN, (token) => {
    if (token.startsWith(`"${MARK}`)) {
      return `"${MARK}${token.slice(1)}`;
    }
    return LARGE.test(token) && !Number.isSafeInteger(Number(token)) ? `"${MARK}${token}"` : token;
  });
  return JSON.parse(marked, (_, value: unknown) => {
    if (typeof value !== "string" || !value.startsWith("\0")) {
      return value;
    }
    return value.startsWith("\0\0") ? value.slice(1) : BigInt(value.slice(1));
  });
}
