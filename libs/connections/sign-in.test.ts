import { beforeEach, describe, expect, test } from 'vitest';
import { createMemoryClock, type MemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryHttpClient } from '#adapters/memory/http-client.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { MemoryTables } from '#adapters/memory/memory-tables.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import { MAX_CHANNEL_NAME_BYTES } from '#domain/channel/channel.ts';
import { jsonBytes } from '#domain/json-size.ts';
import type { Result } from '#domain/workspace/results.ts';
import { SIGN_INS } from '#tables/declarations/tables.ts';
import type { AuthAnswer, ConnectableAccount, NetworkAuth, Tokens } from '#networks/contract/adapter.ts';
import type { ChannelSender } from './connect-channel.ts';
import { SignIns, type SignInCallback, type SignInRequest } from './sign-in.ts';

const MINUTE = 60_000;
const SUMMARY = { status: 400, detail: 'no' };
const tokensOf = (accessToken: string): Tokens => ({
  accessToken,
  refreshToken: null,
  expiresAt: Number.MAX_SAFE_INTEGER,
});
const account = (accountId: string, name: string): ConnectableAccount => ({
  accountId,
  name,
  username: name.toLowerCase(),
  avatarUrl: null,
  kind: '',
  tokens: tokensOf(`page-${accountId}`),
});
const ADA = account('1', 'Ada');
const BOB = account('2', 'Bob');
const REQUEST: SignInRequest = { workspaceId: 'w', network: 'facebook', reconnects: null, name: null };

let clock: MemoryClock;
let tables: MemoryTables;
let saved: { readonly channelId: string; readonly accessToken: string }[];
let ordered: { readonly channelId: string; readonly name: string; readonly accountId: string }[];
let senders: ChannelSender[];
let forgotten: string[];
let offered: AuthAnswer<readonly ConnectableAccount[]>;
let exchanges: { readonly code: string; readonly verifier: string }[];
let refuse: Result | null;

beforeEach(() => {
  clock = createMemoryClock();
  tables = new MemoryTables();
  [saved, ordered, senders, forgotten, exchanges] = [[], [], [], [], []];
  offered = { kind: 'ok', value: [ADA] };
  refuse = null;
});

const auth: NetworkAuth = {
  network: 'facebook',
  authorizeUrl: ({ state, verifier, redirectUri }) =>
    `https://facebook.test/dialog?${new URLSearchParams({ state, verifier, redirect_uri: redirectUri })}`,
  exchange: async (_http, { code, verifier }) => (
    exchanges.push({ code, verifier }),
    code === 'bad' ? { kind: 'refused', summary: SUMMARY } : { kind: 'ok', value: tokensOf('user') }
  ),
  refresh: async () => ({ kind: 'refused', summary: SUMMARY }),
  accounts: async () => offered,
  refreshDueAt: () => Number.MAX_SAFE_INTEGER,
};

let seed = 0;

/** A process of its own: any of them may take the next step. */
function process(): SignIns {
  return new SignIns({
    store: createMemoryTableStore({ clock, tables }),
    secretBox: createSecretBox({ secret: 'a master secret for tests only, long enough' }),
    http: createMemoryHttpClient(async () => ({ cut: 'before' })),
    auths: { facebook: auth },
    clock,
    ids: createSeededIds(seed++),
    reporter: createMemoryReporter(),
    connections: {
      save: async ({ id }, { accessToken }) => (saved.push({ channelId: id, accessToken }), `connection of ${id}`),
      rename: async () => {},
      forget: async (id) => void forgotten.push(id),
    },
    sendCommand: async (_workspaceId, order, sender) => (
      ordered.push(order),
      senders.push(sender),
      refuse ?? ({ ok: true } as Result)
    ),
    redirectUri: (network) => `https://crier.test/connect/${network}/callback`,
  });
}

async function begun(more: Partial<SignInRequest> = {}): Promise<SignInCallback> {
  const { ticket } = await process().begin({ ...REQUEST, ...more });
  return opened(ticket);
}

async function opened(ticket: string): Promise<SignInCallback> {
  const started = await process().start(ticket);
  if (started.kind === 'problem') throw new Error(started.message);
  return {
    network: 'facebook',
    state: new URL(started.authorizeUrl).searchParams.get('state')!,
    browserKey: started.browserKey,
    code: 'good',
    error: '',
  };
}

test('one account is connected at once, its own tokens kept before the Channel is', async () => {
  const callback = await begun();
  const answer = await process().finish(callback);
  expect(answer).toEqual({
    kind: 'connected',
    channels: [{ channelId: saved[0]!.channelId, accountId: '1', name: 'Ada' }],
  });
  const { channelId } = ordered[0]!;
  expect(saved).toEqual([{ channelId, accessToken: 'page-1' }]);
  expect(ordered[0]).toMatchObject({ connectionId: `connection of ${channelId}` });
});

test('the address of the picture goes with the order, unless no record has room for it', async () => {
  for (const [avatarUrl, sent] of [
    ['https://p.test/1', 'https://p.test/1'],
    [`https://p.test/${'a'.repeat(5_000)}`, null],
  ] as const) {
    offered = { kind: 'ok', value: [{ ...ADA, avatarUrl }] };
    await process().finish(await begun());
    expect(ordered.at(-1)).toMatchObject({ avatarUrl: sent });
  }
});

test('what a Member connects is ordered for them, in the app and from the address of their browser', async () => {
  const address = '192.0.2.7';
  const member = { credential: { kind: 'member', memberId: 'm' }, door: 'app', address };
  await process().finish({ ...(await begun({ memberId: 'm' })), address });
  offered = { kind: 'ok', value: [ADA, BOB] };
  const callback = await begun({ memberId: 'm' });
  await process().finish(callback);
  await process().choose({ ...callback, accountIds: ['2'], address });
  await process().finish({ ...(await begun({ reconnects: { channelId: 'c', accountId: '2' } })), address });
  expect(senders).toEqual([member, member, {}]);
});

test('the verifier that the Network saw is the one the code is exchanged with', async () => {
  const { ticket } = await process().begin(REQUEST);
  const started = await process().start(ticket);
  if (started.kind === 'problem') throw new Error(started.message);
  const { state, verifier } = Object.fromEntries(new URL(started.authorizeUrl).searchParams);
  await process().finish({
    network: 'facebook',
    state: state!,
    browserKey: started.browserKey,
    code: 'good',
    error: '',
  });
  expect(exchanges).toEqual([{ code: 'good', verifier }]);
});

test.each([
  ['a Member', { memberId: 'm' }, { workspaceId: 'w' }],
  ['an operator', {}, null],
])('whom it leads back to the app, when %s began it, is known until it is over', async (_who, by, expected) => {
  const { ticket } = await process().begin({ ...REQUEST, ...by });
  const started = await process().start(ticket);
  if (started.kind !== 'started') throw new Error(started.kind);
  const state = new URL(started.authorizeUrl).searchParams.get('state')!;
  const { browserKey } = started;
  await process().finish({ network: 'facebook', state, browserKey, code: 'c', error: '' });
  expect(await process().begunIn(state)).toEqual(expected);
  expect(await process().begunIn('none')).toBeNull();
  await clock.advance(16 * MINUTE);
  expect(await process().begunIn(state)).toBeNull();
});

describe('several accounts', () => {
  beforeEach(() => void (offered = { kind: 'ok', value: [ADA, BOB] }));

  test('are offered without their tokens, and those chosen are connected', async () => {
    const callback = await begun({ name: 'Mine' });
    expect(await process().finish(callback)).toEqual({
      kind: 'choose',
      accounts: [
        { accountId: '1', name: 'Ada', username: 'ada' },
        { accountId: '2', name: 'Bob', username: 'bob' },
      ],
    });
    expect(saved).toEqual([]);
    const chosen = await process().choose({ ...callback, accountIds: ['2', 'no account of mine'] });
    expect(chosen).toMatchObject({ kind: 'connected', channels: [{ accountId: '2', name: 'Mine' }] });
    expect(saved.map(({ accessToken }) => accessToken)).toEqual(['page-2']);
  });

  test('none chosen, or by another browser, connects nothing; and choosing twice connects once', async () => {
    const callback = await begun();
    await process().finish(callback);
    expect(await process().choose({ ...callback, accountIds: [] })).toMatchObject({ kind: 'problem', passing: true });
    expect(await process().choose({ ...callback, browserKey: 'stolen', accountIds: ['1'] })).toMatchObject({
      kind: 'problem',
    });
    const twice = await Promise.all([1, 2].map(() => process().choose({ ...callback, accountIds: ['1', '2'] })));
    expect(twice.map(({ kind }) => kind).toSorted()).toEqual(['connected', 'problem']);
    expect(ordered.map(({ accountId }) => accountId)).toEqual(['1', '2']);
  });

  test('a reconnect takes the account of the Channel and leaves the others', async () => {
    expect(await process().finish(await begun({ reconnects: { channelId: 'c', accountId: '2' } }))).toEqual({
      kind: 'connected',
      channels: [{ channelId: 'c', accountId: '2', name: 'Bob' }],
    });
    expect(await process().finish(await begun({ reconnects: { channelId: 'c', accountId: '3' } }))).toMatchObject({
      kind: 'problem',
      message: expect.stringContaining('another account'),
    });
  });
});

describe('nothing is connected by', () => {
  test.each<[string, Partial<SignInCallback>]>([
    ['another browser', { browserKey: 'stolen' }],
    ['no cookie at all', { browserKey: '' }],
    ['a forged state', { state: 'forged.state' }],
    ['a state without its secret', { state: 'x' }],
    ['the callback of another Network', { network: 'x' }],
  ])('%s', async (_, more) => {
    const callback = await begun();
    expect(await process().finish({ ...callback, ...more })).toMatchObject({ kind: 'problem', isUnknown: true });
    expect(exchanges).toEqual([]);
    // The person himself can still go on.
    expect((await process().finish(callback)).kind).toBe('connected');
  });

  test.each(['', 'x', 'a.b.c', '../w.secret', `${'a'.repeat(100)}.b`])('the ticket "%s"', async (ticket) => {
    expect(await process().start(ticket)).toMatchObject({ kind: 'problem', isUnknown: true });
  });

  test('a person who said no, who is no stranger', async () => {
    const refused = await process().finish({ ...(await begun()), code: null, error: 'access_denied' });
    expect(refused).toMatchObject({ kind: 'problem', message: expect.stringContaining('access_denied') });
    expect(refused).not.toHaveProperty('isUnknown');
  });

  test('a code the Network refuses, or accounts that it does not tell', async () => {
    expect(await process().finish({ ...(await begun()), code: 'bad' })).toMatchObject({
      kind: 'problem',
      passing: false,
    });
    offered = { kind: 'unavailable', sent: true, summary: SUMMARY };
    expect(await process().finish(await begun())).toMatchObject({ kind: 'problem', passing: true });
    offered = { kind: 'ok', value: [] };
    expect(await process().finish(await begun())).toMatchObject({
      kind: 'problem',
      message: expect.stringContaining('no account'),
    });
  });

  test('a link that is a quarter of an hour old', async () => {
    const callback = await begun();
    await clock.advance(15 * MINUTE);
    expect(await process().finish(callback)).toMatchObject({ kind: 'problem' });
  });

  test('a state of before, once the link was opened anew', async () => {
    const { ticket } = await process().begin(REQUEST);
    const first = await opened(ticket);
    const second = await opened(ticket);
    expect(await process().finish(first)).toMatchObject({ kind: 'problem' });
    expect((await process().finish(second)).kind).toBe('connected');
  });
});

test('the same callback in two processes at once exchanges the code once', async () => {
  const callback = await begun();
  const answers = await Promise.all([1, 2].map(() => process().finish(callback)));
  expect(answers.map(({ kind }) => kind).toSorted()).toEqual(['connected', 'problem']);
  expect(exchanges).toHaveLength(1);
});

test('what the Workspace refuses leaves no tokens, unless the outcome is unknown', async () => {
  refuse = { ok: false, code: 'plan_limit', message: 'Six Channels at most.' };
  expect(await process().finish(await begun())).toMatchObject({
    kind: 'problem',
    refusal: { code: 'plan_limit' },
    message: expect.stringContaining('Six Channels'),
  });
  expect(forgotten).toEqual([saved[0]!.channelId]);
  refuse = { ok: false, code: 'outcome_unknown', message: 'Not known.' };
  expect(await process().finish(await begun())).toMatchObject({ kind: 'problem', passing: true });
  expect(forgotten).toHaveLength(1);
});

test('nothing that is stored would let a reader of the store sign in', async () => {
  offered = { kind: 'ok', value: [ADA, BOB] };
  const { ticket } = await process().begin(REQUEST);
  const callback = await opened(ticket);
  await process().finish(callback);
  const [id] = callback.state.split('.');
  const row = await createMemoryTableStore({ clock, tables }).read(SIGN_INS, [id!], []);
  const stored = Buffer.from(row!.body).toString('latin1');
  expect(stored).toContain('Ada');
  for (const secret of [ticket.split('.')[1]!, callback.state.split('.')[1]!, callback.browserKey, 'page-1', 'page-2'])
    expect(stored).not.toContain(secret);
});

test.each(['長', '"', '\u0001'])(
  'of a name of 5,000 %j that the Network gives, the Channel gets the beginning',
  async (unit) => {
    offered = { kind: 'ok', value: [account('1', unit.repeat(5_000))] };
    expect(await process().finish(await begun())).toMatchObject({ kind: 'connected' });
    const { name } = ordered[0]!;
    expect(jsonBytes(name)).toBeLessThanOrEqual(MAX_CHANNEL_NAME_BYTES);
    expect([name.startsWith(unit.repeat(200)), name.endsWith('…')]).toEqual([true, true]);
  },
);
