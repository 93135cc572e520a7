import { beforeEach, describe, expect, test } from 'vitest';
import { createMemoryClock, type MemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryHttpClient } from '#adapters/memory/http-client.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import type { Command } from '#domain/workspace/commands.ts';
import { createNetworks, sandboxEndpoints } from '#networks/registry.ts';
import type { TableStore } from '#ports/table-store.ts';
import { CONNECTIONS, DATA_DELETIONS } from '#tables/declarations/tables.ts';
import { createPersonChannels } from '#tables/repositories/person-channels.ts';
import { signedRequest } from '#testing/signed-request.ts';
import { createConnections, type Connections } from './connections.ts';
import { PersonRequests } from './person-requests.ts';

const SECRET = 'the secret of the app';
const ADA = '17841400000000001';
const C1 = { workspaceId: 'workspace-1', channelId: 'c1' };

let clock: MemoryClock;
let store: TableStore;
let sent: Command[];
let connections: Connections;
let requests: PersonRequests;

beforeEach(() => {
  clock = createMemoryClock();
  store = createMemoryTableStore({ clock });
  sent = [];
  const shared = { store, clock, ids: createSeededIds(3), reporter: createMemoryReporter() };
  connections = createConnections({
    ...shared,
    secretBox: createSecretBox({ secret: 'a master secret for tests only, long enough' }),
    http: createMemoryHttpClient(async () => ({ cut: 'before' })),
    auths: createNetworks(sandboxEndpoints('http://sandbox.test')).auths,
  });
  requests = new PersonRequests({
    ...shared,
    sendCommand: async (command) => void sent.push(command),
    apps: {
      facebook: { secret: SECRET, networks: ['facebook', 'instagram'] },
      threads: { secret: SECRET, networks: ['threads'] },
    },
  });
});

/** Resolves with the id of the Connection. */
function connect(
  network: 'facebook' | 'instagram' | 'threads',
  channelId: string,
  account: { readonly accountId: string; readonly facts?: Readonly<Record<string, string>> },
  workspaceId = 'workspace-1',
): Promise<string> {
  const tokens = { accessToken: 'a', refreshToken: null, expiresAt: clock.now() + 1e9 };
  return connections.save({ id: channelId, workspaceId, network }, tokens, { username: 'ada', ...account });
}

const persons = () => createPersonChannels(store, () => createSeededIds(4).token());
const issuedAt = () => Math.floor(clock.now() / 1_000);
const read = (network: 'facebook' | 'threads', userId: string) =>
  requests.read(network, signedRequest({ userId, issuedAt: issuedAt() }, SECRET))!;

test('a person who removed the app has every Channel of theirs marked, in whatever Workspace, and no other', async () => {
  await connect('threads', 'c1', { accountId: ADA }, 'workspace-1');
  await connect('threads', 'c2', { accountId: ADA }, 'workspace-2');
  await connect('threads', 'c3', { accountId: '2' });
  await connect('facebook', 'c4', { accountId: ADA });
  const request = read('threads', ADA);
  await requests.deauthorize(request);
  const mark = { type: 'MarkChannel', state: 'needs_reconnect', seenAt: request.requestedAt };
  expect(sent).toHaveLength(2);
  expect(sent).toEqual(
    expect.arrayContaining([
      { ...mark, workspaceId: 'workspace-1', channelId: 'c1' },
      { ...mark, workspaceId: 'workspace-2', channelId: 'c2' },
    ]),
  );
});

test('the person behind a Page is found by the fact that the sign-in kept', async () => {
  await connect('facebook', 'c1', { accountId: '99', facts: { personId: ADA } });
  await requests.deauthorize(read('facebook', ADA));
  expect(sent).toMatchObject([{ type: 'MarkChannel', channelId: 'c1' }]);
});

describe('a Channel that another person connected again', () => {
  const asked = async () => {
    await requests.deauthorize(read('facebook', ADA));
    const code = await requests.deleteData(read('facebook', ADA));
    const types = sent.map(({ type }) => type);
    sent = [];
    return { types, status: await requests.deletionStatus('facebook', code) };
  };
  const BOB = '2';
  const page = (personId: string) => ({ accountId: '99', facts: { personId } });

  test('is left alone by requests of the person who connected it first', async () => {
    await connect('facebook', 'c1', page(ADA));
    await connect('facebook', 'c1', page(BOB));
    expect(await asked()).toEqual({ types: [], status: 'done' });
    await requests.deauthorize(read('facebook', BOB));
    await requests.deleteData(read('facebook', BOB));
    expect(sent).toMatchObject([
      { type: 'MarkChannel', channelId: 'c1' },
      { type: 'EraseAccount', channelId: 'c1' },
    ]);
  });

  test('is left alone although a row still names it, as after a crash, or where tokens were renamed', async () => {
    const connectionId = await connect('facebook', 'c1', page(ADA));
    const later = await connect('facebook', 'c1', page(BOB));
    await persons().keep({ network: 'facebook', personId: ADA }, { ...C1, connectionId });
    expect(await asked()).toEqual({ types: [], status: 'done' });
    await connections.rename('c1', later, connectionId);
    expect(await asked()).toEqual({ types: [], status: 'done' });
  });

  test('keeps no row of the person whose tokens were replaced', async () => {
    await connect('facebook', 'c1', page(ADA));
    await connect('facebook', 'c1', page(BOB));
    expect(await persons().of({ network: 'facebook', personId: ADA })).toEqual([]);
    expect(await persons().of({ network: 'facebook', personId: BOB })).toMatchObject([{ channelId: 'c1' }]);
  });

  test('stays theirs where their own later sign-in was cut off before its tokens were kept', async () => {
    await connect('facebook', 'c1', page(ADA));
    await persons().keep({ network: 'facebook', personId: ADA }, { ...C1, connectionId: 'of-the-later-one' });
    expect(await asked()).toEqual({ types: ['MarkChannel', 'EraseAccount'], status: 'under way' });
  });
});

test('one app of facebook and instagram has one address, so a request is about the Channels of both', async () => {
  const facts = { personId: ADA, login: 'facebook' };
  const connectionIds = [
    await connect('facebook', 'c1', { accountId: '98', facts }),
    await connect('instagram', 'c2', { accountId: '99', facts }),
  ];
  await connect('threads', 'c3', { accountId: ADA });
  await requests.deauthorize(read('facebook', ADA));
  const code = await requests.deleteData(read('facebook', ADA));
  expect(sent).toMatchObject([
    { type: 'MarkChannel', channelId: 'c1' },
    { type: 'MarkChannel', channelId: 'c2' },
    { type: 'EraseAccount', channelId: 'c1' },
    { type: 'EraseAccount', channelId: 'c2' },
  ]);
  await connections.end({ channelId: 'c1', connectionId: connectionIds[0]!, isLastTry: true });
  expect(await requests.deletionStatus('facebook', code)).toBe('under way');
  await connections.end({ channelId: 'c2', connectionId: connectionIds[1]!, isLastTry: true });
  expect(await requests.deletionStatus('facebook', code)).toBe('done');
});

test('a deletion is ordered for each Channel, and its status is done once the tokens are removed', async () => {
  const connectionId = await connect('threads', 'c1', { accountId: ADA });
  const request = read('threads', ADA);
  const code = await requests.deleteData(request);
  const { requestedAt } = request;
  expect(sent).toEqual([{ type: 'EraseAccount', workspaceId: 'workspace-1', channelId: 'c1', requestedAt }]);
  expect(await requests.deletionStatus('threads', code)).toBe('under way');
  await connections.end({ channelId: 'c1', connectionId, isLastTry: true });
  expect(await requests.deletionStatus('threads', code)).toBe('done');
});

test('tokens whose Channel was never connected, as after a crash, are deleted at once', async () => {
  await connect('threads', 'c1', { accountId: ADA });
  await clock.advance(10 * 60_000);
  const code = await requests.deleteData(read('threads', ADA));
  expect(await requests.deletionStatus('threads', code)).toBe('done');
  const row = await store.read(CONNECTIONS, ['c1'], []);
  expect(Buffer.from(row!.body).toString()).toContain('"sealed":""');
});

test('a Channel that was connected again since is none of the deletion', async () => {
  await connect('threads', 'c1', { accountId: ADA });
  const code = await requests.deleteData(read('threads', ADA));
  await connect('threads', 'c1', { accountId: ADA });
  expect(await requests.deletionStatus('threads', code)).toBe('done');
});

test('a person without a Channel is answered as any other, and nothing that is kept says who it is', async () => {
  const code = await requests.deleteData(read('threads', '404'));
  expect(code).toMatch(/^[\w-]{20,}$/);
  expect(await requests.deletionStatus('threads', code)).toBe('done');
  expect(sent).toEqual([]);
  const row = await store.read(DATA_DELETIONS, [code], []);
  expect(Buffer.from(row!.body).toString()).not.toContain('404');
});

test('a code is one of its own Network, and one that was never given is none', async () => {
  const code = await requests.deleteData(read('threads', ADA));
  expect(await requests.deletionStatus('facebook', code)).toBeNull();
  expect(await requests.deletionStatus('threads', 'never-given')).toBeNull();
});

test.each([
  ['another secret', signedRequest({ userId: ADA, issuedAt: 1 }, 'another')],
  ['nothing', ''],
  ['no signature', `.${Buffer.from('{}').toString('base64url')}`],
])('what is signed with %s is refused', (_what, text) => {
  expect(requests.read('threads', text)).toBeNull();
});

test('a Network without an app of ours sends nothing, whatever it is signed with', () => {
  expect([requests.isServed('threads'), requests.isServed('x'), requests.isServed('instagram')]).toEqual([
    true,
    false,
    false,
  ]);
  expect(requests.read('instagram', signedRequest({ userId: ADA, issuedAt: 1 }, ''))).toBeNull();
});

test('the instant of a request is the end of the second that the Network named, and never in the future', async () => {
  await clock.advance(1_000 - (clock.now() % 1_000) + 300);
  expect(read('threads', ADA).requestedAt).toBe(clock.now());
  const before = signedRequest({ userId: ADA, issuedAt: issuedAt() - 60 }, SECRET);
  expect(requests.read('threads', before)!.requestedAt).toBe((issuedAt() - 60) * 1_000 + 999);
});
