import { expect, test } from 'vitest';
import { isUnavailable } from '#concurrency/retry.ts';
import type { CreatePost } from '#domain/workspace/commands.ts';
import { minuteOf, createDueTimers, traceOfTimer } from '#tables/repositories/due.ts';
import { PUBLISH, shardOf } from '#tables/declarations/topics.ts';
import { PortError } from '#ports/errors.ts';
import { NO_TRACER } from '#ports/tracer.ts';
import { aWorkspace } from '#testing/scenario.ts';
import { openWorkspaceHarness, type WorkspaceHarness } from './workspace-harness.fixture.ts';

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const OTHER = '00-1af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const MINUTE_MS = 60_000;

function openWithChannel(kind: 'partition' | 'store') {
  const harness = openWorkspaceHarness(kind);
  const told: Parameters<WorkspaceHarness['handle']>[1][number][] = [];
  const scenario = aWorkspace({ plan: 'agency', onCommand: (command) => void told.push(command) });
  scenario.must({
    type: 'ConnectChannel',
    channelId: scenario.uuid(),
    network: 'threads',
    name: 'a',
    avatarUrl: null,
    accountId: 'a',
    kind: '',
  });
  const creating = (scheduledAt: number | null, trace: string): CreatePost => ({
    ...(scenario.creating({ scheduledAt, text: trace }) as CreatePost),
    trace,
  });
  const jobs = () =>
    Array.from({ length: PUBLISH.threads.partitions }, (_, partition) =>
      harness.log.control.records({ topic: PUBLISH.threads.name, partition }),
    ).flat();
  const timers = async (at: number) =>
    (await createDueTimers(harness.store).read(shardOf(scenario.id), minuteOf(at), null, 100)).filter(
      ({ dueAt }) => dueAt === at,
    );
  return { harness, scenario, told, creating, jobs, timers };
}

test.each(['partition', 'store'] as const)(
  'what a turn causes is in the trace of the command that caused it, of several that met there: the atom a %s',
  async (kind) => {
    const { harness, scenario, told, creating, jobs, timers } = openWithChannel(kind);
    const actor = harness.actor(scenario.id);
    await harness.handle(actor, told);
    const at = harness.clock.now() + 30 * MINUTE_MS;
    await harness.handle(actor, [creating(null, TRACE), creating(at, OTHER)]);
    expect(jobs().map(({ headers }) => headers)).toEqual([{ traceparent: TRACE }]);
    expect((await timers(at)).map(({ timerId }) => traceOfTimer(timerId))).toEqual([OTHER]);
    const [committed] = harness.reporter.of('turn-committed').slice(-1);
    expect(committed!.facts['traceIds']).toEqual([TRACE.slice(3, 35), OTHER.slice(3, 35)]);
  },
);

test.each(['partition', 'store'] as const)(
  'an owner that dies between its turn and what the turn owes leaves the trace to the next one, which sets no timer twice: the atom a %s',
  async (kind) => {
    const { harness, scenario, told, creating, jobs, timers } = openWithChannel(kind);
    await harness.handle(harness.actor(scenario.id), told);
    const at = harness.clock.now() + 30 * MINUTE_MS;
    const near = harness.clock.now() + 2 * MINUTE_MS;
    const dies = harness.actor(scenario.id, async (step) => {
      if (step === `before append ${PUBLISH.threads.name}`) throw new PortError('unavailable', 'it died');
    });
    const commands = [creating(null, TRACE), creating(at, OTHER), { ...creating(near, TRACE), notAfter: near }];
    const died = await dies.handle(commands).catch((error: unknown) => isUnavailable(error));
    expect([died, jobs()]).toEqual([true, []]);
    const next = harness.actor(scenario.id);
    await harness.handle(next, [scenario.ask({ type: 'RenameWorkspace', name: 'again' })]);
    expect(jobs().map(({ headers }) => headers)).toEqual([{ traceparent: TRACE }]);
    expect((await timers(at)).map(({ timerId }) => traceOfTimer(timerId))).toEqual([OTHER]);
  },
);

test('a command without a trace causes messages and timers without one', async () => {
  const { harness, scenario, told, creating, jobs, timers } = openWithChannel('partition');
  const actor = harness.actor(scenario.id);
  await harness.handle(actor, told);
  const at = harness.clock.now() + 30 * MINUTE_MS;
  const untraced = (command: CreatePost): CreatePost => (({ trace: _, ...rest }) => rest)(command);
  await harness.handle(actor, [untraced(creating(null, TRACE)), untraced(creating(at, OTHER))]);
  expect(jobs().map(({ headers }) => headers)).toEqual([undefined]);
  expect((await timers(at)).map(({ timerId }) => traceOfTimer(timerId))).toEqual([undefined]);
});

test('without a tracer no span is made, and what is given for one is always the same', () => {
  const [one, other] = [
    NO_TRACER.start('a', { kind: 'server' }),
    NO_TRACER.start('b', { kind: 'client', parent: TRACE }),
  ];
  expect(one).toBe(other);
  expect([one.trace, NO_TRACER.isOn, NO_TRACER.now()]).toEqual([undefined, false, 0]);
});
