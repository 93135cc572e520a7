import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Network } from '#domain/network.ts';
import type { OutcomeBody } from '#domain/workspace/events.ts';
import type { PostJson, VariantJson } from '#testing/crier-clients.ts';
import { CrierUnderTest, textChannels } from '#testing/crier-process.ts';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { until } from '#testing/until.ts';
import { createPost, fileOf, itemsOf, published, readPost, upload, type MediaItemJson } from './media-files.ts';
import { readFacts } from './stored-folder/stored-facts.ts';
import { expectedOf, openStored, storedFolders, type StoredInstallation } from './stored-folder/stored-installation.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Less than a Network is given for its own work: what was begun before such a leap does not seem stuck after it. */
const LEAP_MS = 5_000;

interface Letter {
  readonly eventId: string | null;
  readonly signature: string;
  readonly answered: string;
  readonly event: OutcomeBody;
}

/** The events among the newest 50 requests that came to an inbox of the sandbox; a registration sends it a GET. */
async function letters(crier: CrierUnderTest, inbox: string): Promise<readonly Letter[]> {
  const { body } = await crier.sandbox().send('GET', `/sandbox/inbox/${inbox}`);
  return body.letters
    .filter(({ method }: any) => method === 'POST')
    .map(({ body: event, ...letter }: any) => ({ ...letter, event: JSON.parse(event) }));
}

/** Moves the clock on, a leap at a time, until `look` finds something. */
function leapUntil<T>(
  crier: CrierUnderTest,
  { what, leapMs = LEAP_MS }: { readonly what: string; readonly leapMs?: number },
  look: () => Promise<T>,
): Promise<NonNullable<T>> {
  return until(
    async () => {
      const found = await look();
      if (!found) await crier.admin().advance(leapMs);
      return found;
    },
    { what, withinMs: 60_000, everyMs: 200 },
  );
}

async function advanceTo(crier: CrierUnderTest, at: string): Promise<void> {
  const now = Date.parse((await crier.admin().call('system.status')).now);
  await crier.admin().advance(Math.max(0, Date.parse(at) - now));
}

async function liveOn(crier: CrierUnderTest, text: string): Promise<readonly Network[]> {
  return (await itemsOf(crier, text)).map(({ network }) => network).toSorted();
}

const networksOf = ({ variants }: PostJson): readonly Network[] => variants.map(({ network }) => network).toSorted();
const isOver = ({ status }: VariantJson): boolean => status === 'published' || status === 'failed';

type PublishedItem = MediaItemJson & { readonly publishedAt: string };

interface VariantEnd extends VariantJson {
  readonly postId: string;
  /** How often it is live. */
  readonly live: number;
}

/** Once they have ended, the Variants of all Posts that Workspaces but the demo's wrote up to the kill. */
async function endsAfterKill(crier: CrierUnderTest, name: string): Promise<readonly VariantEnd[]> {
  const { busy, underWay } = expectedOf(name);
  const posts = await leapUntil(crier, { what: 'every Post of before the kill has ended' }, async () => {
    const lists = await Promise.all([...busy, ...underWay].map(({ apiKey }) => crier.api(apiKey).listPosts()));
    return lists.flat().every(({ variants }) => variants.every(isOver)) ? lists.flat() : null;
  });
  const items = await crier.sandbox().items();
  const live = (text: string, network: Network): number =>
    items.filter((item) => item.text === text && item.network === network).length;
  return posts.flatMap(({ id, text, variants }) =>
    variants.map((variant) => ({ ...variant, postId: id, live: live(text, variant.network) })),
  );
}

/** The owed events come to the endpoints of their Workspaces, signed and under their ids. */
async function expectOwedEvents(crier: CrierUnderTest, name: string): Promise<void> {
  const { owed, busy } = expectedOf(name);
  for (const { workspaceId, eventId, variantId } of owed.filter((each) => each.eventId !== null)) {
    const { inbox } = busy.find((each) => each.workspaceId === workspaceId)!.endpoint;
    const letter = await until(async () => (await letters(crier, inbox)).find((each) => each.eventId === eventId), {
      what: `${eventId} told`,
    });
    expect([letter.signature, letter.event.data.variant.id]).toEqual(['right', variantId]);
  }
}

describe.each(storedFolders())('a data folder that release %s left behind at a kill -9', (name) => {
  const expected = expectedOf(name);
  const { posts, facts } = expected;

  describe('opened a minute later', () => {
    let installation: StoredInstallation;
    let crier: CrierUnderTest;
    beforeAll(async () => {
      installation = await openStored(name, MINUTE_MS);
      ({ crier } = installation);
    });
    afterAll(() => installation?.[Symbol.asyncDispose]());

    test('shows the Posts, Channels, usage, endpoints and attempts that it showed, to its key', async () => {
      expect(crier.ready.demo).toMatchObject({ workspaceId: expected.workspaceId, apiKey: expected.apiKey });
      expect(await readFacts(crier.api(expected.apiKey))).toEqual(facts);
      expect((await crier.api(expected.revokedKey).send('GET', '/api/posts')).status).toBe(401);
    });

    test('completes an upload whose file had arrived, within its window', async () => {
      const { assetId, bytes } = expected.arrivedUpload;
      const completed = await crier.api().send('POST', `/api/media/${assetId}/complete`);
      expect([completed.status, completed.body.data]).toMatchObject([200, { assetId, bytes }]);
    });

    test(
      'publishes once what its heads owed and what was under way, and tells the events that they owed',
      { timeout: 300_000 },
      async () => {
        const ends = await endsAfterKill(crier, name);
        for (const { id, postId, network, status, failureReason, live } of ends) {
          const underWay = expected.underWay.find((each) => each.postId === postId);
          const due = underWay?.ends[network] === 'unconfirmed' ? ['unconfirmed', 0] : ['published', 1];
          expect([failureReason ?? status, live], id).toEqual(due);
        }
        const jobs = expected.owed.filter(({ eventId }) => eventId === null);
        expect(jobs.length, 'it owed jobs').toBeGreaterThan(0);
        expect(expected.owed.length, 'it owed events').toBeGreaterThan(jobs.length);
        const ended = new Set(ends.map(({ id }) => id));
        expect(expected.owed.filter(({ variantId }) => !ended.has(variantId))).toEqual([]);
        await expectOwedEvents(crier, name);
      },
    );

    test('delivers under the same id what waited for its next attempt', async () => {
      const { inbox, id, deliveryId, eventId } = expected.failing;
      await crier.sandbox().send('POST', `/sandbox/inbox/${inbox}`, { answer: '200' });
      await leapUntil(crier, { what: 'the waiting delivery has succeeded', leapMs: MINUTE_MS }, async () => {
        const endpoints = (await crier.api().send('GET', '/api/webhooks')).body.data;
        const { deliveries } = endpoints.find((each: any) => each.id === id);
        return deliveries.find((each: any) => each.id === deliveryId).state === 'succeeded';
      });
      const ofEvent = (await letters(crier, inbox)).filter((letter) => letter.eventId === eventId);
      expect(ofEvent.map(({ answered }) => answered).filter((answered) => answered === '200')).toHaveLength(1);
      expect(ofEvent.length, 'attempts of before are there').toBeGreaterThan(1);
    });

    test(
      'holds the parked key back until an operator has it retried; then its Post is published',
      { timeout: 300_000 },
      async () => {
        const { parked } = await crier.admin().call('parked.list');
        expect(parked).toMatchObject([
          { topic: 'media.jobs.v1', key: posts.parked, error: expect.stringContaining('last three processes') },
        ]);
        await crier.admin().call('parked.retry', { topic: 'media.jobs.v1', key: posts.parked });
        const post = await published(crier, posts.parked);
        expect(await liveOn(crier, post.text)).toEqual(networksOf(post));
      },
    );

    test('publishes a failed Variant when it is retried', async () => {
      const [variant] = (await readPost(crier, posts.failed)).variants;
      await crier.api().retryVariant(variant!.id);
      const post = await published(crier, posts.failed);
      expect(await liveOn(crier, post.text)).toEqual(['x']);
    });

    test('gives the first Post to its Idempotency-Key, and publishes nothing', async () => {
      const { text, variants } = await readPost(crier, posts.idempotent);
      const body = { text, channelIds: variants.map(({ channelId }) => channelId) };
      const headers = { 'idempotency-key': expected.idempotencyKey };
      const again = await crier.api().send('POST', '/api/posts', body, { headers });
      const replayed = again.headers.get('idempotent-replayed');
      expect([again.status, again.body.data.id, replayed]).toEqual([201, posts.idempotent, 'true']);
      expect(await liveOn(crier, text)).toEqual(variants.map(({ network }) => network).toSorted());
    });

    test(
      'takes a new Post for each of its Channels, with files that were uploaded before, and publishes it once',
      { timeout: 300_000 },
      async () => {
        const { youtube, ...others } = crier.ready.demo!.channels;
        // That release had no choice of who sees a post at TikTok, and this one makes none for a Member.
        await crier.admin().call('channels.setDefaults', {
          workspaceId: crier.ready.demo!.workspaceId,
          channelId: others['tiktok'],
          defaults: { privacy: 'public' },
        });
        const [unused, arrived] = [expected.unusedUpload, expected.arrivedUpload];
        const { contentType, bytes } = MEDIA_FIXTURES.reel;
        const reel = await upload(crier.api(), fileOf(contentType, Buffer.from(bytes)));
        const pictures = await createPost(crier, {
          text: 'New, with a picture',
          channelIds: Object.values(others),
          media: [{ assetId: unused.assetId }],
        });
        const picture = await createPost(crier, {
          text: 'New, with the one that had arrived',
          channelIds: [others['threads']],
          media: [{ assetId: arrived.assetId }],
        });
        const film = await createPost(crier, {
          text: 'New, with a film',
          channelIds: [youtube],
          media: [{ assetId: reel }],
        });
        for (const { id } of [pictures, picture, film]) {
          const post = await published(crier, id);
          expect(await liveOn(crier, post.text)).toEqual(networksOf(post));
        }
      },
    );

    test(
      'serves the stored file, and publishes scheduled Posts, that one with its file, at their times',
      { timeout: 300_000 },
      async () => {
        const { media } = await readPost(crier, posts.scheduledWithPicture);
        const { pathname, search } = new URL(media[0]!.url!);
        const served = await fetch(`${crier.ready.baseUrl}${pathname}${search}`);
        const { sha256 } = fileOf('image/jpeg', Buffer.from(await served.arrayBuffer()));
        expect([served.status, sha256]).toEqual([200, expected.picture.sha256]);
        for (const id of [posts.dueMeanwhile, posts.scheduledWithPicture]) {
          const scheduled = await readPost(crier, id);
          await advanceTo(crier, scheduled.at);
          await published(crier, id);
          expect(await liveOn(crier, scheduled.text)).toEqual(networksOf(scheduled));
          for (const { publishedAt } of (await itemsOf(crier, scheduled.text)) as readonly PublishedItem[]) {
            expect(Date.parse(publishedAt), 'not before its time').toBeGreaterThanOrEqual(Date.parse(scheduled.at));
          }
        }
        const [item] = await itemsOf(crier, 'A picture in two hours');
        expect(item!.media.map((each) => each.sha256)).toEqual([expected.picture.sha256]);
      },
    );

    test('cancels what is scheduled two years ahead', async () => {
      const [first, second] = posts.farAhead as [string, string];
      const { variants } = await crier.api().cancelPost(first);
      expect(variants.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
      expect((await readPost(crier, second)).variants.map(({ status }) => status)).toEqual(['scheduled', 'scheduled']);
    });

    test('publishes nothing again that was published, and nothing that was cancelled', async () => {
      for (const id of [posts.published, posts.withPicture, posts.withFilm]) {
        const post = await readPost(crier, id);
        expect(await liveOn(crier, post.text)).toEqual(networksOf(post));
      }
      expect(await liveOn(crier, (await readPost(crier, posts.cancelled)).text)).toEqual([]);
    });

    test('reads every record and every row: none is a dead letter, none is parked', async () => {
      expect(await crier.admin().call('deadLetters.list')).toMatchObject({ deadLetters: [] });
      expect((await crier.admin().call('parked.list')).parked).toEqual([]);
    });

    test('shows the same after a second start, and publishes on', { timeout: 300_000 }, async () => {
      const before = await readFacts(crier.api());
      expect(await crier.stop()).toEqual({ code: 0, signal: null });
      await crier.start();
      expect(await readFacts(crier.api())).toEqual(before);
      const { id, text } = await createPost(crier, {
        text: 'After the second start',
        channelIds: textChannels(crier.ready.demo!),
      });
      await published(crier, id);
      expect(await liveOn(crier, text)).toEqual(['threads', 'x']);
    });
  });

  describe('opened half a day later', () => {
    let installation: StoredInstallation;
    let crier: CrierUnderTest;
    beforeAll(async () => {
      installation = await openStored(name, 12 * HOUR_MS);
      ({ crier } = installation);
    });
    afterAll(() => installation?.[Symbol.asyncDispose]());

    const over = (postId: string): Promise<PostJson> =>
      until(
        async () => {
          const post = await readPost(crier, postId);
          return post.variants.every(isOver) ? post : null;
        },
        { what: `${postId} has ended`, withinMs: 90_000 },
      );

    test(
      'ends what came due while nothing ran as missed, tells so, and gives its credit back',
      { timeout: 300_000 },
      async () => {
        for (const id of [posts.dueMeanwhile, posts.scheduledWithPicture]) {
          const { text, variants } = await over(id);
          expect(variants.map(({ failureReason }) => failureReason)).toEqual(['missed_window', 'missed_window']);
          expect(await liveOn(crier, text)).toEqual([]);
          for (const variant of variants) {
            const told = await until(
              async () =>
                (await letters(crier, expected.well.inbox)).find(({ event }) => event.data.variant.id === variant.id),
              { what: `${variant.id} told` },
            );
            const { failureReason } = told.event.data.variant;
            expect([told.signature, told.event.type, failureReason]).toEqual([
              'right',
              'variant.failed',
              'missed_window',
            ]);
          }
        }
        const { available, reserved } = facts.usage.xCredits;
        expect((await crier.api().usage()).xCredits).toEqual({ available: available + 1, reserved: reserved - 1 });
      },
    );

    test(
      'ends what was owed and under way truly, live once or not at all, and tells the events that were owed',
      { timeout: 300_000 },
      async () => {
        for (const { id, network, status, failureReason, live } of await endsAfterKill(crier, name)) {
          const untold = network === 'x' && live === 0 ? 'unconfirmed' : 'missed_window';
          expect([failureReason ?? status, live], id).toEqual(live > 0 ? ['published', 1] : [untold, 0]);
        }
        await expectOwedEvents(crier, name);
      },
    );

    test('says of files that were never ready that they were not, and keeps what is due later', async () => {
      const failureDetail = expect.stringContaining('still being prepared');
      expect((await over(posts.parked)).variants).toMatchObject([{ failureReason: 'media_problem', failureDetail }]);
      for (const id of posts.farAhead) {
        expect((await readPost(crier, id)).variants.map(({ status }) => status)).toEqual(['scheduled', 'scheduled']);
      }
      const late = await crier.api().send('POST', `/api/media/${expected.arrivedUpload.assetId}/complete`);
      expect(late.body.error.code).toBe('upload_incomplete');
    });

    test('publishes a new Post through Connections whose tokens have run out', { timeout: 300_000 }, async () => {
      const { id, text } = await createPost(crier, {
        text: 'Half a day later',
        channelIds: textChannels(crier.ready.demo!),
      });
      await published(crier, id);
      expect(await liveOn(crier, text)).toEqual(['threads', 'x']);
    });
  });
});
