import { POOLS } from '#domain/pool.ts';
import { counts, event, failure, observes, repeatedWarning, retried } from '../event.ts';
import { flag, id, milliseconds, name, number, optional, text, word } from '../fact.ts';
import { counter, gauge, histogram, REQUEST_SECONDS } from '../metric.ts';

const requestDuration = histogram(
  'crier_http_request_duration_seconds',
  'Time to answer a request of the REST API',
  REQUEST_SECONDS,
  ['operation', 'status_class'],
);
const rateLimited = counter(
  'crier_requests_rate_limited_total',
  'Requests refused because their credential had used up its rate limit',
);
const replayed = counter(
  'crier_idempotent_replays_total',
  'Requests with an Idempotency-Key that were answered with the Post of the first request',
);
const uploads = counter('crier_uploads_received_total', 'Files that arrived whole at their upload address');
const uploadBytes = counter('crier_upload_bytes_total', 'Bytes of the files that arrived whole');
const poolRejections = counter(
  'crier_pool_rejections_total',
  'Work that was refused because a pool that Workspaces share was full. ' +
    'limit: the holder whose share was used up, account: the Workspaces of one owner; all: the whole pool was in use',
  ['pool', 'limit'],
);
const poolWaits = histogram(
  'crier_pool_wait_seconds',
  'Time that work waited for a permit of a pool that Workspaces share, where it waited and got one',
  [0.01, 0.05, 0.25, 1, 5, 30, 120, 600],
  ['pool'],
);
const addressesRateLimited = counter(
  'crier_addresses_rate_limited_total',
  'Addresses of files that were not inspected because their Workspace had used up its rate limit',
);
const slowClients = counter(
  'crier_slow_clients_disconnected_total',
  'Clients that were disconnected because they sent or took too few bytes a second',
  ['pool'],
);

export const REQUEST_EVENTS = {
  'request-served': event({
    level: 'debug',
    isAccess: true,
    // Answers that say that Crier could not do its work.
    warnsWhen: ['code', ['unavailable', 'outcome_unknown']],
    help: 'A request of the REST API was answered',
    facts: {
      operation: name,
      code: name,
      statusClass: name,
      replayed: flag,
      durationMs: milliseconds,
      requestId: id,
      traceId: optional(id),
      /** What the client called its request, where that can not be the id of ours. */
      clientRequestId: optional(text),
      /** Of the command that it sent, where the client chose the request's id. */
      commandId: optional(id),
      workspaceId: optional(id),
      /** Of the Post that it is about. */
      postId: optional(id),
      keyId: optional(id),
      approvalId: optional(id),
      client: optional(id),
      /** Of an engine, for operators only. */
      detail: optional(text),
    },
    feeds: [
      observes(requestDuration, 'durationMs'),
      counts(rateLimited, { when: ['code', 'rate_limited'] }),
      counts(replayed, { when: ['replayed', true] }),
    ],
  }),
  'file-received': event({
    level: 'debug',
    help: 'An uploaded file arrived whole and was stored',
    facts: { assetId: id, bytes: number, blob: id },
    feeds: [counts(uploads), counts(uploadBytes, { value: 'bytes' })],
  }),
  'pool-saturated': repeatedWarning({
    help: 'Work was refused because a pool that Workspaces share was full',
    facts: {
      pool: word(...POOLS),
      limit: word('workspace', 'account', 'client', 'upload', 'host', 'all'),
      workspaceId: optional(id),
      assetId: optional(id),
      client: optional(id),
    },
    feeds: [counts(poolRejections)],
  }),
  'pool-permit-waited': event({
    level: 'debug',
    isWritten: false,
    help: 'A piece of work waited for a permit of a pool that Workspaces share, and got it',
    facts: { pool: word(...POOLS), waitedMs: milliseconds },
    feeds: [observes(poolWaits, 'waitedMs')],
  }),
  'addresses-rate-limited': repeatedWarning({
    help: 'Addresses of files were not inspected because their Workspace had used up its rate limit',
    facts: { addresses: number, workspaceId: id },
    feeds: [counts(addressesRateLimited, { value: 'addresses' })],
  }),
  'slow-client-disconnected': repeatedWarning({
    help: 'A client that sent or took too few bytes a second was disconnected, which frees its slot of the pool, or the memory of its answers',
    facts: {
      pool: word('uploads', 'media-reads', 'answers'),
      client: optional(id),
      workspaceId: optional(id),
      assetId: optional(id),
      blob: optional(id),
    },
    feeds: [counts(slowClients)],
  }),
};

export const REQUEST_FAILURES = {
  'request-failed': failure('A defect: a request of the REST API ended with an unexpected error', {
    operation: optional(name),
    requestId: optional(id),
  }),
  'person-request-failed': failure('A request of a person that a Network passed on ended with an unexpected error', {
    network: name,
  }),
  'connect-page-failed': failure('A page of connecting a Channel ended with an unexpected error', {
    network: optional(name),
  }),
  'media-response-failed': retried('A media file could not be read to its end, and its response was cut short', {
    blob: id,
  }),
  'blob-delete-failed': retried('A file that is not needed could not be deleted; the orphan scan finds it', {
    blob: id,
  }),
};

export const REQUEST_GAUGES = {
  poolPermits: gauge(
    'crier_pool_permits',
    'Permits of the pools that Workspaces share, in this process. held: in use; free: not; wanted: work that waits for one',
    ['pool', 'state'],
  ),
  httpRequestsInFlight: gauge(
    'crier_http_requests_in_flight',
    'Requests at the public address that are being answered now: of the API, MCP, uploads, files and pages, with streams that are open',
  ),
};
