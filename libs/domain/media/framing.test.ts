import fc from 'fast-check';
import { expect, test } from 'vitest';
import { framed, type FrameRules } from './framing.ts';

const free: FrameRules = {
  box: { width: 2048, height: 2048 },
  turns: false,
  ratio: { least: 0, most: Infinity },
  least: { width: 1, height: 1 },
  step: { width: 1, height: 1 },
};
const even: FrameRules = {
  ...free,
  box: { width: 1920, height: 1920 },
  ratio: { least: 0.1, most: 10 },
  step: { width: 2, height: 2 },
};
const upright: FrameRules = {
  ...even,
  box: { width: 1080, height: 1920 },
  ratio: { least: 9 / 16, most: 9 / 16 },
  least: { width: 540, height: 960 },
  step: { width: 18, height: 32 },
};
const clamped: FrameRules = {
  ...free,
  box: { width: 1440, height: 1800 },
  ratio: { least: 0.8, most: 1.91 },
  least: { width: 320, height: 0 },
};
const turning: FrameRules = { ...free, box: { width: 1080, height: 1920 }, turns: true };

test.each<[string, FrameRules, readonly [number, number], readonly [number, number], readonly [number, number]]>([
  ['shrunk into the box', free, [4096, 2048], [2048, 1024], [2048, 1024]],
  ['never enlarged', free, [30, 20], [30, 20], [30, 20]],
  ['made even', even, [641, 361], [642, 362], [642, 362]],
  ['as it is where it fits', upright, [1080, 1920], [1080, 1920], [1080, 1920]],
  ['shrunk in its shape', upright, [2160, 3840], [1080, 1920], [1080, 1920]],
  ['lying, padded above and below', upright, [1920, 1080], [1080, 1920], [1080, 608]],
  ['enlarged to the least', upright, [320, 240], [540, 960], [540, 406]],
  ['stretched rather than padded by a sliver', upright, [1080, 1914], [1080, 1920], [1080, 1920]],
  ['padded at its sides', clamped, [500, 1000], [800, 1000], [500, 1000]],
  ['padded above and below', clamped, [2000, 500], [1440, 754], [1440, 360]],
  ['enlarged to the least width', clamped, [100, 100], [320, 320], [320, 320]],
  ['in a box that lies as it does', turning, [4000, 3000], [1440, 1080], [1440, 1080]],
  ['in a box that stands as it does', turning, [3000, 4000], [1080, 1440], [1080, 1440]],
])('%s', (_name, rules, [width, height], canvas, picture) => {
  expect(framed({ width, height }, rules)).toEqual({
    canvas: { width: canvas[0], height: canvas[1] },
    picture: { width: picture[0], height: picture[1] },
  });
});

const sizes = fc.record({ width: fc.integer({ min: 1, max: 12_000 }), height: fc.integer({ min: 1, max: 12_000 }) });

test.each([
  ['even', even],
  ['upright', upright],
  ['clamped', clamped],
])('whatever the size, the %s canvas keeps the rules and the picture its shape', (_name, rules) => {
  fc.assert(
    fc.property(sizes, (size) => {
      const { canvas, picture } = framed(size, rules);
      expect(canvas.width % rules.step.width).toBe(0);
      expect(canvas.height % rules.step.height).toBe(0);
      expect(canvas.width).toBeLessThanOrEqual(rules.box.width);
      expect(canvas.height).toBeLessThanOrEqual(rules.box.height + rules.step.height);
      expect(picture.width).toBeLessThanOrEqual(canvas.width);
      expect(picture.height).toBeLessThanOrEqual(canvas.height);
      const ratio = canvas.width / canvas.height;
      const room = Math.min(canvas.width, canvas.height) <= 2 * rules.step.height ? Infinity : 1e-9;
      expect(ratio).toBeGreaterThan(rules.ratio.least - room);
      expect(ratio).toBeLessThan(rules.ratio.most + room);
      // Of a line some pixels thin, rounding is all there is.
      if (Math.min(picture.width, picture.height) < 10) return;
      const stretch = (picture.width / picture.height) * (size.height / size.width);
      const rounding = 0.02 + (2 * rules.step.width) / Math.min(picture.width, picture.height);
      expect(Math.abs(Math.log(stretch))).toBeLessThan(rounding);
    }),
  );
});
