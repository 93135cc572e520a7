import type { FileFacts } from './file-facts.ts';
import { framed, type FrameRules } from './framing.ts';
import type { ImageTarget } from './target.ts';

export interface ImageRules extends FrameRules {
  readonly background: ImageTarget['background'];
  readonly maxBytes: number;
  readonly keepsPng: boolean;
}

const QUALITIES = [88, 82, 76, 70, 60, 50, 40, 30] as const;

/** No JPEG of those qualities takes more for a pixel. */
const MAX_BYTES_A_PIXEL = 2;
/** Below it limits are one and the same: a limit that no file can reach must not keep targets from agreeing. */
const COMMON_BYTES = 4_000_000;

/** `file`: an image. */
export function imageTarget(file: Pick<FileFacts, 'width' | 'height' | 'contentType'>, rules: ImageRules): ImageTarget {
  const { canvas, picture } = framed(file, rules);
  const isPng = rules.keepsPng && file.contentType === 'image/png';
  const mostBytes = isPng ? Infinity : Math.max(COMMON_BYTES, canvas.width * canvas.height * MAX_BYTES_A_PIXEL);
  return {
    kind: 'image',
    format: isPng ? 'png-when-apt' : 'jpeg',
    ...{ canvas, picture, background: rules.background },
    maxBytes: Math.min(rules.maxBytes, mostBytes),
    qualities: QUALITIES,
  };
}
