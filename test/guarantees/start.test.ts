import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PostJson } from '#testing/crier-clients.ts';
import { SETTINGS } from '#config/settings.ts';
import type { Setting } from '#config/setting.ts';
import { BIN_CRIER, CrierUnderTest, textChannels } from '#testing/crier-process.ts';
import { inheritedEnvironment } from '#testing/engines/environment.ts';
import { until } from '#testing/until.ts';

const run = promisify(execFile);
/** Other suites may occupy both cores for a while, and machines differ. */
const SLACK = 4;

describe('a first start', () => {
  let crier: CrierUnderTest;
  let startedMs: number;
  beforeAll(async () => {
    // Who waits on a slow machine asks more often than a key may.
    crier = await CrierUnderTest.start({ program: [BIN_CRIER, 'start'], env: { CRIER_REQUESTS_PER_MINUTE: '0' } });
    // What other suites keep the cores busy with is not its own.
    startedMs = crier.readyAfterMs - crier.hinderedMs;
  });
  afterAll(() => crier[Symbol.asyncDispose]());

  const printed = (): string[] => [...crier.stdout().matchAll(/^ {4}(curl .*)$/gm)].map((match) => match[1]!);
  const typed = async (line: string): Promise<any> => JSON.parse((await run('sh', ['-c', line])).stdout);
  const advance = (duration: string) =>
    run(BIN_CRIER, ['dev', 'advance', duration, `--data-dir=${crier.dataDir}`], { env: inheritedEnvironment() });
  const live = async (text: string): Promise<string[]> =>
    (await crier.sandbox().items())
      .filter((item) => item.text === text)
      .map((item) => item.network)
      .toSorted();

  test('is ready within 3 s', async ({ annotate }) => {
    const warm = [startedMs];
    while (warm.length < 3 && Math.min(...warm) > 3_000) {
      await using another = await CrierUnderTest.start({ program: [BIN_CRIER, 'start'] });
      warm.push(another.readyAfterMs - another.hinderedMs);
    }
    await annotate(
      `ready after ${warm.map(Math.round).join(', ')} ms, the first with waits ${Math.round(crier.readyAfterMs)} ms`,
    );
    expect(Math.min(...warm)).toBeLessThan(3_000 * SLACK);
  });

  test('prints a line that publishes a Post on two Channels within a second, with permalinks that open', async ({
    annotate,
  }) => {
    const tookMs: number[] = [];
    // A busy machine takes longer now and then; what always takes longer is no matter of the machine's other work.
    for (let tries = 0; tries < 3 || (tries < 10 && Math.min(...tookMs) >= 1_000); tries++) {
      const text = `Hello from Crier, ${tries}`;
      const created: { data: PostJson } = await typed(printed()[0]!.replace('Hello from Crier', text));
      const from = performance.now();
      expect(created.data.variants).toHaveLength(2);
      const post = await until(async () => publishedWhole(await crier.api().getPost(created.data.id)), {
        what: 'published on both Channels',
        everyMs: 10,
      });
      tookMs.push(performance.now() - from);
      for (const { permalink } of post.variants) expect((await fetch(permalink!)).status, `${permalink}`).toBe(200);
      expect(await live(text)).toEqual(['threads', 'x']);
    }
    await annotate(`published after ${tookMs.map(Math.round).join(', ')} ms`);
    expect(Math.min(...tookMs)).toBeLessThan(1_000 * SLACK);
  });

  test('prints a line that shows the outcome', async () => {
    const list: { data: readonly PostJson[] } = await typed(printed()[1]!);
    expect(list.data).toHaveLength(1);
  });

  test('prints a line that registers an endpoint, whose inbox shows its events', async () => {
    expect((await typed(printed().at(-1)!)).data).toMatchObject({
      state: 'active',
      secret: expect.stringMatching(/^whsec_/),
    });
    const { id } = await crier.api().createPost({ text: 'heard of', channelIds: textChannels(crier.ready.demo!) });
    const eventTypes = async (): Promise<string[]> => {
      const inbox: any = await (await fetch(`${crier.ready.sandboxUrl}/sandbox/inbox/first`)).json();
      return inbox.letters
        .filter(({ method }: any) => method === 'POST')
        .map(({ body }: any) => JSON.parse(body))
        .filter(({ data }: any) => data.post.id === id)
        .map(({ type }: any) => type);
    };
    await until(async () => (await eventTypes()).length >= 2, { what: 'both events delivered' });
    expect(new Set(await eventTypes())).toEqual(new Set(['variant.published']));
  });

  test('fires a scheduled Post after dev advance, exactly once, and not before', async () => {
    const text = 'in a quarter of an hour';
    const { now } = await crier.admin().call('system.status');
    const scheduledAt = new Date(Date.parse(now) + 900_000 + 20_000).toISOString();
    const { id } = await crier.api().createPost({ text, channelIds: textChannels(crier.ready.demo!), scheduledAt });
    await advance('15m');
    // It is 15 minutes later by now, 20 s before its instant.
    expect(await statuses(id)).toEqual(['scheduled', 'scheduled']);
    expect(await live(text)).toEqual([]);
    await advance('20s');
    const post = await until(async () => publishedWhole(await crier.api().getPost(id)), {
      what: 'the scheduled Post published',
    });
    for (const variant of post.variants) expect(variant.scheduledAt).toBe(scheduledAt);
    await advance('2h');
    expect(await live(text)).toEqual(['threads', 'x']);
  });

  test('prints a line that schedules a Post, which also works after time was moved', async () => {
    for (const text of ['Right on time', 'Right on time again']) {
      const { data }: { data: PostJson } = await typed(printed()[2]!.replace('Right on time', text));
      expect(data.variants.map(({ status }) => status)).toEqual(['scheduled', 'scheduled']);
      await advance('31m');
      await until(async () => publishedWhole(await crier.api().getPost(data.id)), { what: 'published in its time' });
    }
  });

  test('keeps its folder and its secrets private', () => {
    expect(statSync(crier.dataDir).mode & 0o077).toBe(0);
    for (const file of ['secrets.json', 'demo.json', 'running.json'])
      expect(statSync(join(crier.dataDir, file)).mode & 0o077, file).toBe(0);
    expect(statSync(crier.readyFile).mode & 0o077).toBe(0);
  });

  test('is the only process on its folder: a second start says so and changes nothing', async () => {
    // Pictures of Channels are copied into the folder after the start.
    await until(async () => (await crier.api().channels()).every(({ avatarUrl }) => avatarUrl !== null), {
      what: 'a picture of every Channel',
      withinMs: 120_000,
    });
    await until(() => !Object.keys(folderOf(crier.dataDir)).some((at) => /under-way.+pictures\/./.test(at)), {
      what: 'nothing under way',
    });
    const before = folderOf(crier.dataDir);
    await using second = await CrierUnderTest.make({ dataDir: crier.dataDir });
    second.launch();
    expect(await second.ended).toEqual({ code: 1, signal: null });
    expect(second.errorLines()).toEqual([
      `crier: the data folder ${crier.dataDir} is in use by process ${crier.pid}; stop that one first, or start with another folder`,
    ]);
    expect(folderOf(crier.dataDir)).toEqual(before);
    expect((await crier.admin().get('/health/ready')).status).toBe(200);
  });

  test('finds its demo Workspace again after a restart, and makes no second', async () => {
    const { demo } = crier.ready;
    const channels = await crier.api().channels();
    await crier.restart('stop');
    expect(crier.ready.demo).toEqual({ ...demo, signInUrl: expect.any(String) });
    expect(crier.ready.demo!.signInUrl).not.toBe(demo!.signInUrl);
    expect(await crier.api().channels()).toEqual(channels);
  });

  test('finds its port taken: one line says which setting to change', async () => {
    await using other = await CrierUnderTest.make({ ports: { api: crier.ports.api, admin: 0, sandbox: 0 } });
    other.launch();
    expect((await other.ended).code).toBe(1);
    expect(other.errorLines()).toEqual([
      expect.stringMatching(
        `can't listen at 127.0.0.1:${crier.ports.api}: another program listens there; .*CRIER_PORT`,
      ),
    ]);
  });

  async function statuses(postId: string): Promise<string[]> {
    return (await crier.api().getPost(postId)).variants.map(({ status }) => status);
  }
});

describe('a wrong setting stops the start with one line that names it and the fix', () => {
  test.each([
    ['CRIER_PORT', 'eighty', /CRIER_PORT is "eighty": it must be a whole number from 0 to 65535/],
    ['CRIER_READY_FILE', '/nowhere/ready.json', /\/nowhere\/ready.json/],
    ['CRIER_PROT', '8080', /CRIER_PROT is no setting of Crier: see crier start --help/],
    [
      'CRIER_HOST',
      '203.0.113.7',
      /can't listen at 203\.0\.113\.7:\d+: this machine has no such address; set CRIER_HOST/,
    ],
  ])('%s=%s', async (name, value, line) => {
    await using crier = await CrierUnderTest.make({ env: { [name]: value } });
    crier.launch();
    expect(await crier.ended).toEqual({ code: 1, signal: null });
    expect(crier.errorLines()).toEqual([expect.stringMatching(line)]);
    expect(crier.stdout()).toBe('');
  });
});

test('forty wrong settings are reported at once, a line each, and end the start with 1 within 10 s', async ({
  annotate,
}) => {
  const numbers = Object.values(SETTINGS as Readonly<Record<string, Setting>>)
    .filter(({ kind }) => kind === 'integer')
    .map(({ variable }) => variable);
  const wrong: Record<string, string> = {
    ...Object.fromEntries(numbers.map((variable) => [variable, 'many'])),
    CRIER_PORT: 'tcp://10.96.0.7:8080',
    CRIER_ADMIN_PORT: '99999',
    CRIER_PROT: '8080',
    CRIER_ROLES: 'ingres',
    CRIER_NETWORKS: 'both',
    CRIER_DEMO: 'maybe',
    CRIER_KAFKA_TLS: 'yes',
    CRIER_LOG_LEVEL: 'loud',
    CRIER_BILLING: 'paypal',
    CRIER_SIGN_UP: 'sometimes',
    CRIER_PUBLIC_URL: 'example.test',
    CRIER_MEDIA_URL: 'ftp://files.example.test',
    CRIER_INTERNAL_URL: 'http://0.0.0.0:8081',
    CRIER_SECRET: 'changeme-0123456789-abcdefghijkl',
    CRIER_ADMIN_TOKEN_FILE: '/nowhere/token',
    CRIER_TLS_CERT: '/nowhere.pem',
    CRIER_TRUSTED_PROXIES: 'everyone',
    CRIER_KAFKA_BROKERS: 'a:99999',
    CRIER_CASSANDRA_CONTACT_POINTS: 'a:x',
    CRIER_CASSANDRA_KEYSPACE: 'my-crier',
    CRIER_KAFKA_TOPIC_PREFIX: 'a/b',
    CRIER_KAFKA_USERNAME: 'a',
    CRIER_CASSANDRA_USERNAME: 'a',
    CRIER_S3_ACCESS_KEY_ID: 'a',
    CRIER_X_CLIENT_ID: 'a',
    CRIER_TIKTOK_CLIENT_ID: 'a',
    CRIER_ALLOWED_ORIGINS: 'app.example.com',
    CRIER_GRAPH_VERSION: '25',
    CRIER_STRIPE_PRICES: 'pro=1',
    CRIER_SMTP_URL: 'mail.example.com',
    CRIER_MAIL_FROM: 'nobody',
    CRIER_EGRESS_OVERRIDES: 'hooks.test',
  };
  expect(Object.keys(wrong).length).toBeGreaterThanOrEqual(40);
  await using crier = await CrierUnderTest.make({ env: wrong });
  const from = performance.now();
  crier.launch();
  expect(await crier.ended).toEqual({ code: 1, signal: null });
  await annotate(`ended after ${Math.round(performance.now() - from)} ms`);
  expect(performance.now() - from).toBeLessThan(10_000);
  const lines = crier.errorLines();
  const untold = Object.keys(wrong).filter((variable) => !lines.some((line) => line.startsWith(`crier: ${variable} `)));
  expect(untold).toEqual([]);
  const named = lines.map((line) => line.split(' ')[1]);
  expect(named.filter((variable, index) => named.indexOf(variable) !== index)).toEqual([]);
  expect(crier.stdout()).toBe('');
});

describe('a ruined database ends the start with one sentence, leaves the folder free, and nothing changed', () => {
  let folder: string;
  let good: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'crier-ruins-'));
    good = join(folder, 'good');
    await using crier = await CrierUnderTest.start({ dataDir: good });
    await crier.stop();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const database = (data: string): string => join(data, 'crier.db');
  const emptied = (data: string): void => {
    for (const file of ['', '-wal', '-shm']) rmSync(database(data) + file, { force: true });
  };
  const execute = (data: string, statements: string): void => {
    const opened = new DatabaseSync(database(data));
    opened.exec(statements);
    opened.close();
  };

  test.each<[string, (data: string) => void, RegExp]>([
    ['noise', (data) => (emptied(data), writeFileSync(database(data), randomBytes(200_000))), /not a database/],
    ['cut to two pages', (data) => truncateSync(database(data), 8_192), /the database file is damaged/],
    ['a folder in its place', (data) => (emptied(data), mkdirSync(database(data))), /can't be opened/],
    [
      'tables of another program',
      (data) => (emptied(data), execute(data, 'CREATE TABLE records (x); CREATE TABLE workspaces (y)')),
      /its tables are not those of this release .* start with another folder/,
    ],
    [
      'written by a release far newer',
      (data) =>
        execute(data, `UPDATE installation SET body = CAST('{"schema":999}' AS BLOB) WHERE body LIKE '%"schema"%'`),
      /the data has schema version 999, and this release reads up to \d+: start the release that wrote it/,
    ],
  ])('%s', async (name, ruin, sentence) => {
    const data = join(folder, name.replaceAll(' ', '-'));
    cpSync(good, data, { recursive: true });
    ruin(data);
    const before = folderOf(data);
    // Twice: of a folder that the first start had kept for itself, the second would speak of the lock.
    for (const _start of [1, 2]) {
      await using crier = await CrierUnderTest.make({ dataDir: data });
      const from = performance.now();
      crier.launch();
      expect(await crier.ended).toEqual({ code: 1, signal: null });
      expect(performance.now() - from).toBeLessThan(10_000);
      expect(crier.errorLines()).toEqual([expect.stringMatching(sentence)]);
    }
    expect(folderOf(data)).toEqual(before);
  });
});

test('with another secret it lives, takes no work, says why wherever it is asked, and ends when told', async () => {
  await using crier = await CrierUnderTest.start();
  await crier.stop();
  await using other = await CrierUnderTest.make({
    dataDir: crier.dataDir,
    env: { CRIER_SECRET: 'another-master-secret-of-tests-only' },
  });
  other.launch();
  const asked = async (path: 'ready' | 'live') => {
    const answer = await fetch(`http://127.0.0.1:${other.ports.admin}/health/${path}`).catch(() => null);
    return answer === null ? null : { status: answer.status, body: await answer.text() };
  };
  const ready = await until(
    async () => {
      const answer = await asked('ready');
      return answer?.body.includes('CRIER_SECRET is not the secret of this installation') === true ? answer : null;
    },
    { what: 'the secret named as the trouble' },
  );
  expect([ready.status, (await asked('live'))?.status]).toEqual([503, 200]);
  expect(await accepts(other)).toBe(false);
  other.signal('SIGTERM');
  expect(await other.ended).toEqual({ code: 0, signal: null });
  await crier.start();
});

test('asked to end, it serves on for the delay, not ready, and no connection is refused meanwhile', async () => {
  // Long enough for a busy machine to answer a request that was sent in the first part of it.
  const env = { CRIER_DRAIN_DELAY_SECONDS: '8', CRIER_REQUESTS_PER_MINUTE: '0' };
  await using crier = await CrierUnderTest.start({ env });
  const from = performance.now();
  crier.signal('SIGTERM');
  await until(async () => (await crier.admin().get('/health/ready')).status === 503, { what: 'not ready', everyMs: 5 });
  let served = 0;
  do {
    // A connection of its own for each, as a proxy that has not yet noticed makes them.
    expect(await accepts(crier)).toBe(true);
    await crier.api().createPost({ text: `while it leaves ${served}`, channelIds: textChannels(crier.ready.demo!) });
    served++;
  } while (performance.now() - from < 1_500);
  expect((await crier.admin().get('/health/live')).status).toBe(200);
  expect(await crier.ended).toEqual({ code: 0, signal: null });
  expect(performance.now() - from).toBeGreaterThan(8_000);
  const events = [...crier.stderr().matchAll(/"event":"(started|ready|process-stopping|drained|stopped)"/g)];
  expect(events.map(([, event]) => event)).toEqual(['started', 'ready', 'process-stopping', 'drained', 'stopped']);
});

describe('SIGTERM', () => {
  test('lets a request in progress be answered, ends with 0, and frees the folder', async () => {
    await using crier = await CrierUnderTest.start();
    const text = 'sent while it drains';
    const half = await halfSent(crier, text);
    crier.signal('SIGTERM');
    await until(async () => !(await accepts(crier)), { what: 'taking no new connections' });
    const answer = await half.finish();
    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
    expect(await crier.ended).toEqual({ code: 0, signal: null });
    await crier.start();
    const [post] = await crier.api().listPosts();
    expect(post!.text).toBe(text);
    await until(async () => publishedWhole(await crier.api().getPost(post!.id)), {
      what: 'published after the next start',
    });
  });

  test('lets a publication in progress come to its end: once, and known', async () => {
    await using crier = await CrierUnderTest.start();
    await crier.sandbox().fault({ network: 'threads', fault: 'delay', delayMs: 700 });
    const { id } = await crier.api().createPost({ text: 'slow', channelIds: textChannels(crier.ready.demo!) });
    await until(async () => (await crier.sandbox().calls('threads')).length > 0, { what: 'threads called' });
    expect(await crier.stop()).toEqual({ code: 0, signal: null });
    await crier.start();
    await until(async () => publishedWhole(await crier.api().getPost(id)), { what: 'published' });
    expect((await crier.sandbox().items()).map(({ network }) => network).toSorted()).toEqual(['threads', 'x']);
  });

  test(
    'exits although a timer is left open, as by the client library of an engine that came back',
    {
      timeout: 90_000,
    },
    async () => {
      const leftOpen = "if (process.argv.includes('start')) setInterval(() => {}, 1000)";
      await using crier = await CrierUnderTest.start({
        env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(leftOpen)}` },
      });
      crier.signal('SIGTERM');
      expect(await crier.ended).toEqual({ code: 0, signal: null });
      expect(crier.stderr()).toContain('"event":"stopped"');
    },
  );

  test('given twice ends the process at once with 1', async () => {
    await using crier = await CrierUnderTest.start();
    await halfSent(crier, 'never finished');
    crier.signal('SIGTERM');
    await until(async () => !(await accepts(crier)), { what: 'draining' });
    const from = performance.now();
    crier.signal('SIGTERM');
    expect(await crier.ended).toEqual({ code: 1, signal: null });
    // A drain may take 25 s.
    expect(performance.now() - from).toBeLessThan(15_000);
    await crier.start();
  });
});

/** The Post once both Networks have it, with its permalinks. */
function publishedWhole(post: PostJson): PostJson | null {
  return post.variants.every(({ status, permalink }) => status === 'published' && permalink !== null) ? post : null;
}

/** Names, sizes and contents of all files except the database, which its owner may write at any time. */
function folderOf(path: string): object {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    entries.map((entry) => {
      const at = join(entry.parentPath, entry.name);
      return [at, entry.isDirectory() || /\.db|\.lock/.test(entry.name) ? '' : readFileSync(at, 'utf8')];
    }),
  );
}

function accepts(crier: CrierUnderTest): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(crier.ports.api, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** A POST whose body arrived only to its middle. */
async function halfSent(crier: CrierUnderTest, text: string): Promise<{ finish(): Promise<string> }> {
  const { apiKey } = crier.ready.demo!;
  const body = JSON.stringify({ text, channelIds: textChannels(crier.ready.demo!) });
  const socket = connect(crier.ports.api, '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (piece: string) => {
    answer += piece;
  });
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const head = [
    'POST /api/posts HTTP/1.1',
    'Host: crier',
    `Authorization: Bearer ${apiKey}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Expect: 100-continue',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  // Answered once the head was read: from then on it is in flight.
  await until(() => answer.startsWith('HTTP/1.1 100'), { what: '100 Continue' });
  answer = '';
  socket.write(body.slice(0, 10));
  return {
    finish: async () => {
      socket.write(body.slice(10));
      await closed;
      return answer.trimStart();
    },
  };
}
