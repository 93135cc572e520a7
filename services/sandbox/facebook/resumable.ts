import { json, type SandboxAnswer } from '../exchange.ts';
import type { SandboxFile } from '../files/files.ts';
import { shelf } from '../store/store.ts';
import { wholeOf, type AdmittedCall, type FacebookOptions } from './page-request.ts';
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
export function uploadedFile(handle: string, options: FacebookOptions): SandboxFile | null {
  const id = Buffer.from(handle.replace(/^4:/, ''), 'base64url').toString('latin1');
  return /^\d{1,19}$/.test(id) ? (uploadsOf(options).get(id)?.file ?? null) : null;
}

/** POST /{app}/uploads */
export function startUpload({ parameters, holder }: AdmittedCall, options: FacebookOptions): SandboxAnswer {
  if (holder.token.subject !== 'person') return noPermission();
  const size = wholeOf(parameters.get('file_length'));
  if (size < 1 || size > mostBytesOf('session'))
    return parameterError('(#100) Param file_length must be the size of the file in bytes.');
  if (!TYPES.includes(parameters.get('file_type') ?? ''))
    return parameterError(`(#100) Param file_type must be one of {${TYPES.join(', ')}}`);
  const upload: Upload = {
    id: options.remoteIds.next(),
    accountId: holder.account.accountId,
    uploadId: options.files.open(),
    size,
    file: null,
  };
  uploadsOf(options).put(upload.id, upload);
  return json(200, { id: PREFIX + upload.id });
}

function ownUpload(name: string, { holder }: AdmittedCall, options: FacebookOptions): Upload | null {
  const upload = name.startsWith(PREFIX) ? uploadsOf(options).get(name.slice(PREFIX.length)) : null;
  return upload?.accountId === holder.account.accountId && holder.token.subject === 'person' ? upload : null;
}

const cameOf = ({ uploadId, file }: Upload, { files }: FacebookOptions): number => file?.bytes ?? files.size(uploadId);

/** POST /upload:{id}: the bytes from the header `file_offset` on. */
export function transferUpload(name: string, call: AdmittedCall, options: FacebookOptions): SandboxAnswer {
  const upload = ownUpload(name, call, options);
  if (upload === null) return unsupported('post', name);
  const { bytes } = call.request;
  const offset = wholeOf(call.request.header('file_offset'));
  const came = cameOf(upload, options);
  if (upload.file !== null) return json(200, { h: handleOf(upload) });
  if (offset !== came || bytes.length === 0 || offset + bytes.length > upload.size)
    return graphError({
      code: 100,
      message: `(#100) The header file_offset must be ${came}, and the bytes those from there on.`,
    });
  options.files.write(upload.uploadId, offset, bytes);
  if (offset + bytes.length < upload.size) return json(200, { id: name, file_offset: offset + bytes.length });
  uploadsOf(options).put(upload.id, { ...upload, file: options.files.seal(upload.uploadId) });
  return json(200, { h: handleOf(upload) });
}

/** GET /upload:{id}: the offset at which to continue. */
export function readUpload(name: string, call: AdmittedCall, options: FacebookOptions): SandboxAnswer {
  const upload = ownUpload(name, call, options);
  return upload === null ? unsupported('get', name) : json(200, { id: name, file_offset: cameOf(upload, options) });
}
