import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import type { SettingName } from '#config/settings.ts';
import { lockDataFolder } from '#adapters/sqlite/data-folder.ts';
import { startSmtpServer } from '#adapters/nodemailer/smtp-server.fixture.ts';
import { parseFlags } from '../cli/flags.ts';
import { doctor } from './doctor.ts';

afterEach(() => vi.restoreAllMocks());

/** The exit code, and all that was printed. */
async function run(
  settings: Partial<Record<SettingName, string>>,
  json = true,
  inPod = false,
): Promise<readonly [code: number, printed: string]> {
  const printed: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
  const given = { dataDir: tmpdir(), port: '0', adminPort: '0', sandboxPort: '0', ...settings };
  const code = await doctor({ ...parseFlags([]), settings: given, json, inPod });
  return [code, printed.join('')];
}

const LIVE = { networks: 'live', xClientId: 'planted-id', xClientSecret: 'planted-secret' };

test('a machine that can run the sandbox passes every check', async () => {
  const [code, printed] = await run({});
  expect([code, JSON.parse(printed)]).toEqual([
    0,
    expect.arrayContaining([{ check: 'networks', ok: true, detail: expect.stringContaining('sandbox') }]),
  ]);
});

test.each([
  [0, { publicUrl: 'https://crier.example.com' }],
  [1, { publicUrl: 'http://127.0.0.1:8080' }],
  [1, { publicUrl: 'https://crier.example.com', networkBudgets: 'x' }],
  [1, { publicUrl: 'https://crier.example.com', networkAddresses: 'x.api=http://x.com' }],
  [1, { publicUrl: 'https://crier.example.com', xClientSecret: '' }],
])('live: exit code %i for %o, and no credential is printed', async (expected, more) => {
  for (const json of [true, false]) {
    const [code, printed] = await run({ ...LIVE, ...more }, json);
    expect(code, printed).toBe(expected);
    expect(printed).not.toContain('planted');
  }
});

test.each([{ ffmpeg: '/nowhere/ffmpeg' }, { ffprobe: '/nowhere/ffprobe' }])(
  'with %o it finds that videos are refused, and says what to type',
  async (settings) => {
    const [code, printed] = await run(settings);
    const finding = {
      check: 'videos',
      ok: false,
      detail: expect.stringMatching(
        / ff\w+ is not installed.*apt-get install ffmpeg.*videos are refused.*\/nowhere\/ff/,
      ),
    };
    expect([code, JSON.parse(printed)]).toEqual([1, expect.arrayContaining([finding])]);
  },
);

test('of a process that runs elsewhere, only what its roles need is looked at', async () => {
  const cluster = {
    ...{ engine: 'cluster', roles: 'scheduler', ffmpeg: '/nowhere/ffmpeg', port: '1', sandboxPort: '1' },
    ...{ adminToken: 'an-admin-token-of-tests', secret: 'a-master-secret-of-tests-only-123' },
    ...{ kafkaBrokers: '127.0.0.1:1', cassandraContactPoints: '127.0.0.1:1' },
  };
  const [, printed] = await run(cluster);
  const checks = (JSON.parse(printed) as { check: string }[]).map(({ check }) => check);
  expect(checks).toEqual(expect.arrayContaining(['cassandra', 'kafka', 'admin port']));
  expect(checks).not.toEqual(expect.arrayContaining(['videos']));
  expect(checks.filter((check) => check.endsWith(' port'))).toEqual(['admin port']);
});

test('in a pod the running process is asked how it is, and its ports are not', async () => {
  const checks = [
    { name: 'secret', trouble: 'CRIER_SECRET is not the secret of this installation' },
    { name: 'store', trouble: null },
  ];
  const server = createServer((_request, response) => {
    response.writeHead(503).end(JSON.stringify({ status: 'not ready', checks }));
  });
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  const { port } = server.address() as AddressInfo;
  const cluster = {
    ...{ engine: 'cluster', roles: 'workspace', internalUrl: `http://127.0.0.1:${port}` },
    ...{ adminToken: 'an-admin-token-of-tests', secret: 'a-master-secret-of-tests-only-123' },
    ...{ kafkaBrokers: '127.0.0.1:1', cassandraContactPoints: '127.0.0.1:1' },
  };
  const running = async () => {
    const [, printed] = await run(cluster, true, true);
    return (JSON.parse(printed) as { check: string }[]).filter(({ check }) => /port|running/.test(check));
  };
  const detail = 'not ready; secret: CRIER_SECRET is not the secret of this installation';
  expect(await running()).toEqual([{ check: 'running process', ok: false, detail }]);
  await new Promise((resolve) => server.close(resolve));
  expect(await running()).toEqual([
    { check: 'running process', ok: false, detail: expect.stringMatching(/^http:.* does not answer: /) },
  ]);
});

test('a process that was killed counts as none, whatever it left in the data folder', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'crier-doctor-'));
  writeFileSync(join(dataDir, 'running.json'), JSON.stringify({ adminUrl: 'http://127.0.0.1:1', adminToken: 'a' }));
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen({ host: '127.0.0.1', port: 0 }, resolve));
  const { port } = taken.address() as AddressInfo;
  const found = async () => {
    const [, printed] = await run({ dataDir, port: String(port) });
    return (JSON.parse(printed) as { check: string; ok: boolean; detail: string }[]).filter(({ check }) =>
      /^API port|running/.test(check),
    );
  };
  const other = `${port} is in use by another program: choose another`;
  expect(await found()).toEqual([{ check: 'API port', ok: false, detail: other }]);
  const lock = await lockDataFolder(dataDir);
  expect(await found()).toEqual([
    { check: 'API port', ok: true, detail: `${port} is in use, and Crier runs on this data folder` },
    { check: 'running process', ok: false, detail: expect.stringMatching(/^http:.* does not answer: /) },
  ]);
  await lock.release();
  await new Promise((resolve) => taken.close(resolve));
  rmSync(dataDir, { recursive: true });
});

test('a certificate of the public listener that can not be used is reported, as a start would, where a role uses it', async () => {
  const tls = { tlsCert: '/nowhere/cert.pem', tlsKey: '/nowhere/key.pem' };
  const [code, printed] = await run(tls);
  const detail = expect.stringMatching(/^CRIER_TLS_CERT can't be read: .*CRIER_TLS_KEY can't be read: /s);
  expect([code, JSON.parse(printed)]).toEqual([
    1,
    expect.arrayContaining([{ check: 'API certificate', ok: false, detail }]),
  ]);
  const cluster = {
    ...{ engine: 'cluster', roles: 'scheduler' },
    ...{ adminToken: 'an-admin-token-of-tests', secret: 'a-master-secret-of-tests-only-123' },
    ...{ kafkaBrokers: '127.0.0.1:1', cassandraContactPoints: '127.0.0.1:1' },
  };
  expect((await run({ ...cluster, ...tls }))[1]).not.toContain('API certificate');
});

test('a data folder in which a restore was cut off is reported, as a start would', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'crier-doctor-'));
  writeFileSync(join(dataDir, 'restoring.json'), '{}');
  const [code, printed] = await run({ dataDir });
  rmSync(dataDir, { recursive: true });
  const detail = expect.stringMatching(/a restore into the data folder .* did not end/);
  expect([code, JSON.parse(printed)]).toEqual([1, expect.arrayContaining([{ check: 'data', ok: false, detail }])]);
});

test('a data folder whose parents are missing too is right, since a start makes them', async () => {
  const dataDir = join(tmpdir(), `crier-doctor-${process.pid}`, 'below', 'data');
  const [code, printed] = await run({ dataDir });
  expect([code, JSON.parse(printed)]).toEqual([
    0,
    expect.arrayContaining([{ check: 'data folder', ok: true, detail: dataDir }]),
  ]);
});

test('a data folder in whose place a file stands is reported, as a start would', async () => {
  for (const below of ['', '/data']) {
    const [code, printed] = await run({ dataDir: `${import.meta.filename}${below}` });
    const detail = `${import.meta.filename} is a file: name a folder with --data-dir`;
    expect([code, JSON.parse(printed)]).toEqual([
      1,
      expect.arrayContaining([{ check: 'data folder', ok: false, detail }]),
    ]);
  }
});

test('the folder of media files is shown', async () => {
  const [, printed] = await run({});
  expect(JSON.parse(printed)).toContainEqual({
    check: 'media files',
    ok: true,
    detail: expect.stringContaining(join(tmpdir(), 'blobs')),
  });
});

test('a mail server that is set is asked, and no password is printed', async () => {
  const smtp = await startSmtpServer({ signIn: { user: 'crier', password: 'right' } });
  const mailOf = async (password: string) => {
    const smtpUrl = `smtp://crier:${password}@127.0.0.1:${smtp.port}`;
    const [code, printed] = await run({ smtpUrl, mailFrom: 'crier@example.com' });
    expect(printed).not.toContain(password);
    const findings = JSON.parse(printed) as { check: string; ok: boolean; detail: string }[];
    return [code, findings.find(({ check }) => check === 'mail')] as const;
  };
  expect(await mailOf('right')).toEqual([0, { check: 'mail', ok: true, detail: expect.stringContaining('answers') }]);
  const wrong = { check: 'mail', ok: false, detail: expect.stringMatching(/did not accept the user.*CRIER_SMTP_URL/) };
  expect(await mailOf('planted')).toEqual([1, wrong]);
  await smtp[Symbol.asyncDispose]();
  expect(await mailOf('right')).toEqual([1, expect.objectContaining({ ok: false })]);
  expect(smtp.mails).toEqual([]);
});
