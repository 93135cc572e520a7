/** Types that a Member may give, by the bytes of the file and not by its name. */
export const ACCEPTED_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'video/mp4', 'video/quicktime'] as const;
export type AcceptedType = (typeof ACCEPTED_TYPES)[number];

export const MAX_FILE_BYTES = 2 * 1024 ** 3;

export function kindOfType(contentType: AcceptedType): 'image' | 'video' {
  return contentType.startsWith('image/') ? 'image' : 'video';
}

/** What is known of a file whose bytes were looked at. */
export interface FileFacts {
  readonly kind: 'image' | 'video';
  readonly contentType: AcceptedType;
  readonly bytes: number;
  /** Of the whole file, lower-case hex. */
  readonly sha256: string;
  /** Pixels as they are to be seen: orientation and sample aspect ratio applied. */
  readonly width: number;
  readonly height: number;
  /** Videos only. */
  readonly durationMs: number | null;
}
