import { describe, expect, test } from 'vitest';
import { jsonAnswer, scriptedNetwork, type Scripted } from '#testing/scripted-network.ts';
import { publicationOf } from '#testing/publication.ts';
import type { Publication } from '../adapter.ts';
import { createThreadsAdapter } from './publish.ts';

const ARMED_AT = Date.UTC(2026, 10, 20, 12);
const adapter = createThreadsAdapter({ api: 'https://threads.test', authorize: 'https://threads.test/a', site: 'https://threads.test', hosts: {}, clientId: 'c', clientSecret: 's' });

function publicationOn(http: Publication['http'], more: Partial<Publication> = {}): Publication {
  return publicationOf({ http, accessToken: 'token-1', accountId: '178', username: 'ada', placement: 'feed', text: 'Hello & 見て', now: ARMED_AT, ...more });
}

const id = (value: string) => jsonAnswer(200, { id: value });
const container = (status: string, more: object = {}) => jsonAnswer(200, { id: 'c1', status, ...more });
const refused = (status: number, code: number, subcode?: number) => jsonAnswer(status, { error: { message: 'm', code, ...(subcode === undefined ? {} : { error_subcode: subcode }) } });
const listed = (...posts: object[]) => jsonAnswer(200, { data: posts });
const own = (postId: string, text = 'Hello & 見て', more: object = {}) => ({ id: postId, text, media_type: 'TEXT_POST', permalink: `https://t/${postId}`, timestamp: '2026-11-20T12:00:01+0000', ...more });

describe('preparing', () => {
  const prepare = async (handle: string | null, ...script: Scripted[]) => {
    const network = scriptedNetwork(...script);
    const answer = await adapter.prepare(publicationOn(network.http), handle);
    return { answer, asked: network.asked };
  };

  test('a container is made without being published, and is ready when it is finished', async () => {
    const { answer, asked } = await prepare(null, id('c1'), container('FINISHED'));
    expect(answer).toMatchObject({ kind: 'ready', handle: 'c1' });
    expect(asked[0]).toMatchObject({ method: 'POST', url: 'https://threads.test/v1.0/178/threads', headers: { authorization: 'Bearer token-1' } });
    expect(Object.fromEntries(new URLSearchParams(String(asked[0]?.body)))).toEqual({ media_type: 'TEXT', text: 'Hello & 見て' });
    expect(asked[1]?.url).toBe('https://threads.test/v1.0/c1?fields=id,status,error_message');
  });

  test.each<[string, readonly Scripted[], object]>([
    ['one in progress is waited for', [container('IN_PROGRESS')], { kind: 'wait', handle: 'c1', delayMs: 2_000 }],
    ['one that can not be seen yet is kept', [refused(400, 100, 33)], { kind: 'wait', handle: 'c1' }],
    ['one that can not be read for trouble is kept', [{ cut: 'after' }], { kind: 'wait', handle: 'c1' }],
    ['one in error fails', [container('ERROR', { error_message: 'UNKNOWN' })], { kind: 'failed', failure: { reason: 'platform_problem', retry: 'later' } }],
    ['one that is published already is handed on', [container('PUBLISHED')], { kind: 'ready', handle: 'c1' }],
    ['an expired one is made anew', [container('EXPIRED'), id('c2'), container('FINISHED')], { kind: 'ready', handle: 'c2' }],
    ['a dead token is told', [refused(500, 190)], { kind: 'failed', failure: { reason: 'needs_reconnect', retry: 'refresh' } }],
  ])('%s', async (_name, script, expected) => {
    expect((await prepare('c1', ...script)).answer).toMatchObject(expected);
  });

  test.each<[string, Scripted, object]>([
    ['a lost answer', { cut: 'after' }, { reason: 'platform_problem', retry: 'later' }],
    ['no permission', refused(500, 10), { reason: 'needs_reconnect', retry: 'afterReconnect' }],
    ['a refused text', refused(500, 100), { reason: 'rejected_by_platform', retry: 'never' }],
    ['an answer without an id', jsonAnswer(200, {}), { reason: 'platform_problem', retry: 'later' }],
  ])('making one meets %s', async (_name, scripted, failure) => {
    expect((await prepare(null, scripted)).answer).toMatchObject({ kind: 'failed', failure });
  });

  test('there are no Stories', async () => {
    expect(await adapter.prepare(publicationOn(scriptedNetwork().http, { placement: 'story' }), null)).toMatchObject({ kind: 'failed', failure: { retry: 'never' } });
  });
});

describe('publishing', () => {
  const publish = async (...script: Scripted[]) => {
    const network = scriptedNetwork(...script);
    const answer = await adapter.publish(publicationOn(network.http), 'c1');
    return { answer, asked: network.asked };
  };

  test('the container goes live, and its permalink is looked up', async () => {
    const { answer, asked } = await publish(id('m1'), jsonAnswer(200, { id: 'm1', permalink: 'https://www.threads.net/@ada/post/x' }));
    expect(answer).toMatchObject({ kind: 'published', remoteId: 'm1', permalink: 'https://www.threads.net/@ada/post/x' });
    expect(asked[0]).toMatchObject({ method: 'POST', url: 'https://threads.test/v1.0/178/threads_publish', body: 'creation_id=c1', timeoutMs: 60_000 });
  });

  test.each<Scripted>([{ cut: 'after' }, refused(500, 1), refused(400, 100), jsonAnswer(200, {})])('a permalink that can not be had changes nothing (%j)', async (scripted) => {
    expect((await publish(id('m1'), scripted)).answer).toMatchObject({ kind: 'published', remoteId: 'm1', permalink: null });
  });

  test.each<[string, Scripted, object | undefined]>([
    ['a lost answer', { cut: 'after' }, undefined],
    ['code 10, as posts that went live have met', refused(500, 10), { reason: 'needs_reconnect', retry: 'afterReconnect' }],
    ['code 1', refused(500, 1), { reason: 'platform_problem', retry: 'later' }],
    ['code 190', refused(500, 190), { reason: 'needs_reconnect', retry: 'refresh' }],
    ['a limit', refused(400, 4), { reason: 'rate_limited', retry: 'later' }],
    ['spam', refused(400, 24, 2207051), { reason: 'rejected_by_platform', retry: 'never' }],
    ['media not found', refused(400, 24, 4279009), { reason: 'platform_problem', retry: 'later' }],
    ['an answer without an id', jsonAnswer(200, {}), { reason: 'platform_problem' }],
  ])('%s leaves it unknown, and says what holds if it proves absent', async (_name, scripted, ifAbsent) => {
    const { answer, asked } = await publish(scripted);
    expect(answer.kind).toBe('unknown');
    if (ifAbsent === undefined) expect(answer).not.toHaveProperty('ifAbsent');
    else expect(answer).toMatchObject({ ifAbsent });
    expect(asked).toHaveLength(1);
  });

  test('a connection never made certainly published nothing', async () => {
    expect((await publish({ cut: 'before' })).answer).toMatchObject({ kind: 'failed', failure: { reason: 'platform_problem', retry: 'later' } });
  });

  test('publishing without a container is a programming error', () => {
    expect(() => adapter.publish(publicationOn(scriptedNetwork().http), null)).toThrow();
  });
});

describe('reconciling by the container', () => {
  const reconcile = async (asked: number, ...script: Scripted[]) => {
    const network = scriptedNetwork(...script);
    const publication = publicationOn(network.http, { now: ARMED_AT + 70_000 });
    return adapter.reconcile(publication, { handle: 'c1', armedAt: ARMED_AT, asked });
  };

  test.each<[string, number, readonly Scripted[], object]>([
    ['published and listed', 0, [container('PUBLISHED'), listed(own('m8', 'other'), own('m9'))], { kind: 'published', remoteId: 'm9', permalink: 'https://t/m9' }],
    ['published, not listed yet', 0, [container('PUBLISHED'), listed()], { kind: 'unknown', delayMs: 5_000 }],
    ['published, never listed', 4, [container('PUBLISHED'), listed()], { kind: 'published', remoteId: 'c1', permalink: null }],
    ['published, listed twice', 0, [container('PUBLISHED'), listed(own('m8'), own('m9'))], { kind: 'published', remoteId: 'c1', permalink: null }],
    ['published, an older twin beside it', 0, [container('PUBLISHED'), listed(own('m9'), own('m1', undefined, { timestamp: '2026-11-20T10:00:00+0000' }))], { kind: 'published', remoteId: 'm9' }],
    ['finished', 0, [container('FINISHED')], { kind: 'absent' }],
    ['in progress', 0, [container('IN_PROGRESS')], { kind: 'unknown', delayMs: 5_000 }],
    ['expired', 0, [container('EXPIRED')], { kind: 'failed', failure: { reason: 'platform_problem', retry: 'later' } }],
    ['in error', 0, [container('ERROR', { error_message: 'INVALID_DURATION' })], { kind: 'failed', failure: { reason: 'media_problem' } }],
    ['not to be seen, at first', 0, [refused(400, 100, 33)], { kind: 'unknown', delayMs: 5_000 }],
    ['not to be seen, but in the list', 3, [refused(400, 100, 33), listed(own('m9'))], { kind: 'published', remoteId: 'm9' }],
    ['not to be seen, nor in the list', 3, [refused(400, 100, 33), listed()], { kind: 'unknown', delayMs: expect.any(Number) }],
    ['not to be seen, twice in the list', 3, [refused(400, 100, 33), listed(own('m8'), own('m9'))], { kind: 'unknown', delayMs: null }],
    ['behind a dead token', 5, [refused(500, 190)], { kind: 'unknown', tokenRefused: true }],
    ['behind a limit', 0, [refused(400, 4)], { kind: 'unknown', delayMs: 600_000 }],
    ['behind a lost answer', 0, [{ cut: 'after' }], { kind: 'unknown', delayMs: 5_000 }],
  ])('%s', async (_name, asked, script, expected) => {
    expect(await reconcile(asked, ...script)).toMatchObject(expected);
  });
});
