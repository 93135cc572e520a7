import { ACCEPTED_TYPES, MAX_FILE_BYTES, type AcceptedType } from './file-facts.ts';

/** What a Member says of a file before its bytes are sent. */
export interface AnnouncedFile {
  readonly contentType: string;
  readonly bytes: number;
}

type Judged =
  | { readonly ok: true; readonly contentType: AcceptedType }
  /** For a person. */
  | { readonly ok: false; readonly message: string };

const WRONG_TYPE =
  'contentType is none that can be taken: use image/jpeg, image/png, image/webp, video/mp4 or video/quicktime.';
const TOO_LARGE = 'A file may have at most 2 GB (2,147,483,648 bytes).';

/** Whether such a file may be sent at all. */
export function judgeAnnounced({ contentType, bytes }: AnnouncedFile): Judged {
  const accepted = ACCEPTED_TYPES.find((each) => each === contentType.trim().toLowerCase());
  if (accepted === undefined) return { ok: false, message: WRONG_TYPE };
  return bytes > MAX_FILE_BYTES ? { ok: false, message: TOO_LARGE } : { ok: true, contentType: accepted };
}
