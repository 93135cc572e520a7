const BASE = 36;
const MIN_THRESHOLD = 1;
const MAX_THRESHOLD = 26;
const SKEW = 38;
const DAMP = 700;
const FIRST_BIAS = 72;
const FIRST_POINT = 128;

/** RFC 3492, section 6.1. */
function adapt(delta: number, points: number, isFirst: boolean): number {
  let left = Math.floor(delta / (isFirst ? DAMP : 2));
  left += Math.floor(left / points);
  let bias = 0;
  for (; left > ((BASE - MIN_THRESHOLD) * MAX_THRESHOLD) >> 1; bias += BASE)
    left = Math.floor(left / (BASE - MIN_THRESHOLD));
  return Math.floor(bias + ((BASE - MIN_THRESHOLD + 1) * left) / (left + SKEW));
}

/** The digits of one number of the encoding. */
function digitsOf(delta: number, bias: number): number {
  let digits = 1;
  let left = delta;
  for (let position = BASE; ; position += BASE) {
    const threshold = Math.min(MAX_THRESHOLD, Math.max(MIN_THRESHOLD, position - bias));
    if (left < threshold) return digits;
    left = Math.floor((left - threshold) / (BASE - threshold));
    digits += 1;
  }
}

/**
 * The length of a label of a domain as it is sent: `xn--` and its punycode (RFC 3492) where it has letters beyond
 * ASCII. Takes time in proportion to the square of the label's length: callers bound it.
 */
export function encodedLength(label: string): number {
  const points = [...label].map((character) => character.codePointAt(0)!);
  const plain = points.filter((point) => point < FIRST_POINT).length;
  if (plain === points.length) return label.length;
  let length = 'xn--'.length + plain + (plain > 0 ? 1 : 0);
  let [point, delta, bias, handled] = [FIRST_POINT, 0, FIRST_BIAS, plain];
  while (handled < points.length) {
    const next = Math.min(...points.filter((each) => each >= point));
    delta += (next - point) * (handled + 1);
    point = next;
    for (const each of points) {
      if (each < point) delta += 1;
      if (each !== point) continue;
      length += digitsOf(delta, bias);
      bias = adapt(delta, handled + 1, handled === plain);
      delta = 0;
      handled += 1;
    }
    delta += 1;
    point += 1;
  }
  return length;
}
