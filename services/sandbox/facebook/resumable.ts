import { json } from '../exchange.ts';
import type { SandboxAnswer } from '../exchange.ts';
import type { SandboxFile } from '../files/files.ts';
import { shelf } from '../store/store.ts';
import { wholeOf } from './page-request.ts';
import type { AdmittedCall, FacebookOptions } from './page-request.ts';
import { graphError, noPermission, parameterError, unsupported } from './graph-errors.ts';
import { mostBytesOf } from './publish-video.ts';

/** A person's unfinished file, in the newest way: there is no video before it is published with its handle. */
interface Upload {
  readonly id: string;
  readonly accountId: string;
  readonly uploadId: string;
  readonly size: number;
  readonly file: SandboxFile | null;
}

const TYPES = ['video/mp4', 'video/quicktime', 'image/jpeg', 'image/png', 'application/pdf'];
const PREFIX = 'upload:';

const uploadsOf = ({ store }: FacebookOptions) => shelf<Upload>(store, 'facebook.uploads');
const handleOf = ({ id }: Upload): string => `4:${Buffer.from(id).toString('base64url')}`;

/** The file of a handle; null when there is none. */
export function uploadedFile(handle: string, deps: FacebookOptions): SandboxFile | null {
  const id = Buffer.from(handle.replace(/^4:/, ''), 'base64url').toString('latin1');
  return /^\d{1,19}$/.test(id) ? (uploadsOf(deps).get(id)?.file ?? null) : null;
}

/** POST /{app}/uploads */
export function startUpload({ parameters, holder }: AdmittedCall, deps: FacebookOptions): SandboxAnswer {
  if (holder.token.subject !== 'person') return noPermission();
  const size = wholeOf(parameters.get('file_length'));
  if (size < 1 || size > mostBytesOf('session'))
    return parameterError('(#100) Param file_length must be the size of the file in bytes.');
  if (!TYPES.includes(parameters.get('file_type') ?? ''))
    return parameterError(`(#100) Param file_type must be one of {${TYPES.join(', ')}}`);
  const upload: Upload = {
    id: deps.remoteIds.next(),
    accountId: holder.account.accountId,
    uploadId: deps.files.open(),
    size,
    file: null,
  };
  uploadsOf(deps).put(upload.id, upload);
  return json(200, { id: PREFIX + upload.id });
}

function ownUpload(name: string, { holder }: AdmittedCall, deps: FacebookOptions): Upload | null {
  const upload = name.startsWith(PREFIX) ? uploadsOf(deps).get(name.slice(PREFIX.length)) : null;
  return upload?.accountId === holder.account.accountId && holder.token.subject === 'person' ? upload : null;
}

const cameOf = ({ uploadId, file }: Upload, { files }: FacebookOptions): number => file?.bytes ?? files.size(uploadId);

/** POST /upload:{id}: the bytes from the header `file_offset` on. */
export function transferUpload(name: string, asked: AdmittedCall, deps: FacebookOptions): SandboxAnswer {
  const upload = ownUpload(name, asked, deps);
  if (upload === null) return unsupported('post', name);
  const { bytes } = asked.request;
  const offset = wholeOf(asked.request.header('file_offset'));
  const came = cameOf(upload, deps);
  if (upload.file !== null) return json(200, { h: handleOf(upload) });
  if (offset !== came || bytes.length === 0 || offset + bytes.length > upload.size)
    return graphError({
      code: 100,
      message: `(#100) The header file_offset must be ${came}, and the bytes those from there on.`,
    });
  deps.files.write(upload.uploadId, offset, bytes);
  if (offset + bytes.length < upload.size) return json(200, { id: name, file_offset: offset + bytes.length });
  uploadsOf(deps).put(upload.id, { ...upload, file: deps.files.seal(upload.uploadId) });
  return json(200, { h: handleOf(upload) });
}

/** GET /upload:{id}: the offset at which to continue. */
export function readUpload(name: string, asked: AdmittedCall, deps: FacebookOptions): SandboxAnswer {
  const upload = ownUpload(name, asked, deps);
  return upload === null ? unsupported('get', name) : json(200, { id: name, file_offset: cameOf(upload, deps) });
}
