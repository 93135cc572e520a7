import { expect, test } from 'vitest';
import { jsonAnswer, scriptedNetwork, type Scripted } from '#testing/scripted-network.ts';
import { publicationOf } from '#testing/publication.ts';
import { createThreadsAdapter } from './adapter.ts';

const READY_AT = Date.UTC(2026, 10, 20, 12);
const adapter = createThreadsAdapter({
  ...{ api: 'https://threads.test', authorize: 'https://threads.test/a', site: 'https://threads.test' },
  ...{ hosts: {}, clientId: 'c', clientSecret: 's' },
});
const notFound = jsonAnswer(400, { error: { message: 'm', code: 24, error_subcode: 4279009 } });
const container = (status: string) => jsonAnswer(200, { id: 'c1', status });
const listed = (...posts: object[]) => jsonAnswer(200, { data: posts });
const goesOn = (...posts: object[]) =>
  jsonAnswer(200, { data: posts, paging: { cursors: { after: 'c' }, next: 'https://threads.test/next' } });
const own = { id: 'm9', text: 'Hello', media_type: 'TEXT_POST', timestamp: '2026-11-20T12:00:01+0000' };
const handleOf = (readyAt: number | null) =>
  JSON.stringify({
    version: 1,
    kind: 'TEXT',
    children: [],
    finished: 0,
    container: 'c1',
    since: READY_AT,
    ...(readyAt !== null && { readyAt }),
  });

/** What publishing answers `afterMs` after the container was first seen to be ready. */
async function publish(readyAt: number | null, afterMs: number, ...script: Scripted[]) {
  const network = scriptedNetwork(notFound, ...script);
  const publication = publicationOf({ http: network.http, accountId: '178', now: READY_AT + afterMs });
  return { answer: await adapter.publish(publication, handleOf(readyAt)), asked: network.asked };
}

test('a ready container that is still not found half a minute later is left for a new one', async () => {
  const { answer, asked } = await publish(READY_AT, 30_000, container('FINISHED'), listed({ ...own, text: 'Other' }));
  expect(answer).toMatchObject({
    kind: 'failed',
    handle: null,
    failure: { reason: 'platform_problem', retry: 'later' },
  });
  expect(asked.map(({ url }) => new URL(url).pathname)).toEqual([
    '/v1.0/178/threads_publish',
    '/v1.0/c1',
    '/v1.0/me/threads',
  ]);
});

test.each<[string, number | null, number]>([
  ['was ready only just now', READY_AT, 29_999],
  ['was prepared by an older release', null, 60_000],
])('a container is kept that is not found and %s', async (_name, readyAt, afterMs) => {
  const { answer, asked } = await publish(readyAt, afterMs);
  expect(answer).toMatchObject({ kind: 'unknown', ifAbsent: { reason: 'platform_problem', retry: 'later' } });
  expect(asked).toHaveLength(1);
});

test.each<[string, readonly Scripted[]]>([
  ['the container is published', [container('PUBLISHED')]],
  ['the container can not be read', [{ cut: 'after' }]],
  ['the list has a post that says the same', [container('FINISHED'), listed(own)]],
  ['the list can not be read', [container('FINISHED'), { cut: 'after' }]],
  ['the list goes on', [container('FINISHED'), goesOn({ ...own, text: 'Other' })]],
])('nothing is made anew while an earlier call may have gone through: %s', async (_name, script) => {
  const { answer } = await publish(READY_AT, 60_000, ...script);
  expect(answer.kind).toBe('unknown');
});

test('the instant at which a container was first ready is kept when it is looked at again', async () => {
  const network = scriptedNetwork(container('FINISHED'));
  const publication = publicationOf({ http: network.http, now: READY_AT + 40_000 });
  const answer = await adapter.prepare(publication, handleOf(READY_AT));
  expect(answer).toMatchObject({ kind: 'ready', handle: handleOf(READY_AT) });
});
