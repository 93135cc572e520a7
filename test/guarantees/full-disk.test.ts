import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PostJson } from '#testing/crier-clients.ts';
import { CrierUnderTest, textChannels } from '#testing/crier-process.ts';
import { SmallDisk } from '#testing/small-disk.ts';
import { until } from '#testing/until.ts';

const run = promisify(execFile);
const asRoot = process.getuid!() === 0;
const NOBODY = 65_534;
/** Every request must be answered within this, whatever the state of the disk. */
const DEADLINE_MS = 12_000;

/** A disk that can be filled and emptied. */
interface FullDisk {
  readonly path: string;
  /** The steps of a process that finds the disk full from the start. */
  readonly whenFull: readonly string[];
  fill(crier: CrierUnderTest | null): Promise<void>;
  free(crier: CrierUnderTest | null): Promise<void>;
  remove(): Promise<void>;
}

/**
 * A tmpfs where mounting is allowed; otherwise a limit on the size of files, which has the effect of a full disk:
 * writes fail.
 */
async function smallDisk(): Promise<FullDisk> {
  const path = mkdtempSync(join(tmpdir(), 'crier-disk-'));
  const mounted = await SmallDisk.mount(path, '16m');
  if (mounted !== null) {
    return {
      path,
      whenFull: [],
      fill: async () => mounted.fill(),
      free: async () => mounted.free(),
      remove: async () => {
        await mounted.unmount();
        rmSync(path, { recursive: true });
      },
    };
  }
  const limit = (crier: CrierUnderTest | null, size: string) =>
    run('prlimit', ['--pid', String(crier!.pid), `--fsize=${size}:unlimited`]);
  return {
    path,
    whenFull: ['prlimit', '--fsize=4096:unlimited'],
    fill: async (crier) => void (crier === null || (await limit(crier, '1'))),
    free: async (crier) => void (crier === null || (await limit(crier, 'unlimited'))),
    remove: async () => rmSync(path, { recursive: true }),
  };
}

describe('a disk that is full', () => {
  let disk: FullDisk;
  let crier: CrierUnderTest;
  const acknowledged: PostJson[] = [];
  let count = 0;
  const post = (): Promise<PostJson> =>
    crier.api().createPost({ text: `on a small disk ${++count}`, channelIds: textChannels(crier.ready.demo!) });
  /** The code of a refusal; null where it was acknowledged all the same. */
  const refusalOf = async (text: string): Promise<string | null> => {
    const from = performance.now();
    const body = { text, channelIds: textChannels(crier.ready.demo!) };
    const answer = await crier.api().send('POST', '/api/posts', body);
    expect(performance.now() - from).toBeLessThan(DEADLINE_MS);
    if (answer.status === 201) {
      acknowledged.push(answer.body.data);
      return null;
    }
    expect(answer.status).toBe(503);
    expect(['unavailable', 'outcome_unknown']).toContain(answer.body.error.code);
    expect(answer.body.error.message).not.toMatch(/SQLite|disk|\bat\b.*:\d+/);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    return answer.body.error.code;
  };

  beforeAll(async () => {
    disk = await smallDisk();
    // Its log is on the same disk, as is usual.
    crier = await CrierUnderTest.start({
      dataDir: join(disk.path, 'data'),
      logDir: disk.path,
      env: { CRIER_REQUESTS_PER_MINUTE: '0' },
    });
    for (let before = 0; before < 5; before++) acknowledged.push(await post());
    await until(async () => (await crier.api().listPosts()).every(published), { what: 'published' });
    await disk.fill(crier);
  });
  afterAll(async () => {
    await crier[Symbol.asyncDispose]();
    await disk.remove();
  });

  test('gives POSTs 503 in the envelope and in time, and acknowledges nothing that it cannot keep', async () => {
    let refused = 0;
    // Free space inside its files is used up first; Posts acknowledged meanwhile count like the others.
    for (let tries = 0; tries < 400 && refused < 3; tries++)
      if ((await refusalOf(`into the last room ${tries} ${'x'.repeat(200)}`)) !== null) refused++;
    expect(refused).toBe(3);
    // The log has one line a second of those, and one whose outcome is unknown may have been the first.
    await sleep(1_500);
    await until(async () => (await refusalOf('once more')) === 'unavailable', {
      what: 'another POST that is surely not kept',
      withinMs: 60_000,
      everyMs: 1_500,
    });
  });

  test('turns readiness red with a line that says why; the process is alive', async () => {
    const health = await until(
      async () => {
        const answer = await crier.admin().get('/health/ready');
        return answer.status === 503 ? answer : null;
      },
      { what: 'readiness red' },
    );
    expect(JSON.stringify(health.body)).toMatch(/disk is full|disk reports an error/);
    expect((await crier.admin().get('/health/live')).status).toBe(200);
  });

  test('still reads', async () => {
    for (const { id, text } of acknowledged) expect((await crier.api().getPost(id)).text).toBe(text);
    expect((await crier.api().channels()).map(({ id }) => id).toSorted()).toEqual(
      Object.values(crier.ready.demo!.channels).toSorted(),
    );
  });

  test('resumes by itself when there is room: everything acknowledged is published once', async () => {
    await disk.free(crier);
    await until(async () => (await crier.admin().get('/health/ready')).status === 200, {
      what: 'ready again',
      withinMs: 60_000,
    });
    acknowledged.push(await until(() => post(), { what: 'a POST accepted again', withinMs: 60_000, everyMs: 200 }));
    await until(() => /"code":"unavailable".*(disk is full|disk reports an error)/.test(crier.stderr()), {
      what: 'the log says why there was a 503',
    });
    await settled(crier, acknowledged);
  });

  test('and the same after a restart', async () => {
    await crier.restart('kill');
    await settled(crier, acknowledged);
  });
});

/** Everything acknowledged exists and is live exactly once on threads; on x too, unless the Variant is unconfirmed. */
async function settled(crier: CrierUnderTest, acknowledged: readonly PostJson[]): Promise<void> {
  const posts = await until(
    async () => {
      await crier.admin().advance(60_000);
      const list = await crier.api().listPosts();
      return list.every(({ variants }) => variants.every(({ status }) => status === 'published' || status === 'failed'))
        ? list
        : null;
    },
    { what: 'nothing unfinished', withinMs: 90_000, everyMs: 300 },
  );
  const items = await crier.sandbox().items();
  for (const { id, text } of acknowledged) {
    const variants = posts.find((one) => one.id === id)?.variants ?? [];
    expect(variants, `${text} is there`).toHaveLength(2);
    for (const { network, status, failureReason, failureDetail } of variants) {
      const live = items.filter((item) => item.text === text && item.network === network).length;
      if (status === 'published') expect(live, `${text} on ${network}`).toBe(1);
      else
        expect({ network, failureReason }, failureDetail ?? '').toEqual({ network: 'x', failureReason: 'unconfirmed' });
    }
  }
  expect(new Set(items.map(({ network, text }) => `${network} ${text}`)).size, 'nothing live twice').toBe(items.length);
}

describe('a folder that cannot be used stops the start with one line', () => {
  const folders: string[] = [];
  const folder = (): string => {
    const path = mkdtempSync(join(tmpdir(), 'crier-folder-'));
    folders.push(path);
    return path;
  };
  afterAll(() => folders.forEach((path) => rmSync(path, { recursive: true, force: true })));

  test.each([
    ['a folder of another user', (path: string) => chmodSync(path, 0o755), ''],
    ['inside a folder of another user', (path: string) => chmodSync(path, 0o755), '/data'],
    [
      'a read-only folder',
      (path: string) => {
        mkdirSync(`${path}/data`);
        chmodSync(`${path}/data`, 0o555);
        chmodSync(path, 0o755);
      },
      '/data',
    ],
  ])('%s', async (_, prepare, inside) => {
    const path = folder();
    prepare(path);
    const dataDir = `${path}${inside}`;
    if (!asRoot) chmodSync(path, 0o555);
    await using crier = await CrierUnderTest.make({
      dataDir,
      through: asRoot ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [],
      env: { HOME: '/', CRIER_READY_FILE: '' },
    });
    crier.launch();
    expect(await crier.ended).toEqual({ code: 1, signal: null });
    expect(crier.errorLines()).toEqual([`crier: can't use ${dataDir} as data folder: this user may not write there`]);
  });

  test('a disk that is already full', async () => {
    const disk = await smallDisk();
    try {
      await disk.fill(null);
      await using crier = await CrierUnderTest.make({ dataDir: join(disk.path, 'data'), through: disk.whenFull });
      crier.launch();
      expect(await crier.ended).toEqual({ code: 1, signal: null });
      expect(crier.errorLines()).toEqual([expect.stringMatching(/^crier: .*disk/)]);
    } finally {
      await disk.remove();
    }
  });

  test('a file in its place', async () => {
    await using crier = await CrierUnderTest.make({ dataDir: '/dev/null' });
    crier.launch();
    expect(await crier.ended).toEqual({ code: 1, signal: null });
    expect(crier.errorLines()).toEqual([
      "crier: can't use /dev/null as data folder: a file stands where a folder is needed",
    ]);
  });
});

function published({ variants }: PostJson): boolean {
  return variants.every(({ status }) => status === 'published');
}
