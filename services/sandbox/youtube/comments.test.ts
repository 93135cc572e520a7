import { describe, expect, test } from 'vitest';
import type { SandboxHarness, SignedIn } from '../sandbox.fixture.ts';
import {
  fault,
  get,
  live,
  managedYoutube,
  metadata,
  send,
  signInYoutube,
  uploaded,
  youtube,
} from './youtube.fixture.ts';

/** Longer than a comment takes to appear in lists. */
const LISTED_MS = 100;

const thread = (videoId: string, textOriginal: string) => ({
  snippet: { videoId, topLevelComment: { snippet: { textOriginal } } },
});
const comment = (harness: SandboxHarness, who: SignedIn, videoId: string, text: string) =>
  send(harness, who, 'commentThreads', thread(videoId, text));
const listed = (harness: SandboxHarness, who: SignedIn, videoId: string, more: object = {}) =>
  get(harness, who, 'commentThreads', { part: 'snippet', videoId, maxResults: '100', ...more });

describe('a comment on a video of the channel', () => {
  test('is on the item, with an address of its own', async () => {
    const { harness, who } = await managedYoutube();
    const id = await uploaded(harness, who);
    const { status, body } = await comment(harness, who, id, 'First <b>');
    expect([status, body.kind, body.id]).toEqual([200, 'youtube#commentThread', expect.stringMatching(/^Ug/)]);
    expect(body.snippet.topLevelComment).toMatchObject({
      kind: 'youtube#comment',
      id: body.id,
      snippet: { textOriginal: 'First <b>', textDisplay: 'First &lt;b&gt;', authorChannelId: { value: who.accountId } },
    });
    const [item] = await live(harness);
    expect(item.comments).toEqual([
      {
        remoteId: body.id,
        text: 'First <b>',
        publishedAt: '2026-11-20T12:00:00.000Z',
        permalink: `http://sandbox.test/sim/youtube/watch?v=${id}&lc=${body.id}`,
      },
    ]);
    expect((await harness.ask('GET', item.comments[0].permalink)).status).toBe(200);
  });

  test('is listed after a while, newest first, by pages', async () => {
    const { harness, who } = await managedYoutube();
    const id = await uploaded(harness, who);
    for (const text of ['one', 'two', 'three']) {
      await comment(harness, who, id, text);
      await harness.clock.advance(1);
    }
    expect((await listed(harness, who, id)).body.items).toEqual([]);
    await harness.clock.advance(LISTED_MS);
    const textsOf = (body: any) => body.items.map((item: any) => item.snippet.topLevelComment.snippet.textOriginal);
    const first = (await listed(harness, who, id, { maxResults: '2' })).body;
    const second = (await listed(harness, who, id, { maxResults: '2', pageToken: first.nextPageToken })).body;
    expect([textsOf(first), textsOf(second), second.nextPageToken]).toEqual([['three', 'two'], ['one'], undefined]);
  });

  test('is a call that faults can cut after it was made', async () => {
    const { harness, who } = await managedYoutube();
    const id = await uploaded(harness, who);
    await fault(harness, '5xx_after_commit', { call: 'commentThreads.insert' });
    expect((await comment(harness, who, id, 'First')).status).toBe(500);
    expect((await live(harness))[0].comments).toHaveLength(1);
  });

  test('is refused where there can be none', async () => {
    const { harness, who } = await managedYoutube();
    const other = await signInYoutube(harness);
    const [own, foreign] = [await uploaded(harness, who), await uploaded(harness, other)];
    const forKids = await uploaded(harness, who, 'reel', metadata({}, { selfDeclaredMadeForKids: true }));
    for (const [body, status, reason] of [
      [{ snippet: { topLevelComment: { snippet: { textOriginal: 'a' } } } }, 400, 'channelOrVideoIdMissing'],
      [thread(own, ' '), 400, 'commentTextRequired'],
      [thread(own, 'a'.repeat(10_001)), 400, 'commentTextTooLong'],
      [thread('nowhere0000', 'a'), 404, 'videoNotFound'],
      [thread(foreign, 'a'), 404, 'videoNotFound'],
      [thread(forKids, 'a'), 403, 'commentsDisabled'],
      [{ snippet: { ...thread(own, 'a').snippet, text: 'a' } }, 400, 'badRequest'],
    ] as const) {
      expect(await send(harness, who, 'commentThreads', body)).toMatchObject({
        status,
        body: { error: { errors: [{ reason }] } },
      });
    }
    expect((await live(harness)).flatMap(({ comments }) => comments)).toEqual([]);
  });

  test('needs the scope youtube.force-ssl, to write and to read', async () => {
    const { harness, who } = await youtube();
    const id = await uploaded(harness, who);
    for (const answer of [await comment(harness, who, id, 'a'), await listed(harness, who, id)])
      expect(answer).toMatchObject({
        status: 403,
        body: { error: { errors: [{ reason: 'insufficientPermissions' }] } },
      });
  });
});
