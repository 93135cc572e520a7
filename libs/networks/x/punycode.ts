/** Of a label of a domain, in characters of ASCII. */
export const MAX_LABEL_LENGTH = 63;

const PREFIX_LENGTH = 'xn--'.length;
const BASE = 36;
const MIN_DIGIT = 1;
const MAX_DIGIT = 26;
const SKEW = 38;
const DAMP = 700;
const FIRST_BIAS = 72;
const FIRST_CODE_POINT = 0x80;

/**
 * How long a label of a domain is in DNS, which holds characters beyond ASCII in Punycode (RFC 3492). Above
 * `MAX_LABEL_LENGTH` it is not counted to its end.
 */
export function asciiLength(label: string): number {
  const codePoints = Array.from(label, (character) => character.codePointAt(0) ?? 0);
  const basic = codePoints.filter((codePoint) => codePoint < FIRST_CODE_POINT).length;
  if (basic === codePoints.length || codePoints.length > MAX_LABEL_LENGTH) return codePoints.length;
  let length = PREFIX_LENGTH + basic + (basic > 0 ? 1 : 0);
  let codePoint = FIRST_CODE_POINT;
  let delta = 0;
  let bias = FIRST_BIAS;
  for (let handled = basic; handled < codePoints.length; delta++, codePoint++) {
    const next = Math.min(...codePoints.filter((each) => each >= codePoint));
    delta += (next - codePoint) * (handled + 1);
    codePoint = next;
    for (const each of codePoints) {
      if (each < codePoint) delta++;
      if (each !== codePoint) continue;
      length += digitsOf(delta, bias);
      bias = adapted(delta, handled + 1, handled === basic);
      delta = 0;
      handled++;
    }
  }
  return length;
}

function digitsOf(delta: number, bias: number): number {
  let digits = 1;
  let rest = delta;
  for (let position = BASE; ; position += BASE) {
    const threshold = Math.min(Math.max(position - bias, MIN_DIGIT), MAX_DIGIT);
    if (rest < threshold) return digits;
    rest = Math.floor((rest - threshold) / (BASE - threshold));
    digits++;
  }
}

function adapted(delta: number, handled: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? DAMP : 2));
  rest += Math.floor(rest / handled);
  let bias = 0;
  for (; rest > ((BASE - MIN_DIGIT) * MAX_DIGIT) / 2; bias += BASE) rest = Math.floor(rest / (BASE - MIN_DIGIT));
  return bias + Math.floor(((BASE - MIN_DIGIT + 1) * rest) / (rest + SKEW));
}
