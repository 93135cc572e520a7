import type { Size } from './size.ts';

/** Which shapes and sizes a Network takes. */
export interface FrameRules {
  /** What the picture is shrunk into. `turns`: it may lie or stand, as the picture does. */
  readonly box: Size;
  readonly turns: boolean;
  /** Width to height; what is beyond is padded. */
  readonly ratio: { readonly least: number; readonly most: number };
  /** A smaller picture is enlarged to this; other pictures are not enlarged. */
  readonly least: Size;
  /** Sides are multiples of it. */
  readonly step: Size;
}

/**
 * A picture whose shape differs from the canvas by less is stretched over it: that is invisible, and a sliver of
 * padding is not.
 */
const STRETCH = 0.01;

/** Where a picture of `size` goes by the rules: the canvas that comes out, and the picture in its middle. */
export function framed(size: Size, rules: FrameRules): { readonly canvas: Size; readonly picture: Size } {
  const canvas = canvasFor(size, rules);
  const scale = Math.min(canvas.width / size.width, canvas.height / size.height);
  return {
    canvas,
    picture: {
      width: within(size.width * scale, canvas.width, rules.step.width),
      height: within(size.height * scale, canvas.height, rules.step.height),
    },
  };
}

function canvasFor(size: Size, { box, turns, ratio, least, step }: FrameRules): Size {
  const own = size.width / size.height;
  const wanted = Math.min(Math.max(own, ratio.least), ratio.most);
  const around =
    wanted >= own
      ? { width: wanted * size.height, height: size.height }
      : { width: size.width, height: size.width / wanted };
  const stands = around.height > around.width;
  const room = turns && stands !== box.height > box.width ? { width: box.height, height: box.width } : box;
  const shrink = Math.min(1, room.width / around.width, room.height / around.height);
  const scale = Math.max(shrink, least.width / around.width, least.height / around.height);
  const width = steps(around.width * scale, step.width);
  if (wanted === own) return { width, height: steps(around.height * scale, step.height) };
  return { width, height: heightFor(width, wanted, ratio, step.height) };
}

/** Of a padded canvas, so that rounding takes its ratio to the inner side of the limit. */
function heightFor(width: number, wanted: number, { least, most }: FrameRules['ratio'], step: number): number {
  const height = steps(width / wanted, step);
  if (least === most || height <= step) return height;
  if (width / height < least) return height - step;
  return width / height > most ? height + step : height;
}

function steps(pixels: number, step: number): number {
  return Math.max(1, Math.round(pixels / step)) * step;
}

/** In steps of the canvas where those are even, and all of it where almost nothing is missing. */
function within(pixels: number, canvas: number, step: number): number {
  if (pixels >= canvas * (1 - STRETCH)) return canvas;
  return Math.min(canvas, steps(pixels, step % 2 === 0 ? 2 : 1));
}
