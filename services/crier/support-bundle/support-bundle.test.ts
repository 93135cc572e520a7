import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { extract } from 'tar-stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createSystemClock } from '#adapters/system/clock.ts';
import { createAnswersRouter } from '#adapters/trpc/answers-router.ts';
import { openAdminHarness, START, until, type AdminHarness } from '#services/admin/admin-harness.fixture.ts';
import { createOpsServer } from '#services/ops/server.ts';
import { DEAD_LETTERS, PUBLISH } from '#tables/declarations/topics.ts';
import type { BundlePart } from './bundle-part.ts';
import { makeSupportBundle, type SupportBundleOptions } from './support-bundle.ts';

/** What must be in no bundle, wherever it comes from. */
const PLANTED = {
  adminToken: 'planted-admin-token-of-the-installation',
  secret: 'planted-master-secret-of-the-installation',
  operatorToken: 'planted-token-of-ada-the-operator',
  smtpPassword: 'planted-smtp-pass',
  clientSecret: 'planted-client-secret-of-an-app',
  fileSecret: 'planted-secret-that-is-in-a-file',
  brokerPassword: 'planted-in-an-address',
  ownerEmail: 'planted.owner@people.example.test',
  workspaceName: 'Planted Agency',
  postText: 'planted text of a campaign',
  reason: 'planted words of an owner',
  urlToken: 'planted-query-token',
} as const;
const POST_TEXT: keyof typeof PLANTED = 'postText';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crier-bundle-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function environmentWithSecrets(dataDir: string): Record<string, string> {
  mkdirSync(dataDir);
  writeFileSync(
    join(dataDir, 'secrets.json'),
    JSON.stringify({ adminToken: PLANTED.adminToken, secret: PLANTED.secret }),
  );
  const file = join(folder, 'client-secret');
  writeFileSync(file, PLANTED.fileSecret);
  return {
    CRIER_DATA_DIR: dataDir,
    CRIER_ADMIN_TOKEN: PLANTED.adminToken,
    CRIER_SECRET: PLANTED.secret,
    CRIER_ADMIN_TOKENS: `ada:operate:${PLANTED.operatorToken}`,
    CRIER_SMTP_URL: `smtp://mailer:${PLANTED.smtpPassword}@mail.test:25`,
    CRIER_X_CLIENT_SECRET: PLANTED.clientSecret,
    CRIER_THREADS_CLIENT_SECRET_FILE: file,
    CRIER_PUBLIC_URL: `https://who:${PLANTED.brokerPassword}@crier.test/?token=${PLANTED.urlToken}`,
    ...{ CRIER_X_CLIENT_ID: 'x', CRIER_THREADS_CLIENT_ID: 't', CRIER_MAIL_FROM: PLANTED.ownerEmail },
  };
}

/** The harness over HTTP, as a process serves it. */
async function serve(harness: AdminHarness, metrics: () => Promise<string>) {
  const server = createOpsServer({
    ...{ host: '127.0.0.1', port: 0, internalTokens: [], hanging: () => [], tls: null, registry: null },
    strangers: { take: () => null },
    operators: [{ name: 'admin', role: 'operate', token: PLANTED.adminToken }],
    contextOf: (operator) => ({ operator, keep: async () => {} }),
    health: async () => ({ ready: false, checks: [{ name: 'log', trouble: `Bearer ${PLANTED.urlToken}` }] }),
    metrics: { text: metrics, contentType: 'text/plain' },
    answers: createAnswersRouter(() => {}),
    router: harness.router,
    reporter: createMemoryReporter(),
  });
  await server.start();
  return { url: server.address().url, [Symbol.asyncDispose]: () => server.stop() };
}

async function plantTenants(harness: AdminHarness): Promise<string> {
  const { caller, codec, log } = harness;
  const { workspaceId } = await caller.workspaces.create({
    name: PLANTED.workspaceName,
    ownerEmail: PLANTED.ownerEmail,
  });
  await caller.channels.connectSandbox({ workspaceId, network: 'x', name: PLANTED.workspaceName });
  await caller.publishing.hold({ workspaceId, reason: PLANTED.reason });
  const value = codec.encode({
    ...{ type: 'RenameWorkspace', workspaceId, requestId: 'r', issuedAt: START, notAfter: START, replyTo: '' },
    ...{ credential: null, name: PLANTED[POST_TEXT] },
  });
  const letter = { topic: PUBLISH.x.name, partition: 0, offset: 1, key: 'k', value, error: 'too large', at: START };
  await log.append(DEAD_LETTERS.name, [{ key: 'k', value: codec.encode({ type: 'DeadLetter', ...letter }) }]);
  await until(async () => (await caller.deadLetters.list()).deadLetters.length === 1);
  return workspaceId;
}

const system = createSystemClock();
/** Every deadline comes ten times as late: on a busy machine only what hangs for good is given up. */
const PATIENT: SupportBundleOptions['clock'] = {
  now: () => system.now(),
  monotonic: () => system.monotonic(),
  after: (delayMs, run) => system.after(delayMs * 10, run),
};

const make = (more: Partial<SupportBundleOptions>) =>
  makeSupportBundle({
    ...{ out: join(folder, 'bundle.tar'), env: {}, overrides: {}, log: null, clock: PATIENT },
    server: () => {
      throw new Error('nothing runs here');
    },
    doctor: async () => [],
    engines: async () => [],
    ...more,
  });

async function filesIn(path: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  const reading = extract();
  reading.end(readFileSync(path));
  for await (const entry of reading) {
    const pieces: Buffer[] = [];
    for await (const piece of entry) pieces.push(piece as Buffer);
    files.set(entry.header.name.replace('crier-support/', ''), Buffer.concat(pieces).toString('utf8'));
  }
  return files;
}

describe('a support bundle', () => {
  test('says how the installation is, and holds no secret and nothing of tenants, whatever holds one', async () => {
    const env = environmentWithSecrets(join(folder, 'data'));
    await using harness = await openAdminHarness();
    const workspaceId = await plantTenants(harness);
    await using served = await serve(harness, async () => `crier_up 1\n# ${PLANTED.clientSecret}\n`);
    const log = join(folder, 'crier.log');
    const line = {
      event: 'request',
      workspaceId,
      authorization: `Bearer ${PLANTED.adminToken}`,
      to: PLANTED.ownerEmail,
    };
    const held = { event: 'publishing-held', network: '*', workspaceId, by: PLANTED.reason, reason: PLANTED.reason };
    const lines = [line, held].map((each) => JSON.stringify(each));
    writeFileSync(log, `welcome ${PLANTED.postText}\n${lines.join('\n')}\n`);
    const out = join(folder, 'bundle.tar');
    const summary = await make({
      ...{ out, env, log },
      server: () => ({ url: served.url, token: PLANTED.adminToken, fetch: globalThis.fetch as never }),
      doctor: async () => [
        { check: 'mail', ok: false, detail: `535 refused ${PLANTED.smtpPassword}` },
        { check: 'publishing', ok: true, detail: `x is held (${PLANTED.reason})`, hasWordsOfPeople: true },
      ],
    });
    expect(statSync(out).mode & 0o777).toBe(0o600);
    const files = await filesIn(out);
    const all = [...files].map(([name, text]) => `${name}\n${text}`).join('\n') + JSON.stringify(summary);
    for (const [what, planted] of Object.entries(PLANTED)) expect(all.includes(planted), what).toBe(false);
    expect(files.get('metrics.txt')).toBe('crier_up 1\n# [secret]\n');
    expect(files.get('ready.json')).toContain('Bearer [secret]');
    expect(files.get('log.jsonl')).toContain(workspaceId);
    const logged = files.get('log.jsonl')!.trimEnd().split('\n');
    expect(logged.map((each) => JSON.parse(each) as object)).toEqual([
      expect.objectContaining({ event: 'request', to: '[e-mail]' }),
      { event: 'publishing-held', network: '*', workspaceId },
    ]);
    const settings = JSON.parse(files.get('settings.json')!) as { variable: string; from: string; value: string }[];
    expect(settings.find(({ variable }) => variable === 'CRIER_SECRET')).toMatchObject({
      from: 'variable',
      value: '(set)',
    });
    expect(settings.find(({ variable }) => variable === 'CRIER_THREADS_CLIENT_SECRET')).toMatchObject({ from: 'file' });
    expect(settings.find(({ variable }) => variable === 'CRIER_PORT')).toMatchObject({
      from: 'default',
      value: '8080',
    });
  });

  test.each([
    ['in spaces', (path: string) => ({ env: { CRIER_DATA_DIR: ` ${path} ` } })],
    ['beside an empty flag', (path: string) => ({ env: { CRIER_DATA_DIR: path }, overrides: { dataDir: '' } })],
  ])('holds no secret of a data folder that is named %s', async (_how, settings) => {
    const path = join(folder, 'data');
    environmentWithSecrets(path);
    const log = join(folder, 'crier.log');
    writeFileSync(log, `${JSON.stringify({ event: 'request', detail: PLANTED.secret })}\n`);
    await make({ ...settings(path), log });
    const files = await filesIn(join(folder, 'bundle.tar'));
    expect(files.get('log.jsonl')).toBe('{"event":"request","detail":"[secret]"}\n');
    expect(JSON.parse(files.get('data-folder.json')!)).toMatchObject({ files: [{ name: 'secrets.json' }] });
  });

  test('of a server that answers has what it says of itself, without what tenants wrote', async () => {
    const env = { CRIER_DATA_DIR: join(folder, 'data') };
    mkdirSync(env.CRIER_DATA_DIR);
    await using harness = await openAdminHarness();
    const workspaceId = await plantTenants(harness);
    await using served = await serve(harness, async () => 'crier_up 1\n');
    const server = () => ({ url: served.url, token: PLANTED.adminToken, fetch: globalThis.fetch as never });
    const { parts } = await make({ env, server });
    const files = await filesIn(join(folder, 'bundle.tar'));
    const missing = parts.filter(({ trouble }) => trouble !== null).map(({ file }) => file);
    expect(missing).toEqual(['log.jsonl']);
    expect(files.get('metrics.txt')).toBe('crier_up 1\n');
    expect(JSON.parse(files.get('ready.json')!)).toMatchObject({ status: 'not ready' });
    expect(JSON.parse(files.get('groups.list.json')!).items).toHaveLength(16);
    expect(JSON.parse(files.get('publishing.status.json')!).held).toMatchObject([{ workspaceId }]);
    expect(JSON.parse(files.get('deadLetters.list.json')!)).toMatchObject({
      deadLetters: [{ topic: PUBLISH.x.name, error: 'too large', type: 'RenameWorkspace', workspaceId }],
    });
    const all = [...files.values()].join('\n');
    for (const planted of [
      PLANTED.postText,
      PLANTED.reason,
      PLANTED.workspaceName,
      PLANTED.ownerEmail,
      PLANTED.adminToken,
    ])
      expect(all).not.toContain(planted);
  });

  test('with the server down has all the rest, and says what is missing and why', async () => {
    const { parts } = await make({ env: { CRIER_DATA_DIR: join(folder, 'nowhere') } });
    const troubleOf = (name: string) => parts.find(({ file }) => file === name)!.trouble;
    expect(troubleOf('metrics.txt')).toBe('nothing runs here');
    expect(troubleOf('cluster.status.json')).toBe('nothing runs here');
    expect(troubleOf('data-folder.json')).toContain('ENOENT');
    expect(troubleOf('log.jsonl')).toContain('--log=');
    for (const file of ['versions.json', 'settings.json', 'doctor.json']) expect(troubleOf(file)).toBeNull();
    const files = await filesIn(join(folder, 'bundle.tar'));
    expect(files.get('metrics.txt')).toBe('This could not be gathered: nothing runs here\n');
    expect(JSON.parse(files.get('bundle.json')!).parts).toHaveLength(parts.length);
  });

  test('with wrong settings says which, and is written all the same', async () => {
    const { parts } = await make({ env: { CRIER_NO_SUCH_SETTING: PLANTED.clientSecret, CRIER_PORT: 'eighty' } });
    const { trouble } = parts.find(({ file }) => file === 'system.status.json')!;
    expect(trouble).toContain('CRIER_NO_SUCH_SETTING is no setting of Crier');
    expect(trouble).toContain('CRIER_PORT is "eighty"');
  });

  test('does not wait for a part that hangs, and loses nothing by one that fails', async () => {
    const hanging: BundlePart = { file: 'hangs.json', deadlineMs: 20, gather: () => new Promise(() => {}) };
    const failing: BundlePart = {
      ...{ file: 'fails.json', deadlineMs: 1_000 },
      gather: () => {
        throw new Error('at https://ada:word@db.test');
      },
    };
    const env = { CRIER_ENGINE: 'cluster', CRIER_ADMIN_TOKEN: PLANTED.adminToken, CRIER_SECRET: PLANTED.secret };
    const cluster = { ...env, CRIER_KAFKA_BROKERS: 'k:9092', CRIER_CASSANDRA_CONTACT_POINTS: 'c' };
    const { parts } = await make({ env: cluster, engines: async () => [hanging, failing] });
    const troubles = Object.fromEntries(parts.map(({ file, trouble }) => [file, trouble]));
    expect(troubles['hangs.json']).toBe('it did not come within 0.02 s');
    expect(troubles['fails.json']).toBe('at https://[secret]@db.test');
    expect(troubles['versions.json']).toBeNull();
  });

  test('replaces no file', async () => {
    const out = join(folder, 'bundle.tar');
    writeFileSync(out, 'of somebody');
    chmodSync(out, 0o644);
    await expect(make({ out })).rejects.toThrow(`${out}: a file is there already`);
    expect(readFileSync(out, 'utf8')).toBe('of somebody');
  });
});
