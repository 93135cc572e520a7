import { createCrier, type Crier, type PostInput } from '#clients/typescript/client.ts';
import { NETWORKS, type Network } from '#domain/network.ts';
import type { CrierUnderTest } from '#testing/crier-process.ts';
import { formsOf, TestBrowser } from '#testing/test-browser.ts';
import { until } from '#testing/until.ts';
import { approved, doorsOf, followLink, mailedLink, redeem, registered } from '../guarantees/authorized-app.ts';
import { CHANNELS, MONTH, type Client, type PlannedPost } from './month.ts';
import { drawn, type SceneName } from './scenes.ts';

export const ZONE = 'Europe/Berlin';
/** The day and time of the month at which the pictures are taken. */
const SHOWN_DAY = 16;
const SHOWN_TIME = '10:20';
const OWNER = 'ada@studio-nord.example';
const PEOPLE = [
  ['Ben Aydin', 'ben@studio-nord.example', 'editor'],
  ['Chloé Martin', 'chloe@hafen-books.example', 'viewer'],
] as const;
const PERMISSIONS = ['posts:schedule', 'posts:publish', 'webhooks:manage'];
const FILM = new URL('../../libs/testing/fixtures/reel.mp4', import.meta.url).pathname;

/** An agency in the middle of a month: what its pages are shown with. */
export interface Agency {
  readonly workspaceId: string;
  /** Signed in as its owner. */
  readonly owner: TestBrowser;
  /** The text of every Post by its id. */
  readonly posts: ReadonlyMap<string, PlannedPost>;
  /** YYYY-MM of the month. */
  readonly month: string;
}

/** Lets an agency work through half of the next March, and leaves it at 10:20 on the 16th. */
export async function foundAgency(crier: CrierUnderTest): Promise<Agency> {
  const month = await nextMarch(crier);
  const passUntil = async (day: number, time: string): Promise<void> => {
    const { now } = await crier.admin().call('system.status');
    const milliseconds = instantOf(month, day, time) - Date.parse(now);
    if (milliseconds > 0) await crier.admin().advance(milliseconds);
  };
  await passUntil(1, '07:30');
  for (const network of NETWORKS) await crier.sandbox().timing(network, 0);
  const { workspaceId } = await crier.admin().call('workspaces.create', {
    name: 'Studio Nord',
    ...{ ownerEmail: OWNER, ownerName: 'Ada Lindqvist', plan: 'agency', emailVerified: true },
  });
  await crier.admin().call('workspaces.addCredits', { workspaceId, credits: 250 });
  const owner = await signIn(crier, OWNER);
  const channels = await connectChannels(crier, workspaceId);
  await addPeople(crier, workspaceId);
  const makers = await addMakers(crier, workspaceId, owner);
  await addEndpoints(owner, workspaceId);

  const posts = new Map<string, PlannedPost>();
  const cancelled: string[] = [];
  for (const planned of MONTH) {
    const id = await schedule(planned, { crier, workspaceId, owner, makers, channels, month });
    posts.set(id, planned);
    if (planned.fate === 'cancelled') cancelled.push(id);
  }
  for (const postId of cancelled) await tellApp(owner, 'posts.cancel', { workspaceId, postId });

  const due = MONTH.filter(({ day, time }) => day < SHOWN_DAY || (day === SHOWN_DAY && time < SHOWN_TIME));
  for (const { day, time, fate } of due.toSorted(
    (one, other) => one.day - other.day || (one.time < other.time ? -1 : 1),
  )) {
    await spoil(fate, { crier, workspaceId, channels });
    await passUntil(day, time);
    await settle(makers.key, instantOf(month, day, time));
  }
  await passUntil(SHOWN_DAY, SHOWN_TIME);
  await doTodaysDeeds(owner, workspaceId);
  return { workspaceId, owner, posts, month };
}

/** The first March that has not begun, so that the pictures look alike whenever they are taken. */
async function nextMarch(crier: CrierUnderTest): Promise<string> {
  const { now } = await crier.admin().call('system.status');
  const [year, month] = (now as string).split('-').map(Number) as [number, number];
  return `${month < 3 ? year : year + 1}-03`;
}

/** Unix ms. Clocks in Berlin are an hour ahead of UTC until the last Sunday of March, and two from then on. */
function instantOf(month: string, day: number, time: string): number {
  const wall = Date.parse(`${month}-${String(day).padStart(2, '0')}T${time}:00Z`);
  const shown = new Date(wall).toLocaleString('sv-SE', { timeZone: ZONE });
  return wall - (Date.parse(`${shown.replace(' ', 'T')}Z`) - wall);
}

export async function signIn(crier: CrierUnderTest, address: string): Promise<TestBrowser> {
  const doors = doorsOf(crier);
  const browser = new TestBrowser(doors.app);
  const page = await browser.get('/sign-in');
  await browser.send(formsOf(page.html)[0]!, { email: address });
  return followLink(doors.app, await mailedLink(doors, address));
}

/** By client and Network, as in `Hafen Books facebook`. */
async function connectChannels(crier: CrierUnderTest, workspaceId: string): Promise<ReadonlyMap<string, string>> {
  const channels = new Map<string, string>();
  for (const [client, networks] of CHANNELS)
    for (const network of networks) {
      const connected = await crier.admin().call('channels.connectSandbox', { workspaceId, network, name: client });
      channels.set(`${client} ${network}`, connected.channelId);
    }
  return channels;
}

async function addPeople(crier: CrierUnderTest, workspaceId: string): Promise<void> {
  const doors = doorsOf(crier);
  for (const [name, email, role] of PEOPLE) {
    await crier.admin().call('members.invite', { workspaceId, email, name, role });
    await followLink(doors.app, await mailedLink(doors, email));
  }
}

interface Makers {
  readonly key: Crier;
  readonly app: Crier;
}

/** What makes Posts beside people: a program by its key, and an assistant. */
async function addMakers(crier: CrierUnderTest, workspaceId: string, owner: TestBrowser): Promise<Makers> {
  const url = crier.ready.baseUrl!;
  const keyOf = async (name: string, permissions: readonly string[]): Promise<string> =>
    (await tellApp(owner, 'keys.create', { workspaceId, name, permissions })).apiKey;
  const key = await keyOf('Book shop feed', PERMISSIONS);
  await keyOf('Newsroom export', ['posts:schedule']);
  const doors = doorsOf(crier);
  const clientId = await registered(doors.app);
  const code = await approved(owner, doors, { clientId, workspaceId, permissions: PERMISSIONS.slice(0, 2) });
  const { body } = await redeem(doors.app, code, `${url}/api`);
  return { key: createCrier({ url, key }), app: createCrier({ url, key: body.access_token }) };
}

async function addEndpoints(owner: TestBrowser, workspaceId: string): Promise<void> {
  const add = (url: string, events: readonly string[]) =>
    tellApp(owner, 'webhooks.create', { workspaceId, endpoint: { url, events } });
  await add('https://inbox.sandbox/newsroom', ['variant.published', 'variant.failed']);
}

interface Desk {
  readonly crier: CrierUnderTest;
  readonly workspaceId: string;
  readonly owner: TestBrowser;
  readonly makers: Makers;
  readonly channels: ReadonlyMap<string, string>;
  readonly month: string;
}

/** Returns the id of the Post. */
async function schedule(planned: PlannedPost, desk: Desk): Promise<string> {
  const { client, networks, text, day, time, by, firstComment, file } = planned;
  const { makers, owner, workspaceId, month, channels } = desk;
  const channelOf = (network: Network): string => channels.get(`${client} ${network}`)!;
  const post = {
    text,
    channelIds: networks.map(channelOf),
    scheduledAt: new Date(instantOf(month, day, time)).toISOString(),
    ...(file !== undefined && { media: [await uploaded(makers.key, file, client)] }),
    channelOptions: Object.fromEntries(
      networks.flatMap((network) => {
        const options = optionsOf(network, text, firstComment);
        return options === null ? [] : [[channelOf(network), options]];
      }),
    ),
  } as const satisfies PostInput;
  if (by !== undefined) return (await makers[by].posts.create(post)).id;
  return (await tellApp(owner, 'posts.create', { workspaceId, post })).post.id;
}

function optionsOf(network: Network, text: string, firstComment: string | undefined): object | null {
  if (network === 'youtube') return { title: text, privacy: 'public' };
  if (network === 'tiktok') return { privacy: 'public' };
  if (network === 'instagram' && firstComment !== undefined) return { firstComment };
  return null;
}

async function uploaded(
  key: Crier,
  file: SceneName | 'film',
  client: Client,
): Promise<{ assetId: string; altText?: string }> {
  if (file === 'film') return { assetId: (await key.media.upload({ path: FILM })).assetId };
  const shape = client === 'Hafen Books' ? { width: 1080, height: 1080 } : { width: 1080, height: 1350 };
  const bytes = await drawn(file, shape);
  const { assetId } = await key.media.upload({ bytes, filename: `${file}.jpg`, contentType: 'image/jpeg' });
  return { assetId, altText: `A drawing: ${file}` };
}

/** Has a Network go wrong once; `revoked`: Hafen Books took the permission back there. */
async function spoil(
  fate: PlannedPost['fate'],
  { crier, workspaceId, channels }: Pick<Desk, 'crier' | 'workspaceId' | 'channels'>,
): Promise<void> {
  const x = { network: 'x', call: 'tweets.create' } as const;
  if (fate === 'refused') await crier.sandbox().fault({ ...x, fault: 'account_restricted', reason: 'automated' });
  if (fate === 'limited') await crier.sandbox().fault({ ...x, fault: 'quota_exhausted', reason: 'monthly' });
  if (fate !== 'revoked') return;
  const { channels: all } = await crier.admin().call('workspaces.get', { workspaceId });
  const books = all.find(({ channelId }: { channelId: string }) => channelId === channels.get('Hafen Books facebook'));
  await crier.sandbox().revoke(books.accountId);
}

/** What the owner did in the last minutes, which the audit begins with. */
async function doTodaysDeeds(owner: TestBrowser, workspaceId: string): Promise<void> {
  await tellApp(owner, 'members.invite', { workspaceId, email: 'dana@studio-nord.example', role: 'editor' });
  const { keyId } = await tellApp(owner, 'keys.create', {
    workspaceId,
    name: 'Trial',
    permissions: ['posts:schedule'],
  });
  await tellApp(owner, 'keys.revoke', { workspaceId, keyId });
  await tellApp(owner, 'webhooks.create', {
    workspaceId,
    endpoint: { url: 'https://inbox.sandbox/hafen-books', events: ['variant.failed'] },
  });
}

/** Until everything that is due is out, published or failed; what a Network wants to have later goes out later. */
async function settle(key: Crier, now: number): Promise<void> {
  await until(
    async () => {
      for await (const { variants } of key.posts.list())
        for (const { status, scheduledAt } of variants)
          if (status === 'publishing' || (status === 'scheduled' && Date.parse(scheduledAt ?? '') <= now)) return false;
      return true;
    },
    { what: 'every Variant that was due is out', withinMs: 60_000, everyMs: 100 },
  ).catch(() => {});
}

/** Calls a procedure as the app's pages do. */
async function tellApp(browser: TestBrowser, procedure: string, input: object): Promise<any> {
  const { status, html } = await browser.ask('POST', `/app/trpc/${procedure}`, {
    headers: { 'content-type': 'application/json', 'x-crier-app': '1' },
    body: JSON.stringify(input),
  });
  if (status !== 200) throw new Error(`${procedure}: ${status} ${html}`);
  return JSON.parse(html).result.data;
}
