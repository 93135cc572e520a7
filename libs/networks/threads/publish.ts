import type { Failure, NetworkAdapter, NetworkEndpoints, PrepareAnswer, Publication, PublishAnswer } from '../adapter.ts';
import { call, form, saidBy, textAt, type Called } from '../call.ts';
import { CALL_TIMEOUT_MS, LOOKUP_TIMEOUT_MS, PUBLISH_TIMEOUT_MS, TROUBLE_DELAY_MS, type AdapterOptions } from '../waits.ts';
import { bearer, readContainer } from './container.ts';
import { containerFailureOf, failureOf, type ThreadsStep } from './errors.ts';
import { reconcileThreads } from './reconcile.ts';

/** Between two looks at a container of text, which is ready within moments. */
const TEXT_POLL_MS = 2_000;

/** Threads: a container is made, becomes ready, and is published; it can be published once only, whoever asks how often. */
export function createThreadsAdapter(endpoints: NetworkEndpoints, options: AdapterOptions = {}): NetworkAdapter {
  const { api } = endpoints;
  const publishTimeoutMs = options.publishTimeoutMs ?? PUBLISH_TIMEOUT_MS;
  const pollMs = TEXT_POLL_MS * (options.waitFactor ?? 1);
  return {
    network: 'threads',
    publishTimeoutMs,
    prepare: (publication, handle) => (handle === null ? create(api, pollMs, publication) : look(api, pollMs, publication, handle, 'may-expire')),
    publish: (publication, handle) => {
      if (handle === null) throw new Error('threads publishes containers; there is none');
      return publish(api, publishTimeoutMs, publication, handle);
    },
    reconcile: (publication, armed) => reconcileThreads(api, publication, armed),
  };
}

/** A container that is made and then forgotten expires unseen, so this may be repeated at will. */
async function create(api: string, pollMs: number, publication: Publication): Promise<PrepareAnswer> {
  if (publication.placement !== 'feed') {
    const detail = 'Threads has no Stories.';
    return { kind: 'failed', failure: { reason: 'rejected_by_platform', detail, retry: 'never' }, said: { status: 0, detail } };
  }
  const { headers, body } = form({ media_type: 'TEXT', text: publication.text });
  const called = await call(publication.http, {
    method: 'POST',
    url: `${api}/v1.0/${encodeURIComponent(publication.accountId)}/threads`,
    headers: { ...headers, ...bearer(publication) },
    body,
    timeoutMs: CALL_TIMEOUT_MS,
  });
  const handle = called.kind === 'answered' && called.status === 200 ? textAt(called.json, 'id') : null;
  if (handle === null) return failed(called, 'create', publication);
  return look(api, pollMs, publication, handle, 'new');
}

async function look(api: string, pollMs: number, publication: Publication, handle: string, age: 'new' | 'may-expire'): Promise<PrepareAnswer> {
  const { status, errorMessage, called } = await readContainer(api, publication, handle);
  const said = saidBy(called, status === null ? '' : `container ${handle} is ${status}`, [publication.accessToken]);
  // A published one is handed on as ready: publishing it again does nothing, and reconciling then tells that it is live.
  if (status === 'FINISHED' || status === 'PUBLISHED') return { kind: 'ready', handle, said };
  if (status === 'IN_PROGRESS') return { kind: 'wait', handle, delayMs: pollMs, said };
  if (status === 'ERROR') return { kind: 'failed', failure: containerFailureOf(errorMessage), said };
  if (status === 'EXPIRED') return age === 'new' ? { kind: 'wait', handle, delayMs: TROUBLE_DELAY_MS, said } : create(api, pollMs, publication);
  const answer = failed(called, 'container', publication);
  const { failure } = answer;
  // Losing sight of a container is no reason to lose it.
  return failure.retry === 'later' ? { kind: 'wait', handle, delayMs: failure.delayMs ?? TROUBLE_DELAY_MS, said: answer.said } : answer;
}

async function publish(api: string, timeoutMs: number, publication: Publication, handle: string): Promise<PublishAnswer> {
  const { headers, body } = form({ creation_id: handle });
  const called = await call(publication.http, {
    method: 'POST',
    url: `${api}/v1.0/${encodeURIComponent(publication.accountId)}/threads_publish`,
    headers: { ...headers, ...bearer(publication) },
    body,
    timeoutMs,
  });
  const remoteId = called.kind === 'answered' && called.status === 200 ? textAt(called.json, 'id') : null;
  if (remoteId !== null) {
    const permalink = await permalinkOf(api, publication, remoteId);
    return { kind: 'published', remoteId, permalink, said: saidBy(called, `published as ${remoteId}`) };
  }
  const { failure, said } = failed(called, 'publish', publication);
  if (called.kind === 'lost') return called.sent ? { kind: 'unknown', said } : { kind: 'failed', failure, said };
  // No error here is proof: Threads has answered HTTP 500 with a permission error to posts that went live.
  return { kind: 'unknown', ifAbsent: failure, said };
}

/** Nice to have: it never changes what became of a Variant. */
async function permalinkOf(api: string, publication: Publication, remoteId: string): Promise<string | null> {
  const url = `${api}/v1.0/${encodeURIComponent(remoteId)}?fields=id,permalink`;
  const called = await call(publication.http, { method: 'GET', url, headers: bearer(publication), timeoutMs: LOOKUP_TIMEOUT_MS });
  return called.kind === 'answered' && called.status === 200 ? textAt(called.json, 'permalink') : null;
}

function failed(called: Called, step: ThreadsStep, publication: Publication): Extract<PrepareAnswer, { kind: 'failed' }> {
  const failure: Failure =
    called.kind === 'lost'
      ? { reason: 'platform_problem', retry: 'later', delayMs: TROUBLE_DELAY_MS, detail: called.message }
      : failureOf(called, step);
  const said = saidBy(called, failure.detail, [publication.accessToken]);
  return { kind: 'failed', failure: { ...failure, detail: said.detail }, said };
}
