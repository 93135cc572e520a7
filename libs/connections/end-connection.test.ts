import { beforeEach, expect, test } from 'vitest';
import { createMemoryClock, type MemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryHttpClient } from '#adapters/memory/http-client.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore, type TableOperation } from '#adapters/memory/table-store.ts';
import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import type { AuthAnswer, NetworkAuth, Tokens } from '#networks/contract/adapter.ts';
import { PortError } from '#ports/errors.ts';
import type { TableStore } from '#ports/table-store.ts';
import { CONNECTIONS } from '#tables/declarations/tables.ts';
import { createPersonChannels } from '#tables/repositories/person-channels.ts';
import { createConnections, type Connections } from './connections.ts';

const WORKSPACE = 'workspace-1';
const SUMMARY = { status: 200, detail: 'no answer' };
const TOKENS: Tokens = { accessToken: 'access', refreshToken: 'refresh', expiresAt: Number.MAX_SAFE_INTEGER };
const NETWORK = 'facebook';

const DAY_MS = 86_400_000;

let clock: MemoryClock;
let store: TableStore;
let onWrite: (when: 'before' | 'after') => void;
let seed: number;
let revoked: string[];
let answer: AuthAnswer<true>;
let onRevoke: () => Promise<void>;

const auth: NetworkAuth = {
  network: NETWORK,
  authorizeUrl: () => '',
  exchange: async () => ({ kind: 'ok', value: TOKENS }),
  refresh: async (_http, tokens) => ({ kind: 'ok', value: { ...tokens, accessToken: 'refreshed' } }),
  accounts: async () => ({ kind: 'ok', value: [] }),
  refreshDueAt: ({ expiresAt }) => expiresAt,
  revoke: async (_http, { accessToken }, accountId) => {
    revoked.push(`${accountId} ${accessToken}`);
    await onRevoke();
    return answer;
  },
};

function process(more: Partial<NetworkAuth> = {}): Connections {
  const ids = createSeededIds(seed++);
  return createConnections({
    ...{ store, clock, ids, reporter: createMemoryReporter() },
    secretBox: createSecretBox({ secret: 'a master secret for tests only, long enough' }),
    http: createMemoryHttpClient(async () => ({ cut: 'before' })),
    auths: { [NETWORK]: { ...auth, ...more } },
  });
}

/** A Channel of a Page that this person connected; resolves with the id of its tokens. */
function connect(channelId: string, personId = 'ada', accessToken = `token of ${channelId}`): Promise<string> {
  const profile = { accountId: `page of ${channelId}`, username: 'page', facts: { personId } };
  return process().save(
    { id: channelId, workspaceId: WORKSPACE, network: NETWORK },
    { ...TOKENS, accessToken },
    profile,
  );
}

const end = (channelId: string, connectionId: string | null, isLastTry = false) =>
  process().end({ channelId, connectionId, isLastTry });
const rowOf = async (channelId: string) =>
  Buffer.from((await store.read(CONNECTIONS, [channelId], []))?.body ?? []).toString();
const channelsOf = async (personId: string) =>
  (await createPersonChannels(store, () => 't').of({ network: NETWORK, personId })).map(({ channelId }) => channelId);

beforeEach(() => {
  clock = createMemoryClock();
  onWrite = () => {};
  const hook = (when: 'before' | 'after') => async (operation: TableOperation) => {
    if (operation.name === 'compareAndSet') onWrite(when);
  };
  const hooks = { before: hook('before'), after: hook('after') };
  store = createMemoryTableStore({ clock, hooks });
  seed = 1;
  revoked = [];
  answer = { kind: 'ok', value: true };
  onRevoke = async () => {};
});

test('the tokens are ended at the Network first, then removed with all that is kept of the account', async () => {
  const connectionId = await connect('c1');
  let during = '';
  onRevoke = async () => void (during = await rowOf('c1'));
  expect(await end('c1', connectionId)).toMatchObject({ kind: 'ended', revocation: 'revoked' });
  expect(revoked).toEqual(['page of c1 token of c1']);
  expect(during).toContain('page of c1');
  expect(await rowOf('c1')).toContain('"sealed":""');
  expect(await rowOf('c1')).not.toMatch(/page|ada/);
  expect(await channelsOf('ada')).toEqual([]);
});

test('an order that comes again ends nothing again', async () => {
  const connectionId = await connect('c1');
  await end('c1', connectionId);
  expect(await end('c1', connectionId)).toEqual({ kind: 'superseded' });
  expect(revoked).toHaveLength(1);
});

test('tokens of a later connecting are left alone', async () => {
  const before = await connect('c1');
  await connect('c1', 'ada', 'token of after');
  expect(await end('c1', before)).toEqual({ kind: 'superseded' });
  expect(revoked).toEqual([]);
  expect(await process().tokensFor('c1', NETWORK)).toMatchObject({ kind: 'ok', accessToken: 'token of after' });
  expect(await channelsOf('ada')).toEqual(['c1']);
});

test('a connecting that comes while the Network is asked keeps its tokens', async () => {
  const before = await connect('c1');
  onRevoke = async () => void (await connect('c1', 'ada', 'token of after'));
  expect(await end('c1', before)).toEqual({ kind: 'superseded' });
  expect(await process().tokensFor('c1', NETWORK)).toMatchObject({ kind: 'ok', accessToken: 'token of after' });
  expect(await channelsOf('ada')).toEqual(['c1']);
});

test('the Network is not asked while another Channel of the person lives', async () => {
  const [first] = [await connect('c1'), await connect('c2')];
  await connect('c3', 'bob');
  expect(await end('c1', first)).toMatchObject({ kind: 'ended', revocation: 'shared' });
  expect(revoked).toEqual([]);
  expect(await process().tokensFor('c1', NETWORK)).toMatchObject({ kind: 'needs_reconnect' });
  expect(await process().tokensFor('c2', NETWORK)).toMatchObject({ kind: 'ok' });
});

test('of Channels that are disconnected together, the last one asks', async () => {
  const connected = await Promise.all(['c1', 'c2', 'c3'].map(async (id) => [id, await connect(id)] as const));
  await Promise.all(connected.map(([channelId, connectionId]) => end(channelId, connectionId)));
  expect(revoked.length).toBeGreaterThanOrEqual(1);
  for (const [channelId] of connected) expect(await rowOf(channelId)).toContain('"sealed":""');
});

test('a Network that can not be asked keeps the tokens, which no call uses any more, until the last try', async () => {
  const connectionId = await connect('c1');
  answer = { kind: 'unavailable', sent: true, summary: SUMMARY };
  expect(await end('c1', connectionId)).toEqual({ kind: 'unavailable', detail: 'no answer' });
  expect(await process().tokensFor('c1', NETWORK)).toMatchObject({ kind: 'needs_reconnect' });
  expect(await end('c1', connectionId, true)).toMatchObject({ kind: 'ended', revocation: 'unavailable' });
  expect(await rowOf('c1')).toContain('"sealed":""');
});

test('a refusal, and a Network without a call for it, end as removed tokens', async () => {
  answer = { kind: 'refused', summary: SUMMARY };
  expect(await end('c1', await connect('c1'))).toMatchObject({ kind: 'ended', revocation: 'refused' });
  const connectionId = await connect('c2');
  const { revoke: _, ...without } = auth;
  const other = createConnections({
    ...{ store, clock, ids: createSeededIds(99), reporter: createMemoryReporter() },
    secretBox: createSecretBox({ secret: 'a master secret for tests only, long enough' }),
    http: createMemoryHttpClient(async () => ({ cut: 'before' })),
    auths: { [NETWORK]: without },
  });
  expect(await other.end({ channelId: 'c2', connectionId, isLastTry: false })).toMatchObject({ revocation: 'none' });
  expect(await rowOf('c2')).toContain('"sealed":""');
});

test('tokens that are being refreshed are ended later: the new ones must end too', async () => {
  const connectionId = await connect('c1');
  const refreshing = process({
    refresh: async (_http, tokens) => {
      expect(await end('c1', connectionId)).toMatchObject({ kind: 'unavailable' });
      return { kind: 'ok', value: { ...tokens, accessToken: 'refreshed' } };
    },
  });
  await refreshing.refreshNow('c1', 'token of c1');
  expect(await end('c1', connectionId)).toMatchObject({ kind: 'ended', revocation: 'revoked' });
  expect(revoked).toEqual(['page of c1 refreshed']);
});

test('a claim of a process that ended while the clock led keeps no tokens from their end', async () => {
  const connectionId = await connect('c1');
  clock.moveWall(DAY_MS);
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  void process({ refresh: () => (ask(), new Promise(() => {})) }).refreshNow('c1', 'token of c1');
  await asked;
  clock.moveWall(-DAY_MS);
  expect(await end('c1', connectionId)).toMatchObject({ kind: 'ended', revocation: 'revoked' });
});

test.each(['before', 'after'] as const)(
  'a process that ends %s any of its writes leaves what the next try ends',
  async (when) => {
    for (let at = 0; at < 4; at++) {
      const [channelId, personId] = [`crash-${at}`, `person-${at}`];
      const connectionId = await connect(channelId, personId);
      let [writes, crashes] = [0, 0];
      onWrite = (moment) => {
        if (moment !== when || writes++ !== at) return;
        crashes += 1;
        throw new PortError('unavailable', 'the process ended');
      };
      await end(channelId, connectionId).catch(() => null);
      onWrite = () => {};
      await end(channelId, connectionId);
      expect(crashes).toBe(at < 3 ? 1 : 0);
      expect([await channelsOf(personId), (await rowOf(channelId)).includes('"sealed":""')]).toEqual([[], true]);
    }
  },
);
