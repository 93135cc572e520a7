import { beforeEach, describe, expect, test } from 'vitest';
import { createMemoryClock, type MemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryHttpClient, type HttpHandler } from '#adapters/memory/http-client.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore, type TableHooks } from '#adapters/memory/table-store.ts';
import { PortError } from '#ports/errors.ts';
import type { HttpResponse } from '#ports/http-client.ts';
import type { SecretBox } from '#ports/secret-box.ts';
import type { TableStore } from '#ports/table-store.ts';
import { CONNECTIONS } from '#tables/declarations/tables.ts';
import { jsonAnswer } from '#testing/scripted-network.ts';
import { createNetworks, sandboxEndpoints } from '#networks/registry.ts';
import { createConnections, type Connections } from './connections.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const CHANNEL = { id: 'channel-1', workspaceId: 'workspace-1', network: 'x' } as const;
const THREADS_CHANNEL = { id: 'channel-2', workspaceId: 'workspace-1', network: 'threads' } as const;
const PROFILE = { accountId: '77', username: 'ada' };
const SCOPE = 'tweet.read tweet.write users.read media.write offline.access';

/** Binds the context as the real one does, without its cryptography. */
const secretBox: SecretBox = {
  keyIds: ['plain'],
  keyIdOf: () => 'plain',
  seal: (plain, context) => Buffer.from(JSON.stringify([context, plain])).toString('base64'),
  open: (sealed, context) => {
    const [boundTo, plain] = JSON.parse(Buffer.from(sealed, 'base64').toString()) as [string, string];
    if (boundTo !== context) throw new Error('sealed for another');
    return plain;
  },
};

let clock: MemoryClock;
let store: TableStore;
let seed: number;
/** X's token endpoint: single-use refresh tokens, as the real one. */
let valid: string;
let refreshes: number;
let meddle: (answer: HttpResponse) => ReturnType<HttpHandler>;

const tokenEndpoint: HttpHandler = async (request) => {
  refreshes += 1;
  const given = new URLSearchParams(String(request.body)).get('refresh_token');
  if (given !== valid)
    return meddle(
      jsonAnswer(400, { error: 'invalid_request', error_description: 'Value passed for the token was invalid.' }),
    );
  valid = `refresh-${refreshes}`;
  return meddle(
    jsonAnswer(200, { access_token: `access-${refreshes}`, refresh_token: valid, expires_in: 7200, scope: SCOPE }),
  );
};

function owner(handler: HttpHandler = tokenEndpoint, over: TableStore = store): Connections {
  seed += 1;
  const { auths } = createNetworks(sandboxEndpoints('http://sandbox.test'));
  return createConnections({
    store: over,
    secretBox,
    http: createMemoryHttpClient(handler),
    auths,
    clock,
    ids: createSeededIds(seed),
    reporter: createMemoryReporter(),
  });
}

function connected(livesMs = 2 * HOUR_MS): Promise<string> {
  return owner().save(
    CHANNEL,
    { accessToken: 'access-0', refreshToken: 'refresh-0', expiresAt: clock.now() + livesMs },
    PROFILE,
  );
}

beforeEach(() => {
  clock = createMemoryClock();
  store = createMemoryTableStore({ clock });
  seed = 0;
  valid = 'refresh-0';
  refreshes = 0;
  meddle = async (answer) => answer;
});

test('a fresh token is handed out as it is, and is sealed where it rests', async () => {
  await connected();
  expect(await owner().tokensFor('channel-1', 'x')).toEqual({
    kind: 'ok',
    accessToken: 'access-0',
    username: 'ada',
    accountId: '77',
    facts: {},
    issuedAt: expect.any(Number),
  });
  expect(refreshes).toBe(0);
  const row = await store.read(CONNECTIONS, ['channel-1'], []);
  expect(Buffer.from(row?.body ?? []).toString()).not.toMatch(/access-0|refresh-0/);
});

test('tokens of a Network whose app was taken away serve until their end, and then wait for the app', async () => {
  await connected();
  const withoutApp = createConnections({
    ...{ store, secretBox, clock, ids: createSeededIds(9), reporter: createMemoryReporter() },
    http: createMemoryHttpClient(tokenEndpoint),
    auths: {},
  });
  await clock.advance(1.9 * HOUR_MS);
  expect(await withoutApp.tokensFor('channel-1', 'x')).toMatchObject({ kind: 'ok', accessToken: 'access-0' });
  await clock.advance(HOUR_MS);
  const missing = { kind: 'unavailable', detail: expect.stringContaining('no app') };
  expect(await withoutApp.tokensFor('channel-1', 'x')).toMatchObject(missing);
  expect(await withoutApp.refreshNow('channel-1', 'access-0')).toMatchObject(missing);
  expect(await owner().tokensFor('channel-1', 'x')).toMatchObject({ kind: 'ok', accessToken: 'access-1' });
});

test('twenty users of one expired Channel make one refresh', async () => {
  await connected();
  await clock.advance(3 * HOUR_MS);
  const one = owner();
  const answers = await Promise.all(Array.from({ length: 20 }, () => one.tokensFor('channel-1', 'x')));
  expect(answers.every((answer) => answer.kind === 'ok' && answer.accessToken === 'access-1')).toBe(true);
  expect(refreshes).toBe(1);
});

test('two owners make one refresh: one waits for the other', async () => {
  await connected();
  await clock.advance(3 * HOUR_MS);
  const [one, other] = [owner(), owner()];
  const answers = await Promise.all(
    [one, other, one, other].map((connections) => connections.tokensFor('channel-1', 'x')),
  );
  expect(refreshes).toBe(1);
  for (const answer of answers)
    expect(answer).toMatchObject(
      answer.kind === 'ok' ? { accessToken: 'access-1' } : { kind: 'unavailable', delayMs: 1_000 },
    );
  expect(answers.some((answer) => answer.kind === 'ok')).toBe(true);
  expect(await other.tokensFor('channel-1', 'x')).toMatchObject({ kind: 'ok', accessToken: 'access-1' });
  expect(refreshes).toBe(1);
});

test('the new pair is stored before it is used', async () => {
  await connected();
  await clock.advance(3 * HOUR_MS);
  const answer = await owner().tokensFor('channel-1', 'x');
  expect(answer).toMatchObject({ accessToken: 'access-1' });
  expect(await owner(async () => ({ cut: 'before' })).tokensFor('channel-1', 'x')).toEqual(answer);
});

test('a token near its end is refreshed; when that fails it serves on', async () => {
  await connected();
  await clock.advance(2 * HOUR_MS - 5 * 60_000);
  expect(await owner(async () => ({ cut: 'after' })).tokensFor('channel-1', 'x')).toMatchObject({
    kind: 'ok',
    accessToken: 'access-0',
  });
  await clock.advance(16_000);
  expect(await owner().tokensFor('channel-1', 'x')).toMatchObject({ kind: 'ok', accessToken: 'access-1' });
});

describe('answers that are lost', () => {
  test('a lost answer costs one more try; being refused then ends the connection', async () => {
    await connected();
    await clock.advance(3 * HOUR_MS);
    meddle = async (answer) => (answer.status === 200 ? { cut: 'after' } : answer);
    expect(await owner().tokensFor('channel-1', 'x')).toMatchObject({ kind: 'unavailable', delayMs: 15_000 });
    expect(await owner().tokensFor('channel-1', 'x')).toMatchObject({ kind: 'unavailable' });
    expect(refreshes).toBe(1);
    await clock.advance(15_000);
    expect(await owner().tokensFor('channel-1', 'x')).toMatchObject({
      kind: 'needs_reconnect',
      detail: expect.stringContaining('earlier refresh was lost'),
    });
    expect(await owner().tokensFor('channel-1', 'x')).toMatchObject({ kind: 'needs_reconnect' });
    expect(refreshes).toBe(2);
  });

  test('time-outs and 5xx never end a connection, however many', async () => {
    await connected();
    await clock.advance(3 * HOUR_MS);
    for (let i = 0; i < 12; i++) {
      const answer = await owner(async () => (i % 2 === 0 ? jsonAnswer(503, {}) : { cut: 'after' })).tokensFor(
        'channel-1',
        'x',
      );
      expect(answer.kind).toBe('unavailable');
      await clock.advance(6 * 60_000);
    }
    expect(await owner().tokensFor('channel-1', 'x')).toMatchObject({ kind: 'ok', accessToken: 'access-1' });
  });

  test('a clock that led while the Network could not be asked makes nothing wait once it is put back', async () => {
    await connected();
    const leadMs = 365 * DAY_MS;
    clock.moveWall(leadMs);
    const away: HttpHandler = async () => ({ cut: 'before' });
    expect((await owner(away).tokensFor('channel-1', 'x')).kind).toBe('unavailable');
    // And one process ends while it asks.
    await clock.advance(HOUR_MS);
    let arrived = () => {};
    const asked = new Promise<void>((resolve) => (arrived = resolve));
    void owner(() => (arrived(), new Promise(() => {}))).tokensFor('channel-1', 'x');
    await asked;
    clock.moveWall(-leadMs);
    await clock.advance(2 * HOUR_MS);
    expect(await owner().tokensFor('channel-1', 'x')).toMatchObject({ kind: 'ok', accessToken: 'access-1' });
    clock.moveWall(leadMs);
    expect((await owner(away).tokensFor('channel-1', 'x')).kind).toBe('unavailable');
    clock.moveWall(-leadMs);
    await clock.advance(3 * HOUR_MS);
    expect(await owner().tokensFor('channel-1', 'x')).toMatchObject({ kind: 'ok', accessToken: 'access-2' });
  });

  test('a crash between answer and store holds the claim for its lease, then one more try is made', async () => {
    await connected();
    await clock.advance(3 * HOUR_MS);
    let arrived = () => {};
    const asked = new Promise<void>((resolve) => (arrived = resolve));
    void owner(() => {
      arrived();
      return new Promise(() => {});
    }).tokensFor('channel-1', 'x');
    await asked;
    expect(await owner().tokensFor('channel-1', 'x')).toMatchObject({ kind: 'unavailable' });
    expect(refreshes).toBe(0);
    await clock.advance(60_000);
    expect(await owner().tokensFor('channel-1', 'x')).toMatchObject({ kind: 'ok', accessToken: 'access-1' });
  });

  test('a pair that comes after the lease still counts against a refusal it caused', async () => {
    await connected();
    await clock.advance(3 * HOUR_MS);
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let arrived = () => {};
    const asked = new Promise<void>((resolve) => (arrived = resolve));
    const slow = owner(async (request) => {
      const answer = await tokenEndpoint(request);
      arrived();
      await held;
      return answer;
    }).tokensFor('channel-1', 'x');
    await asked;
    await clock.advance(60_000);
    expect(await owner().tokensFor('channel-1', 'x')).toMatchObject({ kind: 'needs_reconnect' });
    release();
    expect(await slow).toMatchObject({ kind: 'ok', accessToken: 'access-1' });
    expect(await owner().tokensFor('channel-1', 'x')).toMatchObject({ kind: 'ok', accessToken: 'access-1' });
  });

  test('a late pair never replaces that of a reconnect', async () => {
    await connected();
    await clock.advance(3 * HOUR_MS);
    const answer = await owner(async (request) => {
      await owner().save(
        CHANNEL,
        { accessToken: 'reconnected', refreshToken: 'r', expiresAt: clock.now() + 2 * HOUR_MS },
        PROFILE,
      );
      return tokenEndpoint(request);
    }).tokensFor('channel-1', 'x');
    expect(answer).toMatchObject({ kind: 'ok', accessToken: 'reconnected' });
    expect(await owner().tokensFor('channel-1', 'x')).toMatchObject({ accessToken: 'reconnected' });
  });
});

test('a definite refusal needs a person, and a reconnect mends it', async () => {
  await connected();
  valid = 'another';
  await clock.advance(3 * HOUR_MS);
  expect(await owner().tokensFor('channel-1', 'x')).toEqual({
    kind: 'needs_reconnect',
    detail: 'Value passed for the token was invalid.',
  });
  await connected();
  expect(await owner().tokensFor('channel-1', 'x')).toMatchObject({ kind: 'ok', accessToken: 'access-0' });
});

test("wrong app credentials are the operator's, not the Channel's", async () => {
  await connected();
  await clock.advance(3 * HOUR_MS);
  const refused = jsonAnswer(401, {
    error: 'unauthorized_client',
    error_description: 'Missing valid authorization header',
  });
  expect(await owner(async () => refused).tokensFor('channel-1', 'x')).toMatchObject({ kind: 'unavailable' });
});

describe('refreshing what the Network refused', () => {
  test('a dead token is replaced at once, whatever its dates say', async () => {
    await connected();
    expect(await owner().refreshNow('channel-1', 'access-0')).toMatchObject({ kind: 'ok', accessToken: 'access-1' });
    expect(refreshes).toBe(1);
  });

  test('another process has done it already', async () => {
    await connected();
    await owner().refreshNow('channel-1', 'access-0');
    expect(await owner().refreshNow('channel-1', 'access-0')).toMatchObject({ kind: 'ok', accessToken: 'access-1' });
    expect(refreshes).toBe(1);
  });
});

describe('tokens that prolong themselves', () => {
  const prolonging =
    (status = 200): HttpHandler =>
    async () => {
      refreshes += 1;
      return status === 200
        ? jsonAnswer(200, { access_token: `long-${refreshes}`, expires_in: 60 * 86_400 })
        : jsonAnswer(status, { error: { code: 190, message: 'no' } });
    };
  beforeEach(() =>
    owner().save(
      THREADS_CHANNEL,
      { accessToken: 'long-0', refreshToken: null, expiresAt: clock.now() + 60 * DAY_MS },
      PROFILE,
    ),
  );

  test('are refreshed weekly on use, a little early, never in their first day', async () => {
    await clock.advance(23 * HOUR_MS);
    expect(await owner(prolonging()).tokensFor('channel-2', 'threads')).toMatchObject({ accessToken: 'long-0' });
    await clock.advance(6 * DAY_MS + HOUR_MS);
    expect(await owner(prolonging()).tokensFor('channel-2', 'threads')).toMatchObject({ accessToken: 'long-1' });
  });

  test('a refused prolongation leaves the token in use, and is tried again a day later', async () => {
    await clock.advance(7 * DAY_MS);
    for (let use = 0; use < 3; use++)
      expect(await owner(prolonging(400)).tokensFor('channel-2', 'threads')).toMatchObject({
        kind: 'ok',
        accessToken: 'long-0',
      });
    expect(refreshes).toBe(1);
    await clock.advance(DAY_MS);
    expect(await owner(prolonging()).tokensFor('channel-2', 'threads')).toMatchObject({ accessToken: 'long-2' });
  });

  test('a token that the Network refused and does not prolong needs a person', async () => {
    expect(await owner(prolonging(400)).refreshNow('channel-2', 'long-0')).toMatchObject({ kind: 'needs_reconnect' });
  });

  test('a token that turns out to be dead after its prolongation was refused needs a person at once', async () => {
    await clock.advance(7 * DAY_MS);
    const refusing = owner(prolonging(400));
    expect(await refusing.tokensFor('channel-2', 'threads')).toMatchObject({ kind: 'ok', accessToken: 'long-0' });
    expect(await refusing.refreshNow('channel-2', 'long-0')).toMatchObject({ kind: 'needs_reconnect' });
    expect(await owner(prolonging()).tokensFor('channel-2', 'threads')).toMatchObject({ kind: 'needs_reconnect' });
    expect(refreshes).toBe(2);
  });

  test('a token that turns out to be dead while its prolongation is being refused needs a person soon', async () => {
    await clock.advance(7 * DAY_MS);
    const refusing = owner(prolonging(400));
    const [use, dead] = await Promise.all([
      refusing.tokensFor('channel-2', 'threads'),
      refusing.refreshNow('channel-2', 'long-0'),
    ]);
    expect([use, dead]).toMatchObject([{ kind: 'ok' }, { kind: 'unavailable', delayMs: 1_000 }]);
    expect(refreshes).toBe(1);
    expect(await refusing.refreshNow('channel-2', 'long-0')).toMatchObject({ kind: 'needs_reconnect' });
  });

  test('a Network that is away is not asked sooner about a token that is dead', async () => {
    await clock.advance(7 * DAY_MS);
    const away = owner(async () => ((refreshes += 1), jsonAnswer(503, {})));
    expect(await away.tokensFor('channel-2', 'threads')).toMatchObject({ kind: 'ok', accessToken: 'long-0' });
    expect(await away.refreshNow('channel-2', 'long-0')).toMatchObject({ kind: 'unavailable', delayMs: 15_000 });
    await owner(prolonging(400)).refreshNow('channel-2', 'long-0');
    expect(refreshes).toBe(1);
    await clock.advance(15_000);
    expect(await owner(prolonging(400)).refreshNow('channel-2', 'long-0')).toMatchObject({ kind: 'needs_reconnect' });
  });
});

describe('a store in trouble', () => {
  const failing = (fails: (call: number) => 'before' | 'after' | null): TableStore => {
    let writes = 0;
    const hook =
      (when: 'before' | 'after'): TableHooks['before'] =>
      async ({ name }) => {
        if (name !== 'compareAndSet') return;
        if (when === 'before') writes += 1;
        if (fails(writes) === when) throw new PortError('unknown', 'no answer in time');
      };
    const tables = { read: store.read.bind(store) };
    return {
      ...store,
      read: tables.read,
      compareAndSet: async (table, write) => {
        await hook('before')({ name: 'compareAndSet', table, partition: write.partition });
        const outcome = await store.compareAndSet(table, write);
        await hook('after')({ name: 'compareAndSet', table, partition: write.partition });
        return outcome;
      },
    };
  };

  test.each(['before', 'after'] as const)(
    'a write of the new pair whose answer is lost (%s it was done) is not lost',
    async (when) => {
      await connected();
      await clock.advance(3 * HOUR_MS);
      expect(
        await owner(
          tokenEndpoint,
          failing((write) => (write === 2 ? when : null)),
        ).tokensFor('channel-1', 'x'),
      ).toMatchObject({ kind: 'ok', accessToken: 'access-1' });
      expect(await owner().tokensFor('channel-1', 'x')).toMatchObject({ accessToken: 'access-1' });
      expect(refreshes).toBe(1);
    },
  );

  test('a store that can not be read says nothing about the Channel', async () => {
    await connected();
    const away: TableStore = { ...store, read: () => Promise.reject(new PortError('unavailable', 'away')) };
    expect(await owner(tokenEndpoint, away).tokensFor('channel-1', 'x')).toMatchObject({
      kind: 'unavailable',
      delayMs: 5_000,
    });
  });
});

test('a Channel without a connection, or whose connection is forgotten, needs a person', async () => {
  expect(await owner().tokensFor('nobody', 'x')).toMatchObject({ kind: 'needs_reconnect' });
  const former = await connected();
  const connectionId = await connected();
  await owner().forget('channel-1', former);
  expect(await owner().tokensFor('channel-1', 'x')).toMatchObject({ kind: 'ok' });
  await owner().forget('channel-1', connectionId);
  expect(await owner().tokensFor('channel-1', 'x')).toMatchObject({ kind: 'needs_reconnect' });
  expect(Buffer.from((await store.read(CONNECTIONS, ['channel-1'], []))?.body ?? []).toString()).toContain(
    '"sealed":""',
  );
});

test('tokens sealed under a lost key are trouble of ours, not of the Channel', async () => {
  await connected();
  const { auths } = createNetworks(sandboxEndpoints('http://sandbox.test'));
  const other: SecretBox = {
    ...secretBox,
    open: () => {
      throw new Error('unknown key');
    },
  };
  const reporter = createMemoryReporter();
  const connections = createConnections({
    store,
    secretBox: other,
    http: createMemoryHttpClient(tokenEndpoint),
    auths,
    clock,
    ids: createSeededIds(9),
    reporter,
  });
  expect(await connections.tokensFor('channel-1', 'x')).toMatchObject({ kind: 'unavailable' });
  expect(reporter.failures()).toHaveLength(1);
});
