import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import type { CrierServer } from '../crier-server.ts';
import { sendLoad } from '../load.ts';
import { memory, MIB } from '../machine.ts';
import { buildPopulation } from '../population.ts';
import { median } from '../quantiles.ts';
import { target, type BenchTarget } from '../report.ts';

const CLIENTS = 64;
const WITHIN_MS = 120_000;
const POLL_MS = 500;
/** The part that is compared with the last one: by then code is compiled and caches are full. */
const FIRST = 1;

/** The p99 of a part has in it what the disk stood still for; stalls of Crier's own made it a hundred times as much. */
const MOST_OF_P99 = 2;
const FLAT = 1.1;

/** What was seen at the end of a part of the load. */
export interface Part {
  readonly p50: number;
  readonly p99: number;
  readonly residentBytes: number;
  /** Of all files of the installation. */
  readonly storedBytes: number;
  /** Published in this part. */
  readonly published: number;
  /** Of the starts of attempts of this part, on average. */
  readonly lateMs: number;
}

/**
 * Posts that are created at a steady rate, and published as they come due, for hours: answers stay as quick, memory
 * stays as it is, and the disk grows by what each kept Post takes. The Networks are the sandbox of another process,
 * because it keeps every item.
 */
export async function steady(bench: Bench): Promise<void> {
  const { sizes, site } = bench;
  const networks = await (await site.install('networks')).start();
  const installation = await site.install('steady');
  const { sandboxUrl } = networks;
  const server = { ...(await installation.start({ CRIER_SANDBOX_URL: sandboxUrl })), sandboxUrl };
  try {
    const { workspaces } = await buildPopulation(server, {
      ...{ workspaces: sizes.workspaces, channelsAWorkspace: sizes.channelsAWorkspace, keysAWorkspace: 1 },
    });
    const homes = workspaces.flatMap(({ keys, channelIds }) => channelIds.map((id) => ({ keys, channelIds: [id] })));
    const parts: Part[] = [];
    for (let number = 0; number < sizes.steadyParts; number++) {
      const before = await progressOf(server);
      const load = await sendLoad({
        ...{ url: server.baseUrl, clients: CLIENTS, ratePerSecond: sizes.steadyASecond, warmUp: { requests: 0 } },
        measured: { seconds: sizes.steadyPartSeconds },
        requests: { kind: 'create', homes, label: `Part ${number}`, due: { afterMs: sizes.steadyLeadMs } },
      });
      const after = await progressOf(server);
      parts.push({
        ...{ p50: load.p50, p99: load.p99, residentBytes: memory(server.pid).residentBytes },
        storedBytes: bytesIn(installation.dataDir),
        published: after.published - before.published,
        lateMs: ((after.lateSeconds - before.lateSeconds) / Math.max(1, after.begun - before.begun)) * 1_000,
      });
      bench.say(`part ${number + 1} of ${sizes.steadyParts}: ${inWords(parts.at(-1)!)}`);
    }
    await allPublished(server, sizes.steadyParts * Math.ceil(sizes.steadyASecond * sizes.steadyPartSeconds));
    addRow(bench, parts);
  } finally {
    await server.stop();
    await networks.stop();
  }
}

function addRow({ add, sizes }: Bench, parts: readonly Part[]): void {
  const figures = figuresOf(parts, sizes.steadyASecond * sizes.steadyPartSeconds);
  add({
    group: 'steady',
    what: `${sizes.steadyASecond} Posts a second, created and published, for ${(sizes.steadyPartSeconds * parts.length) / 60} minutes`,
    rateLimit: 0,
    figures,
    target: targetOf(figures),
    how: `${parts.length} parts; the first is the second of them, as code is compiled in the one before; each Post due ${sizes.steadyLeadMs / 1_000} s after its creation, one Variant on x, ${sizes.workspaces * sizes.channelsAWorkspace} Channels; the Networks are the sandbox of another process; by part: ${parts.map(inWords).join('; ')}`,
  });
}

export function figuresOf(parts: readonly Part[], postsAPart: number) {
  const first = parts[FIRST]!;
  const last = parts.at(-1)!;
  const middle = parts.length >> 1;
  const perPost = (from: number, to: number): number =>
    (parts[to]!.storedBytes - parts[from]!.storedBytes) / (postsAPart * Math.max(1, to - from));
  const firstHalf = perPost(0, middle);
  const lastHalf = perPost(middle, parts.length - 1);
  return {
    'first part p50 ms': first.p50,
    'last part p50 ms': last.p50,
    'p50 last to first': last.p50 / first.p50,
    'first part p99 ms': first.p99,
    'last part p99 ms': last.p99,
    'p99 last to first': last.p99 / first.p99,
    'started late on average ms': median(parts.map(({ lateMs }) => lateMs)),
    'MiB after the first part': first.residentBytes / MIB,
    'MiB after the last part': last.residentBytes / MIB,
    'MiB last to first': last.residentBytes / first.residentBytes,
    'most MiB': Math.max(...parts.map(({ residentBytes }) => residentBytes)) / MIB,
    'bytes a Post, first half': firstHalf,
    'bytes a Post, last half': lastHalf,
    // A file that did not grow at all has no measure.
    'bytes a Post, last half to first': lastHalf / Math.max(1, firstHalf),
  };
}

/** That nothing gets slower or larger with what was done before. */
export function targetOf(figures: ReturnType<typeof figuresOf>): BenchTarget {
  const atMost = {
    'p50 last to first': FLAT,
    'p99 last to first': MOST_OF_P99,
    'MiB last to first': FLAT,
    'bytes a Post, last half to first': FLAT,
  };
  const text = Object.entries(atMost).map(([figure, most]) => `${figure} <= ${most}`);
  return target(text.join(', '), figures, { atMost });
}

interface Progress {
  readonly published: number;
  readonly begun: number;
  readonly lateSeconds: number;
}

async function progressOf(server: CrierServer): Promise<Progress> {
  const [published, begun, lateSeconds] = await Promise.all([
    publishedBy(server),
    server.metric('crier_variant_start_lateness_seconds_count'),
    server.metric('crier_variant_start_lateness_seconds_sum'),
  ]);
  return { published, begun, lateSeconds };
}

function publishedBy(server: CrierServer): Promise<number> {
  return server.metric('crier_attempts_ended_total', 'outcome="published"');
}

async function allPublished(server: CrierServer, count: number): Promise<void> {
  const giveUpAt = performance.now() + WITHIN_MS;
  while ((await publishedBy(server)) < count) {
    if (performance.now() > giveUpAt) throw new Error(`of ${count} Variants ${await publishedBy(server)} are live`);
    await sleep(POLL_MS);
  }
}

function inWords({ p50, p99, residentBytes, storedBytes, published, lateMs }: Part): string {
  return `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)} ms, ${published} published ${lateMs.toFixed(0)} ms late, ${Math.round(residentBytes / MIB)} MiB in memory, ${Math.round(storedBytes / MIB)} on disk`;
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce(
      (sum, { parentPath, name }) => sum + (statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
}
