import { beforeEach, expect, test } from 'vitest';
import { createMemoryClock, type MemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryHttpClient } from '#adapters/memory/http-client.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore, type TableOperation } from '#adapters/memory/table-store.ts';
import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import { createConnections, type Connections } from '#connections/connections.ts';
import type { NetworkAuth } from '#networks/contract/adapter.ts';
import { PortError } from '#ports/errors.ts';
import type { SecretBox } from '#ports/secret-box.ts';
import type { TableStore } from '#ports/table-store.ts';
import { announceProcess } from '#tables/repositories/announced-processes.ts';
import { createConnectionRows } from '#tables/repositories/connections.ts';
import { OAuthKeys } from '#tables/repositories/oauth-keys.ts';
import { changeOAuthRecord, findOAuthRecord, oauthRecordContext } from '#tables/repositories/oauth-records.ts';
import { probeSecret, unknownSealingKeys } from '#tables/repositories/secret-probe.ts';
import { moveSignIn } from '#tables/repositories/sign-ins.ts';
import { resealSecrets, secretsStatus, type ResealedSecrets } from './reseal-secrets.ts';

const [OLD, NEW] = ['the former secret of this installation', 'the new secret of this installation'];
const boxOf = (secret: string, ...previousSecrets: readonly string[]) => createSecretBox({ secret, previousSecrets });
const [OLD_KEY, NEW_KEY] = [boxOf(OLD).keyIds[0], boxOf(NEW).keyIds[0]];
const THIRD = 'a third secret, which nobody has any more';
const DAY_MS = 86_400_000;
const FAR = Number.MAX_SAFE_INTEGER;
const RECORD = { kind: 'AccessToken', idHash: 'a'.repeat(64) };

let clock: MemoryClock;
let store: TableStore;
let seed: number;
let onStore: (when: 'before' | 'after', operation: TableOperation) => void | Promise<void>;
/** What the Network does when it is asked for new tokens. */
let onRefresh: () => Promise<void>;

const auth: NetworkAuth = {
  network: 'facebook',
  authorizeUrl: () => '',
  exchange: async () => ({ kind: 'unavailable', sent: false, summary: { status: 0, detail: '' } }),
  refresh: async (_http, tokens) => {
    await onRefresh();
    return { kind: 'ok', value: { ...tokens, accessToken: 'refreshed', refreshToken: 'the only one' } };
  },
  accounts: async () => ({ kind: 'ok', value: [] }),
  refreshDueAt: () => FAR,
};

function connectionsWith(secretBox: SecretBox): Connections {
  const http = createMemoryHttpClient(async () => ({ cut: 'before' }));
  const ids = createSeededIds(seed++);
  const reporter = createMemoryReporter();
  return createConnections({ store, clock, ids, reporter, secretBox, http, auths: { facebook: auth } });
}

const connect = (channelId: string, secretBox = boxOf(OLD)) =>
  connectionsWith(secretBox).save(
    { id: channelId, workspaceId: 'w', network: 'facebook' },
    { accessToken: `token of ${channelId}`, refreshToken: 'refresh', expiresAt: FAR },
    { accountId: channelId, username: channelId },
  );

const tokenOf = async (channelId: string, secretBox: SecretBox) => {
  const answer = await connectionsWith(secretBox).tokensFor(channelId, 'facebook');
  return answer.kind === 'ok' ? answer.accessToken : answer.kind;
};

function reseal(secretBox: SecretBox = boxOf(NEW, OLD), pageSize = 2): Promise<ResealedSecrets> {
  const sendCommand = () => Promise.reject(new Error('no Workspace has an endpoint'));
  const [ids, reporter] = [createSeededIds(seed++), createMemoryReporter()];
  return resealSecrets({ store, clock, ids, reporter, secretBox, sendCommand, pageSize });
}

const usedKeys = async (secretBox = boxOf(NEW, OLD)) =>
  Object.fromEntries(
    (await secretsStatus({ store, secretBox })).map(({ key, secret, total }) => [key, [secret, total]]),
  );

beforeEach(() => {
  clock = createMemoryClock(1_000 * DAY_MS);
  seed = 1;
  onStore = () => {};
  onRefresh = async () => {};
  const hooks = {
    before: async (operation: TableOperation) => onStore('before', operation),
    after: async (operation: TableOperation) => onStore('after', operation),
  };
  store = createMemoryTableStore({ clock, hooks });
});

test('everything that the former secret sealed opens with the new one alone, and a second call finds nothing', async () => {
  for (const channelId of ['a', 'b', 'c', 'd']) await connect(channelId);
  await connectionsWith(boxOf(OLD)).forget('e', await connect('e'));
  await connect('newer', boxOf(NEW, OLD));
  const ids = createSeededIds(99);
  const keysOf = (secretBox: SecretBox) =>
    new OAuthKeys({ store, secretBox, clock, ids, makeSigningKey: async () => ({ kty: 'EC' }) });
  const [key] = await keysOf(boxOf(OLD)).read();
  await probeSecret(store, boxOf(OLD), () => ids.token());
  const expiresAt = clock.now() + 30 * DAY_MS;
  const sealed = boxOf(OLD).seal('{"a":1}', oauthRecordContext(RECORD));
  const record = { sealed, expiresAt, consumedAt: 7, approvalId: 'p', access: null };
  await changeOAuthRecord(store, RECORD, { over: null, record, token: 't', ttlSeconds: 31 * 86_400 });

  expect(await usedKeys()).toEqual({ [NEW_KEY]: ['current', 1], [OLD_KEY]: ['previous', 7] });
  expect(await reseal()).toEqual({ key: NEW_KEY, finished: true, resealed: 7, alreadyCurrent: 1, unopenable: 0 });
  expect(await usedKeys(boxOf(NEW))).toEqual({ [NEW_KEY]: ['current', 8] });
  expect(await reseal()).toMatchObject({ finished: true, resealed: 0, alreadyCurrent: 8, unopenable: 0 });

  for (const channelId of ['a', 'b', 'c', 'd'])
    expect(await tokenOf(channelId, boxOf(NEW))).toBe(`token of ${channelId}`);
  expect(await keysOf(boxOf(NEW)).read()).toEqual([key]);
  expect(await probeSecret(store, boxOf(NEW), () => ids.token())).toBeNull();
  expect(await unknownSealingKeys(store, boxOf(NEW))).toEqual([]);
  const kept = (await findOAuthRecord(store, RECORD))?.record;
  expect(kept).toMatchObject({ ...record, sealed: expect.not.stringMatching(sealed) });
  expect(boxOf(NEW).open(kept!.sealed, oauthRecordContext(RECORD))).toBe('{"a":1}');
  // Its time to live is what it was, within the slack.
  await clock.advance(30 * DAY_MS);
  expect(await findOAuthRecord(store, RECORD)).not.toBeNull();
  await clock.advance(DAY_MS);
  expect(await findOAuthRecord(store, RECORD)).toBeNull();
});

test('what no named secret opens is counted and left as it is', async () => {
  await connect('a', boxOf('a secret that nobody remembers any more'));
  const row = await createConnectionRows(store).find('a');
  expect(await reseal()).toMatchObject({ finished: true, resealed: 0, alreadyCurrent: 0, unopenable: 1 });
  expect(await createConnectionRows(store).find('a')).toEqual(row);
  expect(Object.values(await usedKeys())).toContainEqual(['unknown', 1]);
});

test('new tokens that a process is fetching meanwhile are stored, and sealed anew after that', async () => {
  await connect('a');
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  onRefresh = async () => {
    asked.resolve();
    await answered.promise;
  };
  const refreshing = connectionsWith(boxOf(OLD, NEW)).refreshNow('a', 'token of a');
  await asked.promise;
  const before = await createConnectionRows(store).find('a');
  const resealing = reseal();
  for (let i = 0; i < 10; i++) await clock.advance(500);
  expect(await createConnectionRows(store).find('a')).toEqual(before);
  answered.resolve();
  expect(await refreshing).toMatchObject({ kind: 'ok', accessToken: 'refreshed' });
  for (let i = 0; i < 10; i++) await clock.advance(500);
  expect(await resealing).toMatchObject({ finished: true, resealed: 1 });
  expect(await tokenOf('a', boxOf(NEW))).toBe('refreshed');
});

test('of a row that another process changes between read and write the newer value is sealed anew', async () => {
  await connect('a');
  let meddled = false;
  onStore = async (when, { name, table }) => {
    if (meddled || when !== 'before' || name !== 'compareAndSet' || table.name !== 'connections') return;
    meddled = true;
    await connectionsWith(boxOf(OLD, NEW)).save(
      { id: 'a', workspaceId: 'w', network: 'facebook' },
      { accessToken: 'connected again', refreshToken: null, expiresAt: FAR },
      { accountId: 'a', username: 'a' },
    );
  };
  expect(await reseal()).toMatchObject({ finished: true, resealed: 1 });
  expect(meddled).toBe(true);
  expect(await tokenOf('a', boxOf(NEW))).toBe('connected again');
});

test('a call that dies amid the rows is gone on with by the next one, wherever it died', async () => {
  const channels = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  for (const channelId of channels) await connect(channelId);
  let deaths = 0;
  let left = 0;
  onStore = (when, { name }) => {
    if (when !== 'after' || name !== 'compareAndSet' || --left >= 0) return;
    deaths++;
    left = 1;
    throw new PortError('unavailable', 'the process dies');
  };
  const counts: number[] = [];
  for (let call = 0; call < 30; call++) {
    const outcome = await reseal().catch(() => null);
    if (outcome === null) continue;
    counts.push(outcome.resealed + outcome.alreadyCurrent);
    break;
  }
  onStore = () => {};
  expect(deaths).toBeGreaterThan(3);
  expect(counts).toEqual([channels.length]);
  for (const channelId of channels) expect(await tokenOf(channelId, boxOf(NEW))).toBe(`token of ${channelId}`);
});

test('while a process seals with another secret nothing is sealed anew, and the process is named', async () => {
  await connect('a');
  const process = { instance: 'p', address: 'http://10.0.0.7:8081', publishes: [], stoppedAt: null };
  const announce = (secretKeys: readonly string[], over: number | null = null) =>
    announceProcess(store, { ...process, secretKeys, seenAt: clock.now() }, { over, token: `token ${seed++}` });
  const version = await announce([OLD_KEY, NEW_KEY]);
  await expect(reseal()).rejects.toMatchObject({
    kind: 'refused',
    message: expect.stringMatching(/^1 of 1 processes seal with another CRIER_SECRET .*10\.0\.0\.7:8081/),
  });
  expect(await usedKeys()).toMatchObject({ [OLD_KEY]: ['previous', 1] });
  await announce([NEW_KEY, OLD_KEY], version);
  expect(await reseal()).toMatchObject({ finished: true, resealed: 1 });
  // One that was killed is not waited for.
  await announce([OLD_KEY], version + 1);
  await clock.advance(60_000);
  expect(await reseal()).toMatchObject({ finished: true, alreadyCurrent: 1 });
});

test('a person on the way through a sign-in is left alone; the values are reported until they expire', async () => {
  const box = boxOf(OLD);
  const at = { stage: 'started', stateHash: 's', browserHash: 'b', sealedVerifier: box.seal('v', 'sign-in') } as const;
  const person = { workspaceId: 'w', network: 'x', reconnects: null, name: null, ticketHash: 't' } as const;
  const next = { ...person, expiresAt: clock.now() + 900_000, at };
  expect(await moveSignIn(store, 'sign-in', { over: null, next, token: 't' })).toBe(true);
  expect(await reseal()).toMatchObject({ finished: true, resealed: 0, unopenable: 0 });
  const [, previous] = await secretsStatus({ store, secretBox: boxOf(NEW, OLD) });
  expect(previous).toMatchObject({ key: OLD_KEY, values: { signIns: 1 }, total: 1 });
  await clock.advance(3_600_000);
  expect(await usedKeys()).toEqual({ [NEW_KEY]: ['current', 0], [OLD_KEY]: ['previous', 0] });
});

test('after the way back to the former secret nothing is told of the one that was tried, once all is sealed anew', async () => {
  await probeSecret(store, boxOf(OLD), () => 'first');
  await probeSecret(store, boxOf(NEW, OLD), () => 'tried');
  await connect('tried', boxOf(NEW, OLD));
  await probeSecret(store, boxOf(OLD, NEW), () => 'back');
  expect(await unknownSealingKeys(store, boxOf(OLD))).toEqual([NEW_KEY]);
  expect(await reseal(boxOf(OLD, NEW))).toMatchObject({ finished: true, resealed: 1, unopenable: 0 });
  expect(await usedKeys(boxOf(OLD))).toEqual({ [OLD_KEY]: ['current', 2] });
  expect(await unknownSealingKeys(store, boxOf(OLD))).toEqual([]);
});

test('a key that sealed what can not be opened is reported as long as that is there', async () => {
  const third = boxOf(THIRD);
  await probeSecret(store, boxOf(OLD), () => 'first');
  await probeSecret(store, createSecretBox({ secret: THIRD, previousSecrets: [OLD] }), () => 'lost');
  await connect('lost', third);
  await probeSecret(store, boxOf(NEW, OLD), () => 'next');
  expect(await reseal()).toMatchObject({ finished: true, unopenable: 1 });
  expect(await unknownSealingKeys(store, boxOf(NEW))).toEqual(third.keyIds);
});
