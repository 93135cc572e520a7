import { readFileSync } from 'node:fs';
import type { Network } from '#domain/network.ts';
import type { ChromiumTab } from '#testing/chromium.ts';
import type { CrierUnderTest } from '#testing/crier-process.ts';
import { answer } from '#testing/misbehaving-receiver.ts';
import { TestBrowser } from '#testing/test-browser.ts';
import type { TrustedReceiver } from '#testing/trusted-receiver.ts';
import { until } from '#testing/until.ts';
import { connected, doorsOf, registered } from './authorized-app.ts';

/** What would run, load or break out of an attribute, an element, a script, a style or a template, were it no text. */
export const SCRIPT = `"'><img src=x onerror=alert(1)><svg onload=alert(2)></script><script>alert(3)</script>\${alert(4)}{{alert(5)}}`;
/** What apps call themselves is cut after 60 characters. */
export const APP = `"'><img src=x onerror=alert(6)></script>{{alert(7)}}`;
const STYLE = 'javascript:alert(8) ;background:url(//evil.test/a.png)';
export const LONG = 'W'.repeat(200);
export const ARABIC = 'مقهى الشاي (v2)';
export const HEBREW = 'בית התה, 3!';
/** Marks that pile up on a letter, and signs of several code points. */
export const PILED = `Z${'\u0346\u0343\u030b\u0351\u0327'.repeat(6)}algo 👩‍👩‍👧‍👦🏴‍☠️`;
const NAMES = [SCRIPT, LONG, ARABIC, PILED];

export interface HostileWorkspace {
  /** Published on one Channel, refused by the other's Network; with a picture and a first comment. */
  readonly postId: string;
  /** Scheduled on a Channel with a long name. */
  readonly longPostId: string;
  /** The day of the scheduled Posts. */
  readonly date: string;
}

const DAY_MS = 86_400_000;

/** A Workspace in which everything bears a name that would do harm, or is too long, or is written from the right. */
export async function furnishHostile(
  crier: CrierUnderTest,
  { receiver }: TrustedReceiver,
  owner: TestBrowser,
): Promise<HostileWorkspace> {
  const { workspaceId, memberId, channels } = crier.ready.demo!;
  const admin = crier.admin();
  const tell = (procedure: string, input: object) => mutate(owner, procedure, { workspaceId, ...input });
  await tell('workspaces.rename', { name: SCRIPT });
  for (const [number, name] of NAMES.entries()) {
    await admin.call('members.add', { workspaceId, email: `${number}@example.test`, name, role: 'editor' });
    await admin.call('keys.create', { workspaceId, memberId, name });
  }
  await admin.call('members.add', { workspaceId, email: `${'e'.repeat(200)}@example.test`, name: HEBREW });
  const connect = async (network: Network, name: string): Promise<string> =>
    (await admin.call('channels.connectSandbox', { workspaceId, network, name: name.slice(0, 100) })).channelId;
  const [threads, long] = [await connect('threads', SCRIPT), await connect('x', LONG)];
  await connect('youtube', PILED);
  const arabic = await connect('facebook', ARABIC);
  const { apiKey } = await admin.call('keys.create', {
    workspaceId,
    memberId,
    name: SCRIPT,
    permissions: ['posts:publish'],
  });
  const api = crier.api(apiKey);

  receiver.behave(answer(500, { body: `${SCRIPT} ${STYLE} ${LONG}` }));
  for (const path of [`in?<img src=x onerror=alert(9)>`, `in?${LONG}`]) {
    const { endpointId, id } = await tell('webhooks.create', {
      endpoint: { url: receiver.url + path, events: ['variant.failed'] },
    });
    await tell('webhooks.test', { endpointId: endpointId ?? id });
  }
  await connected(owner, doorsOf(crier), {
    workspaceId,
    clientId: await registered(crier.ready.baseUrl!, { client_name: APP }),
  });
  await connected(owner, doorsOf(crier), {
    workspaceId,
    clientId: await registered(crier.ready.baseUrl!, { client_name: `${ARABIC} ${LONG}` }),
  });

  await crier
    .sandbox()
    .fault({ network: 'x', fault: 'account_restricted', call: 'tweets.create', reason: 'automated' });
  const { id: postId } = await api.createPost({
    text: `${SCRIPT} ${STYLE}`,
    channelIds: [channels['x']!, threads],
    media: [{ assetId: await uploaded(crier), altText: `${SCRIPT} ${STYLE}` }],
    channelOptions: { [threads]: { firstComment: SCRIPT } },
  });
  const date = new Date(Date.now() + 7 * DAY_MS).toISOString().slice(0, 10);
  // An hour of the calendar has room for two.
  const schedule = (text: string, hour: number, channelIds: readonly string[]) =>
    api.createPost({ text, channelIds, scheduledAt: `${date}T${String(hour).padStart(2, '0')}:00:00Z` });
  await schedule(SCRIPT, 9, [threads]);
  await schedule(`${ARABIC} ${HEBREW}`, 9, [threads, arabic]);
  const { id: longPostId } = await schedule(LONG, 10, [long, arabic]);
  await schedule(PILED, 10, [long]);
  await until(
    async () =>
      (await api.getPost(postId)).variants.every(({ status }) => status === 'published' || status === 'failed'),
    { what: 'the ends of a Post', withinMs: 60_000 },
  );
  return { postId, longPostId, date };
}

/** A picture whose file has a name that would do harm. */
async function uploaded(crier: CrierUnderTest): Promise<string> {
  const bytes = readFileSync(new URL('../../libs/testing/fixtures/photo.jpg', import.meta.url));
  const contentType = 'image/jpeg';
  const file = { filename: `${SCRIPT.replaceAll('/', '')}.jpg`, contentType, bytes: bytes.length };
  const { assetId, uploadUrl } = (await crier.api().send('POST', '/api/media', file)).body.data;
  await fetch(uploadUrl, { method: 'PUT', headers: { 'content-type': contentType }, body: new Uint8Array(bytes) });
  await crier.api().send('POST', `/api/media/${assetId}/complete`);
  return assetId;
}

/** Calls a procedure as the app's pages do. */
async function mutate(browser: TestBrowser, procedure: string, input: object): Promise<any> {
  const { status, html } = await browser.ask('POST', `/app/trpc/${procedure}`, {
    headers: { 'content-type': 'application/json', 'x-crier-app': '1' },
    body: JSON.stringify(input),
  });
  if (status !== 200) throw new Error(`${procedure}: ${status} ${html}`);
  return JSON.parse(html).result.data;
}

/** A browser without a screen that is signed in as the tab is. */
export async function browserLike(tab: ChromiumTab, origin: string): Promise<TestBrowser> {
  const browser = new TestBrowser(origin);
  for (const { name, value } of await tab.cookies()) browser.cookies.set(name, value);
  return browser;
}
