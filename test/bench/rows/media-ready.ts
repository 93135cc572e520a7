import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { openMediaFolder } from '#media/made-files.fixture.ts';
import { NETWORKS, type Network } from '#domain/network.ts';
import { times, type Bench } from '../bench.ts';
import type { CrierServer } from '../crier-server.ts';
import { peakWhile } from '../family-memory.ts';
import { MIB } from '../machine.ts';
import { phonePicture, phoneVideo } from '../phone-files.ts';
import { median } from '../quantiles.ts';
import { target } from '../report.ts';

const PICTURES = 3;
const TAKE_PICTURES: readonly Network[] = NETWORKS.filter((network) => network !== 'youtube');
const MAX_BEYOND_MS = 1_000;
const WITHIN_MS = 300_000;
const POLL_MS = 20;
const HOUR_MS = 3_600_000;
const CREDITS = 1_000;
const COUNTED = 'conversions as the service counts them, without waits for cores';
const LOOKED_AT = 'the most of all runs, resident, looked at every 50 ms';

interface Home {
  readonly apiKey: string;
  readonly channels: Readonly<Record<Network, string>>;
}

interface File {
  readonly path: string;
  readonly contentType: string;
}

/**
 * Three pictures and a video from a phone, to all six Networks at once: the time until all are ready, compared with the
 * conversions' own time, and the memory that it takes. All Networks but two accept only one kind in one publication, so
 * they are two Posts.
 */
export async function mediaReady(bench: Bench): Promise<void> {
  const { sizes, say, add, site } = bench;
  await using folder = await openMediaFolder('bench-media');
  const picture = async (index: number): Promise<File> => ({
    path: await phonePicture(folder, `${index}.jpg`, sizes.picture),
    contentType: 'image/jpeg',
  });
  const pictures = await Promise.all(Array.from({ length: PICTURES }, (_, index) => picture(index)));
  const video: File = { path: await phoneVideo(folder, 'film.mov', sizes.video), contentType: 'video/quicktime' };
  const server = await (await site.install('media')).start();
  try {
    const home = await homeOn(server);
    const runs = await times(sizes.runs, async (run) => {
      say(`four files to six Networks, run ${run}`);
      const [assetIds, film] = await Promise.all([
        Promise.all(pictures.map((file) => upload(server, home, file))),
        upload(server, home, video),
      ]);
      const before = await conversionsMs(server);
      const [tookMs, memory] = await peakWhile(server.pid, () =>
        readyAfter(server, home, [
          { text: `pictures ${run}`, networks: TAKE_PICTURES, assetIds },
          { text: `film ${run}`, networks: NETWORKS, assetIds: [film] },
        ]),
      );
      return { tookMs, conversionsMs: (await conversionsMs(server)) - before, memory };
    });
    const took = median(runs.map(({ tookMs }) => tookMs));
    const conversions = median(runs.map((each) => each.conversionsMs));
    const figures = {
      'ready ms': took,
      'conversions ms': conversions,
      'beyond them ms': median(runs.map((each) => each.tookMs - each.conversionsMs)),
    };
    const { width, height } = sizes.picture;
    const files = `${PICTURES} JPEGs of ${width}x${height} to five Networks, HEVC of ${sizes.video.width}x${sizes.video.height} and ${sizes.video.seconds} s to six`;
    add({
      group: 'media',
      what: 'Four files of a phone to six Networks: ready after',
      rateLimit: 0,
      figures,
      target: target('conversions + 1 s', figures, { atMost: { 'beyond them ms': MAX_BEYOND_MS } }),
      how: `${files}, two Posts at once, from sending them to the last Variant that says mediaReady, looked at every ${POLL_MS} ms; ${COUNTED}; ${runs.length} runs`,
    });
    const peak = (of: 'ownBytes' | 'allBytes'): number => Math.max(...runs.map(({ memory }) => memory[of])) / MIB;
    add({
      group: 'media',
      what: 'Memory while these are made ready',
      rateLimit: 0,
      figures: { 'process MiB': peak('ownBytes'), 'with its tools MiB': peak('allBytes') },
      target: null,
      how: `${LOOKED_AT}: the process with every role and the sandbox, and with the picture worker and ffmpeg; pages that they share count for each`,
    });
  } finally {
    await server.stop();
  }
}

async function homeOn(server: CrierServer): Promise<Home> {
  const { admin } = server;
  const { workspaceId, memberId } = await admin.workspaces.create.mutate({
    name: 'Media',
    ownerEmail: 'media@example.test',
    plan: 'agency',
  });
  await admin.workspaces.addCredits.mutate({ workspaceId, credits: CREDITS });
  const channels = {} as Record<Network, string>;
  for (const network of NETWORKS)
    channels[network] = (
      await admin.channels.connectSandbox.mutate({ workspaceId, network, name: `media ${network}` })
    ).channelId;
  const { apiKey } = await admin.keys.create.mutate({
    workspaceId,
    memberId,
    name: 'Key',
    permissions: ['posts:schedule'],
  });
  return { apiKey, channels };
}

function conversionsMs(server: CrierServer): Promise<number> {
  return server.metric('crier_rendition_duration_seconds_sum').then((seconds) => seconds * 1_000);
}

async function upload(server: CrierServer, home: Home, { path, contentType }: File): Promise<string> {
  const content = readFileSync(path);
  const { assetId, uploadUrl } = await call(server, home, 'POST', '/api/media', {
    filename: 'from a phone',
    contentType,
    bytes: content.length,
  });
  const sent = await fetch(uploadUrl, { method: 'PUT', headers: { 'content-type': contentType }, body: content });
  if (sent.status !== 204) throw new Error(`an upload was answered ${sent.status}: ${await sent.text()}`);
  await call(server, home, 'POST', `/api/media/${assetId}/complete`);
  return assetId;
}

interface PlannedPosts {
  readonly text: string;
  readonly networks: readonly Network[];
  readonly assetIds: readonly string[];
}

/** Creates the Posts, which are due much later; resolves with the milliseconds until every Variant of them is ready. */
async function readyAfter(server: CrierServer, home: Home, posts: readonly PlannedPosts[]): Promise<number> {
  const from = performance.now();
  const scheduledAt = new Date(Date.now() + HOUR_MS).toISOString();
  const ids = await Promise.all(
    posts.map(async ({ text, networks, assetIds }) => {
      const media = assetIds.map((assetId) => ({ assetId }));
      return (
        await call(server, home, 'POST', '/api/posts', {
          text,
          channelIds: networks.map((network) => home.channels[network]),
          media,
          scheduledAt,
        })
      ).id as string;
    }),
  );
  for (;;) {
    const variants = (await Promise.all(ids.map((id) => call(server, home, 'GET', `/api/posts/${id}`)))).flatMap(
      (post) => post.variants,
    );
    const failed = variants.find(({ status }) => status !== 'scheduled');
    if (failed !== undefined) throw new Error(`a Variant is ${JSON.stringify(failed)}`);
    if (variants.every(({ mediaReady: isReady }) => isReady)) return performance.now() - from;
    if (performance.now() - from > WITHIN_MS) throw new Error(`not all files are ready within ${WITHIN_MS} ms`);
    await sleep(POLL_MS);
  }
}

async function call(
  { baseUrl }: CrierServer,
  { apiKey }: Home,
  method: string,
  path: string,
  body?: object,
): Promise<any> {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const answer = await fetch(baseUrl + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
  return JSON.parse(text).data;
}
