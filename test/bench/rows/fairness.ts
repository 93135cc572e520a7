import { setTimeout as sleep } from 'node:timers/promises';
import { openMediaFolder } from '#media/made-files.fixture.ts';
import { times, type Bench } from '../bench.ts';
import { ATTACKED_POOLS } from '../fairness/attacked-pools.ts';
import type { AttackedPool, Duel, Scene } from '../fairness/duel.ts';
import { startTenantHosts } from '../fairness/hosts.ts';
import { startAttack } from '../fairness/start-attack.ts';
import { createTenant, freeNetworks } from '../fairness/tenant.ts';
import { phonePicture } from '../phone-files.ts';
import { median, quantile } from '../quantiles.ts';
import { target } from '../report.ts';

const REQUESTS_PER_MINUTE = 60;
const ATTACKER_KEYS = 10;
const MOST = 1.5;
/** Costs the server nothing but the answer. */
const FREE_PAGE = '/.well-known/oauth-protected-resource';
const HELD_LOOKS = 8;
/** Its multiples are spread evenly between whole numbers. */
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2;
const CALM_WITHIN_MS = 120_000;
const CALM_POLL_MS = 200;

/**
 * Each pool that Workspaces share, and one of them that fills its limits: how long an ordinary thing of another takes
 * before and during that.
 */
export async function fairness(bench: Bench, only: string | null): Promise<void> {
  await using folder = await openMediaFolder('bench-fairness');
  const picture = await phonePicture(folder, 'large.jpg', bench.sizes.fairnessPicture);
  const hosts = await startTenantHosts();
  const wanted = ATTACKED_POOLS.filter(({ pool }) => only === null || pool.includes(only));
  const isAlone = ({ settings }: AttackedPool) => settings !== undefined;
  const together = wanted.filter((attacked) => !isAlone(attacked));
  const groups = [
    ...(together.length === 0 ? [] : [together]),
    ...wanted.filter(isAlone).map((attacked) => [attacked]),
  ];
  try {
    for (const [index, group] of groups.entries()) await onOneServer(bench, { group, index, hosts, picture, folder });
  } finally {
    await hosts.close();
  }
}

interface OneServer extends Pick<Scene, 'hosts' | 'picture' | 'folder'> {
  /** With the same settings. */
  readonly group: readonly AttackedPool[];
  readonly index: number;
}

async function onOneServer(bench: Bench, { group, index, ...shared }: OneServer): Promise<void> {
  const { sizes } = bench;
  const { hosts } = shared;
  const installation = await bench.site.install(`fairness${index}`);
  const own = group[0]!.settings;
  const server = await installation.start({
    ...hosts.settings,
    CRIER_REQUESTS_PER_MINUTE: String(REQUESTS_PER_MINUTE),
    ...own?.(hosts),
  });
  try {
    await freeNetworks(server);
    const victim = await createTenant(server, { number: 1, keys: 0, channels: 2 });
    const attacker = await createTenant(server, {
      ...{ number: 2, keys: ATTACKER_KEYS, channels: sizes.fairnessChannels },
    });
    const scene: Scene = { ...shared, server, victim, attacker, sizes };
    for (const attacked of group) await matched(bench, scene, attacked);
  } finally {
    await server.stop();
  }
}

interface Phase {
  readonly tookMs: readonly number[];
  readonly failures: readonly string[];
}

async function matched(bench: Bench, scene: Scene, attacked: AttackedPool): Promise<void> {
  const { sizes, say, add } = bench;
  const { server, hosts } = scene;
  const duel = await attacked.begin(scene);
  let things = 0;
  const measure = () => ordinary(attacked, duel, sizes.fairnessSeconds, () => things++);
  await duel.victim(things++);
  const rounds = await times(sizes.fairnessRounds, async (round) => {
    say(`${attacked.pool}, round ${round}`);
    await calm(scene, attacked, duel);
    const countedBefore = attacked.isCounted === true ? await server.metric(...attacked.held) : 0;
    const before = await measure();
    hosts.setHarmful(true);
    const attack = await startAttack(duel.attack);
    const heldBefore = await mostHeld(scene, attacked);
    const during = await measure();
    const held = Math.max(heldBefore, await server.metric(...attacked.held)) - countedBefore;
    hosts.setHarmful(false);
    const { answers, processorPart } = await attack.stop();
    say(`${attacked.pool}, the attack: ${JSON.stringify(answers)}, held ${held}`);
    await calm(scene, attacked, duel);
    const { baseUrl: url } = server;
    const nothing = await startAttack({
      kind: 'nothing',
      url,
      keys: scene.attacker.keys,
      path: FREE_PAGE,
      processorPart,
    });
    await sleep(sizes.fairnessLeadMs);
    const beside = await measure();
    await nothing.stop();
    return { before, during, beside, held };
  });
  await calm(scene, attacked, duel);
  const failures = rounds.flatMap(({ before, during }) => [...before.failures, ...during.failures]);
  // The median of the rounds, as a pause of the machine in one of them says nothing of an attack.
  const ofRounds = (fraction: number, of: (round: (typeof rounds)[number]) => Phase): number =>
    median(rounds.map((round) => quantile(of(round).tookMs, fraction)));
  for (const failure of new Set(failures)) say(`  failed: ${failure}`);
  const [alone, attackedP99, floor] = [
    ofRounds(0.99, (round) => round.before),
    ofRounds(0.99, (round) => round.during),
    ofRounds(0.99, (round) => round.beside),
  ];
  const figures = {
    'p50 ms': ofRounds(0.5, (round) => round.before),
    'p99 ms': alone,
    'attacked p50 ms': ofRounds(0.5, (round) => round.during),
    'attacked p99 ms': attackedP99,
    ratio: attackedP99 / alone,
    'ratio beside an attack that does nothing': floor / alone,
    failed: failures.length,
    'held by the attack': Math.max(...rounds.map(({ held }) => held)),
  };
  add({
    group: 'fairness',
    what: `${attacked.pool} under attack: ${attacked.ordinary}`,
    rateLimit: REQUESTS_PER_MINUTE,
    figures,
    target: target(`ratio <= ${MOST}, failed 0`, figures, { atMost: { ratio: MOST, failed: 0 } }),
    how: `${attacked.attack}, by ${attacked.attacker ?? `one Workspace of the Plan agency with ${ATTACKER_KEYS} keys`}, from a process of its own; ${attacked.aSecond} of the victim a second, ${rounds.length} rounds of ${sizes.fairnessSeconds} s before and during, quantiles of each, medians of the rounds`,
  });
}

/** While the attack gets going; not while the victim is measured, as each look costs the server some milliseconds. */
async function mostHeld({ server, sizes }: Scene, { held }: AttackedPool): Promise<number> {
  let most = 0;
  for (let look = 0; look < HELD_LOOKS; look++) {
    await sleep(sizes.fairnessLeadMs / HELD_LOOKS);
    most = Math.max(most, await server.metric(...held));
  }
  return most;
}

/** At planned instants, however long each takes; one in each stretch of equal length, not in step with the attack. */
async function ordinary(
  { aSecond }: AttackedPool,
  { victim }: Duel,
  seconds: number,
  next: () => number,
): Promise<Phase> {
  const [tookMs, failures]: [number[], string[]] = [[], []];
  const from = performance.now();
  await Promise.all(
    Array.from({ length: Math.max(1, Math.round(aSecond * seconds)) }, async (_, index) => {
      const at = from + (1_000 * (index + ((index * GOLDEN_RATIO) % 1))) / aSecond;
      await sleep(Math.max(0, at - performance.now()));
      try {
        tookMs.push(await victim(next()));
      } catch (error) {
        failures.push((error as Error).message);
      }
    }),
  );
  return { tookMs: tookMs.length === 0 ? [Infinity] : tookMs, failures };
}

/** What an attack left behind has ended. */
async function calm({ server, sizes }: Scene, { pool, held, isCounted }: AttackedPool, { left }: Duel): Promise<void> {
  const giveUpAt = performance.now() + CALM_WITHIN_MS;
  for (;;) {
    const load = await Promise.all([
      isCounted === true ? 0 : server.metric(...held),
      left?.() ?? 0,
      server.metric('crier_pool_permits', 'state="held"'),
      server.metric('crier_pool_permits', 'state="wanted"'),
      server.metric('crier_webhook_deliveries_queued'),
      // Pictures of new Channels among it.
      server.metric('crier_log_behind_records'),
    ]);
    if (load.every((each) => each === 0)) return sleep(sizes.fairnessLeadMs / 4);
    if (performance.now() > giveUpAt) throw new Error(`${pool}: after its attack there is ${load.join(', ')} to do`);
    await sleep(CALM_POLL_MS);
  }
}
