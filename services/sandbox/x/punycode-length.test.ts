import { expect, test } from 'vitest';
import { encodedLength } from './punycode-length.ts';

/** The last four are samples of RFC 3492, section 7.1. */
test.each([
  ['example', 'example'],
  ['bücher', 'xn--bcher-kva'],
  ['☃', 'xn--n3h'],
  ['рф', 'xn--p1ai'],
  ['他们为什么不说中文', 'xn--ihqwcrb4cv8a8dqg056pqjye'],
  ['почемужеонинеговорятпорусски', 'xn--b1abfaaepdrnnbgefbadotcwatmq2g4l'],
  ['3年B組金八先生', 'xn--3B-ww4c5e180e575a65lsy2b'],
  ['MajiでKoiする5秒前', 'xn--MajiKoi5-783gue6qz075azm5e'],
])('%s is sent as %s', (label, encoded) => {
  expect(encodedLength(label)).toBe(encoded.length);
});
