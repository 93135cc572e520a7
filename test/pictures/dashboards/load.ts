import { setTimeout as sleep } from 'node:timers/promises';
import { createCrier, type Crier, type PostInput } from '#clients/typescript/client.ts';
import type { Network } from '#domain/network.ts';
import { send } from '#testing/crier-clients.ts';
import type { CrierUnderTest } from '#testing/crier-process.ts';
import type { TestBrowser } from '#testing/test-browser.ts';
import { callTool, connected, doorsOf, followLink, pathOf } from '../../guarantees/authorized-app.ts';
import { signIn } from '../agency.ts';
import { drawn, type SceneName } from '../scenes.ts';

const FILM = new URL('../../../libs/testing/fixtures/reel.mp4', import.meta.url).pathname;
const SCENES: readonly SceneName[] = ['cup', 'beans', 'lighthouse', 'books', 'plant', 'sale', 'people', 'window'];
const INBOX = 'pictures';
const BEAT_MS = 3_000;
/** Clients wait for each other on a machine that is slow, so that it is not buried. */
const AT_ONCE = 8;
/** Every so many beats. */
const EVERY = { text: 2, picture: 8, film: 30, app: 1, tool: 1, list: 1, wrong: 6, signIn: 40, grant: 25 } as const;

/** Parts of the time in which something is wrong, from 0 to 1. */
const MISHAPS = {
  network: [0.2, 0.35],
  account: [0.4, 0.45],
  receiver: [0.45, 0.65],
  hold: [0.7, 0.8],
  owner: [0.85, 1],
} as const;

interface Clients {
  readonly crier: CrierUnderTest;
  readonly key: Crier;
  readonly owner: TestBrowser;
  readonly token: string;
  readonly workspaceId: string;
  readonly channels: Readonly<Record<string, string>>;
}

/**
 * What an installation sees of its clients for some minutes: Posts of all kinds, their files, readers, assistants and
 * pages of the app; for a while each a Network that fails, an account that is
 * restricted, a receiver of webhooks that refuses and a hold; at last an owner who takes back a permission.
 */
export async function putLoadOn(crier: CrierUnderTest, seconds: number): Promise<void> {
  const clients = await signedIn(crier);
  const begun = new Set<Promise<unknown>>();
  const begin = (work: Promise<unknown>): void => {
    // A client of a picture goes on after a refusal.
    const ended = work.catch(() => {}).finally(() => begun.delete(ended));
    begun.add(ended);
  };
  const from = performance.now();
  const wrong = new Set<string>();
  for (let beat = 0; performance.now() - from < seconds * 1_000; beat++) {
    const part = (performance.now() - from) / seconds / 1_000;
    for (const [name, [first, last]] of Object.entries(MISHAPS)) {
      const isNow = part >= first && part < last;
      if (isNow === wrong.has(name)) continue;
      if (isNow) wrong.add(name);
      else wrong.delete(name);
      begin(mishap(name as keyof typeof MISHAPS, isNow, crier));
    }
    for (const [name, every] of Object.entries(EVERY))
      if (beat % every === 0 && begun.size < AT_ONCE) begin(DEEDS[name as keyof typeof EVERY](clients, beat));
    await sleep(BEAT_MS);
  }
  await Promise.all(begun);
}

async function signedIn(crier: CrierUnderTest): Promise<Clients> {
  const { baseUrl, demo } = crier.ready;
  const doors = doorsOf(crier);
  const owner = await followLink(doors.app, pathOf(demo!.signInUrl!));
  const { mcp: token } = await connected(owner, doors, { workspaceId: demo!.workspaceId });
  const key = createCrier({ url: baseUrl!, key: demo!.apiKey });
  const events = ['variant.published', 'variant.failed'];
  await crier.api().send('POST', '/api/webhooks', { url: `https://inbox.sandbox/${INBOX}`, events });
  return { crier, key, owner, token, workspaceId: demo!.workspaceId, channels: demo!.channels };
}

async function mishap(name: keyof typeof MISHAPS, begins: boolean, crier: CrierUnderTest): Promise<void> {
  const sandbox = crier.sandbox();
  if (name === 'network' || name === 'account') await (begins ? sandbox.fault(FAULTS[name]) : sandbox.clearFaults());
  if (name === 'receiver') await sandbox.send('POST', `/sandbox/inbox/${INBOX}`, { answer: begins ? '500' : '200' });
  if (name === 'hold' && begins)
    await crier.admin().call('publishing.hold', { network: 'x', reason: 'a picture of a hold' });
  if (name === 'hold' && !begins) await crier.admin().call('publishing.release', { network: 'x' });
  if (name === 'owner' && begins) {
    const { workspaceId, channels } = crier.ready.demo!;
    const { channels: all } = await crier.admin().call('workspaces.get', { workspaceId });
    const { accountId } = all.find(({ channelId }: { channelId: string }) => channelId === channels['facebook']);
    await sandbox.revoke(accountId);
  }
}

const FAULTS = {
  network: { network: 'threads', fault: '5xx_before_commit', count: 1_000 },
  account: { network: 'x', fault: 'account_restricted', call: 'tweets.create', reason: 'automated', count: 8 },
} as const;

/** In half a minute, or at once. */
const due = (beat: number): Partial<PostInput> =>
  beat % 3 === 0 ? {} : { scheduledAt: new Date(Date.now() + 20_000 + (beat % 7) * 2_000).toISOString() };
const channelsOf = ({ channels }: Clients, ...networks: readonly Network[]): string[] =>
  networks.map((one) => channels[one]!);

const DEEDS: Readonly<Record<keyof typeof EVERY, (clients: Clients, beat: number) => Promise<unknown>>> = {
  text: (clients, beat) =>
    clients.key.posts.create({
      ...due(beat),
      text: `Number ${beat}: the harbour at this hour.`,
      channelIds: channelsOf(clients, ...(['x', 'threads', 'facebook'] as const).slice(0, 1 + (beat % 3))),
    }),
  picture: async (clients, beat) => {
    const bytes = await drawn(SCENES[beat % SCENES.length]!, { width: 2_160, height: 2_160 + (beat % 4) * 180 });
    const { assetId } = await clients.key.media.upload({ bytes, filename: 'scene.jpg', contentType: 'image/jpeg' });
    const channelIds = channelsOf(clients, 'instagram', 'facebook', 'threads');
    const channelOptions = { [clients.channels['instagram']!]: { firstComment: 'Ask us at the desk.' } };
    const media = [{ assetId, altText: 'A drawing' }];
    return clients.key.posts.create({ ...due(beat), text: `Picture ${beat}`, channelIds, media, channelOptions });
  },
  film: async (clients, beat) => {
    const { assetId } = await clients.key.media.upload({ path: FILM });
    const [tiktok, youtube] = channelsOf(clients, 'tiktok', 'youtube') as [string, string];
    const channelOptions = {
      [youtube]: { title: `Film ${beat}`, privacy: 'public' as const },
      [tiktok]: { privacy: 'public' as const },
    };
    const post = { text: `Film ${beat}`, channelIds: [tiktok, youtube], media: [{ assetId }], channelOptions };
    return clients.key.posts.create({ ...due(beat), ...post });
  },
  app: ({ owner, workspaceId }) => {
    const input = encodeURIComponent(JSON.stringify({ workspaceId }));
    return owner.ask('GET', `/app/trpc/channels.list?input=${input}`, { headers: { 'x-crier-app': '1' } });
  },
  tool: ({ crier, token }, beat) =>
    callTool(doorsOf(crier), token, beat % 4 === 0 ? 'list_posts' : 'list_channels', {}),
  list: ({ crier }) => crier.api().send('GET', '/api/posts'),
  wrong: async ({ crier }) => {
    await crier.api('crier_nobody').send('GET', '/api/posts');
    await crier.api().send('GET', '/api/posts/nothing');
    await send('POST', `${crier.ready.baseUrl!}/mcp`, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
  },
  signIn: ({ crier }) => signIn(crier, crier.ready.demo!.email),
  grant: ({ crier, owner, workspaceId }) => connected(owner, doorsOf(crier), { workspaceId }),
};
