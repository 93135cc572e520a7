import { isRecord, type SandboxAnswer, type Incoming } from '../exchange.ts';
import type { SimulatorCall } from '../simulator.ts';
import { accountCall, type AccountCallOptions, type SentCall } from './account-call.ts';
import type { AccountCall } from './calls.ts';
import {
  appendSegment,
  describeMedia,
  finalizeUpload,
  initializeUpload,
  uploadStatus,
  uploadWhole,
  type UploadAnnouncement,
} from './media.ts';
import type { MediaCallOptions } from './medium.ts';
import { invalid } from './problems.ts';

function announcedBy(fields: URLSearchParams): UploadAnnouncement {
  const size = fields.get('total_bytes') ?? '';
  return {
    media_category: fields.get('media_category'),
    media_type: fields.get('media_type'),
    total_bytes: /^\d{1,15}$/.test(size) ? Number(size) : size,
  };
}

/**
 * POST /2/media/upload: an image in one piece; or, in the older form, one of the three steps of an upload by its
 * `command`.
 */
function uploadOrCommand(
  query: URLSearchParams,
  { bytes, fields }: SentCall,
  options: MediaCallOptions,
): SandboxAnswer {
  const given = new URLSearchParams([...query, ...fields]);
  const id = given.get('media_id') ?? '';
  const command = given.get('command');
  switch (command) {
    case null:
      return uploadWhole(bytes, given, options);
    case 'INIT':
      return initializeUpload(announcedBy(given), options);
    case 'APPEND':
      return appendSegment(id, bytes, given.get('segment_index') ?? '', options);
    case 'FINALIZE':
      return finalizeUpload(id, options);
    default:
      return invalid('$.command: does not have a value in the enumeration [INIT, APPEND, FINALIZE]', {
        command: [command.slice(0, 60)],
      });
  }
}

function announcedIn(request: Incoming): UploadAnnouncement {
  const body = request.json();
  return isRecord(body) ? body : {};
}

/** The calls below /2/media; null: there is none at this address. */
export function mediaCall(
  request: Incoming,
  path: readonly string[],
  options: AccountCallOptions,
): SimulatorCall | null {
  const call = (name: AccountCall, work: (media: MediaCallOptions, sent: SentCall) => SandboxAnswer): SimulatorCall =>
    accountCall(request, name, options, ({ account }, sent) =>
      work({ ...options, account, now: options.clock.now(), fault: sent.fault }, sent),
    );
  const [first, second, third] = path;
  switch (`${request.method} ${path.join('/')}`) {
    case 'POST upload':
      return call('media.upload', (media, sent) => uploadOrCommand(request.query, sent, media));
    case 'GET upload':
      return call('media.status', (media) => uploadStatus(request.query, media));
    case 'POST upload/initialize':
      return call('media.initialize', (media) => initializeUpload(announcedIn(request), media));
    case 'POST metadata':
      return call('media.metadata', (media) => describeMedia(request, media));
  }
  if (request.method !== 'POST' || first !== 'upload' || second === undefined || path.length !== 3) return null;
  if (third === 'append')
    return call('media.append', (media, { bytes, fields }) =>
      appendSegment(second, bytes, fields.get('segment_index') ?? '', media),
    );
  return third === 'finalize' ? call('media.finalize', (media) => finalizeUpload(second, media)) : null;
}
