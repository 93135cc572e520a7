import { expect, test } from 'vitest';
import type { OutcomeBody } from '#domain/workspace/events.ts';
import { OUTCOME_TYPES } from '#domain/webhook/outcome-type.ts';
import type { PostJson } from '#testing/crier-clients.ts';
import { foundWorkspace, type TestWorkspace } from '#testing/crier-workspace.ts';
import { soak, soakRun } from '#testing/engines/environment.ts';
import { jarsTrouble } from '#testing/engines/jars.ts';
import { SeededRandom } from '#testing/seeded-random.ts';
import { startTrustedReceiver } from '#testing/trusted-receiver.ts';
import { until } from '#testing/until.ts';
import { Clients } from './clients.ts';
import { startInstallation } from './installation.ts';
import { judge } from './judge.ts';
import { Nemesis } from './nemesis.ts';
import { RecordedHistory } from './recorded-history.ts';

const { forMs, seed } = soak() ? soakRun() : { forMs: 90_000, seed: 19 };
const WORKSPACES = 4;
const CLIENTS = 8;
const CREDITS = 100_000;
/** With everything healed, clients go on for so long: what comes due then must be on time. */
const CALM_MS = 15_000;
/** An attempt whose publisher was killed during x's call: its time-outs, then three reads within 3 minutes. */
const SETTLED_MS = 420_000;
const NONE = 1_000_000_000;

test.skipIf((await jarsTrouble()) !== null)(
  `${forMs / 1_000} s of faults at processes, brokers, nodes, ways, clocks and disks: every answer fits one history (seed ${seed})`,
  { timeout: forMs + 1_800_000 },
  async ({ annotate }) => {
    await using trusted = await startTrustedReceiver();
    await using installation = await startInstallation(trusted.settings);
    const { truth, ingresses } = installation;
    await truth.sandbox().limits('x', {
      ...{ tweetsCreatePerUser: NONE, tweetsCreatePerApp: NONE, usersTweetsPerUser: NONE, usersTweetsPerApp: NONE },
    });
    await truth.sandbox().limits('threads', { postsPerDay: NONE });
    const workspaces: TestWorkspace[] = [];
    for (let index = 0; index < WORKSPACES; index++)
      workspaces.push(await foundWorkspace(truth, `history ${index}`, { credits: CREDITS }));
    for (const { apiKey, workspaceId } of workspaces) {
      const url = `${trusted.receiver.url}${workspaceId}`;
      const body = { url, events: [...OUTCOME_TYPES] };
      expect((await ingresses[0]!.process.api(apiKey).send('POST', '/api/webhooks', body)).status).toBe(201);
    }
    const history = new RecordedHistory();
    const baseUrls = ingresses.map(({ process }) => process.ready.baseUrl!);
    const clients = new Clients({ history, workspaces, baseUrls, random: new SeededRandom(seed) });
    clients.start(CLIENTS);
    const faults = await new Nemesis(installation, new SeededRandom(seed + 1)).run(forMs);
    await new Promise((resolve) => setTimeout(resolve, CALM_MS));
    await clients.stop();

    const listed = async (): Promise<readonly (PostJson & { readonly workspace: number })[]> =>
      (
        await Promise.all(
          workspaces.map(async ({ apiKey }, workspace) =>
            (await ingresses[0]!.process.api(apiKey).listPosts({ limit: '100' })).map((post) => ({
              ...post,
              workspace,
            })),
          ),
        )
      ).flat();
    const settledAt = Date.now();
    const posts = await until(async () => (await isSettled(await listed(), settledAt)) || null, {
      ...{ what: 'every due Variant has ended', withinMs: SETTLED_MS, everyMs: 1_000 },
    }).then(listed, listed);
    const events = () =>
      workspaces.map(({ workspaceId }) =>
        trusted.receiver.requests
          .filter(({ method, path }) => method === 'POST' && path === `/${workspaceId}`)
          .map(({ body }) => JSON.parse(body.toString('utf8')) as OutcomeBody),
      );
    const evidence = async () => ({
      ...{ history, posts, items: await truth.sandbox().items(), events: events(), settledAt },
    });
    // Webhooks may come after the Variant's end is shown.
    const verdict = await until(
      async () => {
        const judged = judge(await evidence());
        return judged.broken.some((line) => line.includes('no event says so')) ? null : judged;
      },
      { what: 'events of every end', withinMs: 120_000, everyMs: 1_000 },
    ).catch(async () => judge(await evidence()));

    await annotate(
      [
        `${history.posts.length} Posts, ${verdict.operations} operations; ${JSON.stringify(verdict.counts)}`,
        `faults: ${[...faults.counts].map(([kind, count]) => `${count} ${kind}`).join(', ')}`,
        `answers: ${[...history.tally]
          .toSorted()
          .map(([what, count]) => `${what} ${count}`)
          .join(', ')}`,
        `ended by themselves: ${faults.endedBySelf.join(' | ') || 'none'}`,
        ...faults.lines,
      ].join('\n'),
    );
    expect(verdict.broken).toEqual([]);
  },
);

function isSettled(posts: readonly PostJson[], settledAt: number): boolean {
  return posts.every(({ variants }) =>
    variants.every(
      ({ status, scheduledAt }) =>
        status !== 'publishing' &&
        (status !== 'scheduled' || (scheduledAt !== null && Date.parse(scheduledAt) > settledAt + 60_000)),
    ),
  );
}
