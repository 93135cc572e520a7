import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCrier, verifyWebhook, type Crier, type Post } from '#clients/typescript/client.ts';
import { CrierUnderTest, textChannels } from '#testing/crier-process.ts';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { startTrustedReceiver, type TrustedReceiver } from '#testing/trusted-receiver.ts';
import { until } from '#testing/until.ts';

const HOUR_MS = 3_600_000;
const MEGABYTE = 1024 ** 2;

describe('the client against a real Crier', () => {
  let trusted: TrustedReceiver;
  let server: CrierUnderTest;
  let crier: Crier;
  let channelIds: readonly string[];
  const folder = mkdtempSync(join(tmpdir(), 'client-'));
  beforeAll(async () => {
    trusted = await startTrustedReceiver();
    server = await CrierUnderTest.start({ env: { ...trusted.settings, CRIER_REQUESTS_PER_MINUTE: '0' } });
    crier = createCrier({ url: server.ready.baseUrl!, key: server.ready.demo!.apiKey });
    channelIds = textChannels(server.ready.demo!);
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await trusted[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS);

  test('publishes, waits for the outcome, and reads the attempts', async () => {
    const [x] = channelIds as [string];
    const post = await crier.posts.create({ text: 'by the client', channelIds: [channelIds[1]!] });
    const changes: string[] = [];
    const done = await crier.posts.waitForOutcome(post.id, {
      timeoutMs: 30_000,
      onChange: ({ variants }) => changes.push(variants[0]!.status),
    });
    expect(done.variants[0]).toMatchObject({ status: 'published', permalink: expect.stringContaining('http') });
    expect(changes.at(-1)).toBe('published');
    const attempts = await crier.variants.attempts(done.variants[0]!.id);
    expect(attempts.length).toBeGreaterThan(0);
    await expect(crier.variants.retry(done.variants[0]!.id)).rejects.toMatchObject({ code: 'not_retryable' });
    expect((await crier.channels.options(x)).network).toBe('x');
  });

  test('a Post that is refused names its blockers, as validate does before', async () => {
    const long = { text: 'word '.repeat(200), channelIds: [channelIds[0]!], scheduledAt: inHours(2) };
    const verdict = await crier.posts.validate(long);
    expect(verdict).toMatchObject({ ok: false, blockers: [{ channelId: channelIds[0] }] });
    await expect(crier.posts.create(long)).rejects.toMatchObject({
      status: 422,
      code: 'post_refused',
      blockers: verdict.blockers,
      requestId: expect.any(String),
    });
  });

  test('lists every Post of a span, over pages, and cancels', async () => {
    const from = inHours(100);
    const posts = Array.from({ length: 7 }, (_, index) => ({
      text: `page by page ${index}`,
      channelIds,
      scheduledAt: inHours(101 + index),
    }));
    const items = await crier.posts.createBulk(posts);
    expect(items.map(({ status }) => status)).toEqual(posts.map(() => 201));
    const listed: Post[] = [];
    for await (const post of crier.posts.list({ from, to: inHours(110), limit: 3 })) listed.push(post);
    expect(listed.map(({ text }) => text).toSorted()).toEqual(posts.map(({ text }) => text));
    const cancelled = await crier.posts.cancel(listed[0]!.id);
    expect(cancelled.variants.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    await expect(crier.posts.cancel(listed[0]!.id)).rejects.toMatchObject({ code: 'not_cancellable' });
  });

  test('uploads from memory, from a path, from a Blob and from a stream', async () => {
    const { photo, picture } = MEDIA_FIXTURES;
    const path = join(folder, 'photo.jpg');
    writeFileSync(path, photo.bytes);
    const type = { contentType: 'image/png', filename: 'p.png' };
    const blob = new Blob([picture.bytes as Uint8Array<ArrayBuffer>], { type: 'image/png' });
    const told: number[] = [];
    const uploads = [
      await crier.media.upload({ bytes: photo.bytes, filename: 'a.jpg', onProgress: (p) => told.push(p.sentBytes) }),
      await crier.media.upload({ path }),
      await crier.media.upload({ file: blob }),
      await crier.media.upload({ stream: () => blob.stream(), size: blob.size, ...type }),
    ];
    expect(uploads.map(({ bytes }) => bytes)).toEqual([
      photo.bytes.length,
      photo.bytes.length,
      picture.bytes.length,
      picture.bytes.length,
    ]);
    expect(told.at(-1)).toBe(photo.bytes.length);
    for (const { assetId } of uploads) await crier.media.remove(assetId);
    expect((await crier.usage.get()).used.storageBytes).toBe(0);
  });

  test('a connection that is lost amid a file begins the file again, and the whole file arrives', async () => {
    const bytes = paddedPhoto(8 * MEGABYTE);
    await using broken = await startBrokenWay(new URL(server.ready.baseUrl!), {
      breakAfterBytes: 3 * MEGABYTE,
      times: 2,
    });
    const told: number[] = [];
    const through = createCrier({
      url: server.ready.baseUrl!,
      key: server.ready.demo!.apiKey,
      fetch: (input, init) => fetch(init?.method === 'PUT' ? broken.replaced(String(input)) : input, init),
    });
    const file = await through.media.upload({
      bytes,
      filename: 'large.jpg',
      onProgress: ({ sentBytes }) => told.push(sentBytes),
    });
    expect(file.bytes).toBe(bytes.length);
    expect(broken.broken()).toBe(2);
    expect(told.filter((sent, index) => index > 0 && sent < told[index - 1]!).length, 'it began again').toBe(2);
    await crier.media.remove(file.assetId);
  });

  test('an upload that is aborted leaves nothing behind', async () => {
    const ending = new AbortController();
    const upload = crier.media.upload({
      bytes: paddedPhoto(8 * MEGABYTE),
      filename: 'large.jpg',
      signal: ending.signal,
      onProgress: ({ sentBytes }) => sentBytes > MEGABYTE && ending.abort(new Error('never mind')),
    });
    await expect(upload).rejects.toThrow('never mind');
    expect((await crier.usage.get()).used.storageBytes).toBe(0);
  });

  test('webhooks: registered, tested, verified, replayed, given another secret, removed', async () => {
    const { receiver } = trusted;
    const endpoint = await crier.webhooks.create({ url: `${receiver.url}client`, events: ['variant.published'] });
    const delivery = await crier.webhooks.test(endpoint.id);
    const posted = () => receiver.requests.filter(({ method }) => method === 'POST');
    await until(() => posted().length === 1, { what: 'the test event' });
    const { headers, body } = posted()[0]!;
    const header = String(headers['service-signature']);
    expect(await verifyWebhook({ secret: endpoint.secret, header, body })).toMatchObject({ id: delivery.eventId });
    await expect(verifyWebhook({ secret: 'whsec_other', header, body })).rejects.toMatchObject({ reason: 'wrong' });
    const succeeded = async () => (await crier.webhooks.list())[0]!.deliveries[0]?.state === 'succeeded';
    await until(succeeded, { what: 'the delivery recorded' });
    expect((await crier.webhooks.replay(endpoint.id, delivery.id)).eventId).toBe(delivery.eventId);
    expect((await crier.webhooks.rotateSecret(endpoint.id)).secret).not.toBe(endpoint.secret);
    await crier.webhooks.remove(endpoint.id);
    expect(await crier.webhooks.list()).toEqual([]);
  });
});

/** A photo with bytes after its end, which no reader of pictures minds. */
function paddedPhoto(size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  bytes.set(MEDIA_FIXTURES.photo.bytes);
  return bytes;
}

/** A way to `target` that cuts the first `times` connections after so many bytes of the client's. */
async function startBrokenWay(target: URL, { breakAfterBytes, times }: { breakAfterBytes: number; times: number }) {
  let broken = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const way = connect(Number(target.port), target.hostname);
    let bytes = 0;
    sockets.add(client).add(way);
    const end = (): void => void (client.destroy(), way.destroy());
    client.on('error', end).on('close', end);
    way.on('error', end).on('close', end);
    client.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > breakAfterBytes && broken < times) {
        broken += 1;
        end();
      } else if (!way.write(chunk)) {
        client.pause();
        way.once('drain', () => client.resume());
      }
    });
    way.pipe(client);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    broken: () => broken,
    replaced: (url: string) => url.replace(target.host, `127.0.0.1:${port}`),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
