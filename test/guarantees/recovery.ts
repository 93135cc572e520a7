import { expect } from 'vitest';
import { NETWORKS } from '#domain/network.ts';
import type { VariantJson } from '#testing/crier-clients.ts';
import { CrierUnderTest, type CrierOptions } from '#testing/crier-process.ts';
import { soak } from '#testing/engines/environment.ts';
import { MediaServer } from '#testing/media-server.ts';
import { until } from '#testing/until.ts';
import { withFilesAt } from './files-program.ts';
import { NO_LIMITS } from './sandbox-limits.ts';

export const POSTS = 40;

export interface RecoveryOptions extends Pick<CrierOptions, 'engine' | 'env'> {
  readonly kills: number;
}

export interface Recoveries {
  /** Of each kill: milliseconds from the moment that Crier is ready again until every outcome is known. */
  readonly tookMs: readonly number[];
  /** How many Variants came to which end, by Network. */
  readonly ends: Readonly<Record<string, number>>;
}

/** Kills a process with -9 amid immediate Posts to all six Networks, and starts it again, several times. */
export async function recoveries({ kills, engine = 'embedded', env = {} }: RecoveryOptions): Promise<Recoveries> {
  await using media = await MediaServer.start();
  // The Networks go on while Crier is down: requests that it had sent may well go live.
  await using networks = await CrierUnderTest.start({
    name: 'networks',
    env: { CRIER_DEMO: 'false', CRIER_LOG_LEVEL: 'warn', CRIER_MEDIA_URL: media.url },
  });
  for (const network of NETWORKS) await networks.sandbox().limits(network, NO_LIMITS[network]);
  await using crier = await CrierUnderTest.start({
    program: withFilesAt(media.url),
    engine,
    env: {
      CRIER_DEMO: 'true',
      CRIER_SANDBOX_URL: networks.ready.sandboxUrl!,
      CRIER_REQUESTS_PER_MINUTE: '0',
      CRIER_NETWORK_BUDGETS: 'off',
      CRIER_LOG_LEVEL: 'warn',
      ...env,
    },
  });
  const variants = async (limit: number): Promise<readonly VariantJson[]> =>
    (await crier.api().listPosts({ limit: `${limit}` })).flatMap((post) => post.variants);
  /** Of this kill alone: its Posts are the newest. Reading all of them would keep the process that is timed busy. */
  const newest = () => variants(POSTS);
  const tookMs: number[] = [];
  for (let kill = 1; kill <= kills; kill++) {
    await post(crier, kill);
    // Some are live, and many calls are in flight.
    await until(async () => (await newest()).filter(({ status }) => status === 'published').length >= POSTS, {
      what: 'a good part is live',
      everyMs: 10,
      withinMs: 60_000,
    });
    await crier.kill();
    await crier.start();
    const readyAt = performance.now();
    let last: VariantJson | null = null;
    const looks = [5, 15, 30, 45].map((seconds) => seconds * 1_000);
    await until(
      async () => {
        const open = (await newest()).filter(({ status }) => status === 'publishing' || status === 'scheduled');
        last = open.at(-1) ?? last;
        const sinceMs = performance.now() - readyAt;
        if (soak() && sinceMs >= (looks[0] ?? Infinity)) {
          looks.shift();
          const counts = Object.entries(Object.groupBy(open, ({ network, status }) => `${network} ${status}`));
          console.log(`${Math.round(sinceMs)} ms: ${counts.map(([what, of]) => `${of!.length} ${what}`).join(', ')}`);
        }
        if (open.length > 0) throw new Error(`open: ${open.map(({ network, id }) => `${network} ${id}`).join(', ')}`);
        return true;
      },
      { what: 'no Variant of unknown outcome', everyMs: 50, withinMs: 300_000 },
    );
    tookMs.push(Math.round(performance.now() - readyAt));
    if (soak()) await say(crier, `kill ${kill}: from ready to the last outcome ${tookMs.at(-1)} ms`, last);
  }
  const ends = Object.groupBy(await variants(500), ({ network, status, failureReason }) => {
    return `${network} ${failureReason ?? status}`;
  });
  return { tookMs, ends: Object.fromEntries(Object.entries(ends).map(([end, of]) => [end, of!.length])) };
}

async function post(crier: CrierUnderTest, kill: number): Promise<void> {
  const channelIds = Object.values(crier.ready.demo!.channels);
  const texts = Array.from({ length: POSTS }, (_, index) => `Kill ${kill}, Post ${index}`);
  const posts = texts.map((text) => ({ text, channelIds }));
  const { status, body } = await crier.api().send('POST', '/api/posts/bulk', { posts });
  expect([status, body.data.map((one: { status: number }) => one.status)]).toEqual([200, texts.map(() => 201)]);
}

/** With the attempts of the Variant that was open longest. */
async function say(crier: CrierUnderTest, what: string, last: VariantJson | null): Promise<void> {
  const attempts = last === null ? [] : (await crier.api().send('GET', `/api/variants/${last.id}/attempts`)).body.data;
  console.log(`${what}; ${last?.network} ${JSON.stringify(attempts)}`);
}
