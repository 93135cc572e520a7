import { judgeAnnounced } from '#domain/media/announced-file.ts';
import type { ComposeFile } from '../draft/compose-draft.ts';

export type Choice =
  | { readonly ok: true; readonly file: ComposeFile }
  /** `message`: why it can not be taken, in the server's words. */
  | { readonly ok: false; readonly name: string; readonly message: string };

/** What a chosen file is for a draft, or why the server would refuse it: before any byte is sent. */
export function chosenFile({ name, type, size }: File, use: ComposeFile['use']): Choice {
  const judged = judgeAnnounced({ contentType: type, bytes: size });
  if (!judged.ok) return { ok: false, name, message: judged.message };
  const kind = judged.contentType.startsWith('image/') ? 'image' : 'video';
  if (use === 'cover' && kind === 'video')
    return { ok: false, name, message: 'A cover is a picture. Choose a JPEG, PNG or WebP file.' };
  if (size === 0) return { ok: false, name, message: 'The file is empty.' };
  const facts = { contentType: judged.contentType, bytes: size, kind, size: null, durationMs: null } as const;
  const source = { kind: 'upload', assetId: null, completedAt: null } as const;
  return { ok: true, file: { key: crypto.randomUUID(), name, ...facts, altText: '', source, use } };
}

/** A file at a public address; what it is, the server finds out. */
export function addressedFile(url: string, use: ComposeFile['use']): ComposeFile {
  const { pathname, hostname } = new URL(url);
  const name = decodedName(pathname) || hostname;
  const kind = /\.(jpe?g|png|webp)$/i.test(pathname) ? 'image' : /\.(mp4|mov)$/i.test(pathname) ? 'video' : null;
  const facts = { contentType: '', bytes: null, kind, size: null, durationMs: null } as const;
  return { key: crypto.randomUUID(), name, ...facts, altText: '', source: { kind: 'address', url }, use };
}

function decodedName(pathname: string): string {
  const last = pathname.slice(pathname.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/** Why an address can not be one of a file; null: the server may look. */
export function addressProblem(url: string): string | null {
  return url.startsWith('https://') && URL.canParse(url) ? null : 'Write an address that begins with https://.';
}
