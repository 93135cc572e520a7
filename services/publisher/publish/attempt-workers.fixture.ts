import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import type { NetworkBudget } from '#networks/contract/adapter.ts';
import type { HttpClient, HttpRequest } from '#ports/http-client.ts';
import type { Reporter } from '#reporting/reporter.ts';
import { createLiveItems } from '#tables/repositories/live-items.ts';
import { createLedger, type ArmVerdict } from '#tables/repositories/ledger.ts';
import { NO_BRAKE } from '#tables/repositories/publishing-brake.ts';
import type { AttemptJob } from './attempt.ts';
import { PublishMachine } from './machine.ts';
import type { PublishMachineOptions } from './machine-options.ts';
import type { SandboxChannel } from './sandbox-channel.fixture.ts';
import { Throttle } from './throttle.ts';

/** Called before and after each read, write and call of a worker; never resolving stands for a crash there. */
export type PublishInterruption = (step: string) => Promise<void>;

/** What a worker has instead of what its workers have in common. `reporter`: of its throttle. */
export type AttemptWorkerOptions<Job extends AttemptJob, Content> = Partial<PublishMachineOptions<Job, Content>> & {
  readonly reporter?: Reporter;
};

/** What is published, and how. */
export type AttemptSubject<Job extends AttemptJob, Content> = Pick<
  PublishMachineOptions<Job, Content>,
  'adapter' | 'isUse' | 'readContent'
> & { readonly budget?: NetworkBudget };

export interface AttemptWorkers<Job extends AttemptJob, Content> {
  /** Verdicts reported to the Workspace, in order. */
  readonly concluded: readonly { readonly attempt: number; readonly verdict: ArmVerdict }[];
  readonly marked: readonly string[];
  /** Attempts that were given back because publishing was held. */
  readonly givenBack: readonly number[];
  /** A worker with memory of its own, which `interrupt` may stop anywhere. */
  worker(interrupt?: PublishInterruption, options?: AttemptWorkerOptions<Job, Content>): PublishMachine<Job, Content>;
  /** Lets time pass and timers fire until none is left. */
  settle(machine: PublishMachine<Job, Content>): Promise<void>;
  timersSet(): readonly number[];
}

/** Calls that go to one address are distinguished by the phase they name. */
function stepOf({ method, url, body }: HttpRequest): string {
  const phase = typeof body === 'string' ? /"?upload_phase"?[=:]"?(\w+)/.exec(body)?.[1] : undefined;
  return `${method} ${new URL(url).pathname}${phase === undefined ? '' : ` ${phase}`}`;
}

/** Workers on one ledger, with the timers that they set. */
export function workersOn<Job extends AttemptJob, Content>(
  { network, clock, tables, store, connections, http }: SandboxChannel,
  { budget = { account: [], app: [], atOnce: 64 }, ...subject }: AttemptSubject<Job, Content>,
): AttemptWorkers<Job, Content> {
  const concluded: { attempt: number; verdict: ArmVerdict }[] = [];
  const marked: string[] = [];
  const givenBack: number[] = [];
  /** By instant and attempt: several may wait for one instant. */
  const timers = new Map<string, { readonly at: number; readonly job: Job }>();
  let seed = 10;
  return {
    concluded,
    marked,
    givenBack,
    worker: (interrupt = async () => {}, { reporter = createMemoryReporter(), ...options } = {}) => {
      const around = async <T>(step: string, work: () => Promise<T> | T): Promise<T> => {
        await interrupt(`before ${step}`);
        try {
          return await work();
        } finally {
          await interrupt(`after ${step}`);
        }
      };
      const at = (moment: string) => (call: { name: string; table: { name: string } }) =>
        interrupt(`${moment} ${call.name} ${call.table.name}`);
      const hooks = { before: at('before'), after: at('after') };
      const interrupted: HttpClient = {
        send: (request: HttpRequest) => around(stepOf(request), () => http.send(request)),
      };
      return new PublishMachine({
        ...subject,
        ledger: createLedger(createMemoryTableStore({ clock, tables, hooks })),
        observer: { httpFor: () => interrupted, calling: () => {}, heldBack: () => {} },
        clock,
        ids: createSeededIds(seed++),
        tokensFor: (channelId) => connections.tokensFor(channelId, network),
        refreshNow: (channelId, stale) => connections.refreshNow(channelId, stale),
        soleProcess: null,
        throttle: new Throttle({ network, budget, store, clock, ids: createSeededIds(seed++), reporter }),
        continueAt: (job, instant) =>
          around('setTimer', () => {
            const name = `${instant} ${job.ledgerId} ${job.attempt}`;
            timers.set(name, { at: instant, job: { ...job, why: 'continue' } });
          }),
        conclude: (job, verdict) => around('conclude', () => void concluded.push({ attempt: job.attempt, verdict })),
        brake: NO_BRAKE,
        liveItems: createLiveItems(store),
        firstDueAt: async () => null,
        isDisconnected: async () => false,
        giveBack: (job) => around('giveBack', () => void givenBack.push(job.attempt)),
        markChannel: (_job, state) => around('markChannel', () => void marked.push(state)),
        ...options,
      });
    },
    settle: async (machine) => {
      for (let fired = 0; timers.size > 0; fired++) {
        if (fired > 2_000) throw new Error('timers without end');
        const [name, { at, job }] = [...timers].sort(([, one], [, other]) => one.at - other.at)[0]!;
        timers.delete(name);
        if (at > clock.now()) await clock.advance(at - clock.now());
        await machine.run(job);
      }
    },
    timersSet: () => [...timers.values()].map(({ at }) => at).sort((a, b) => a - b),
  };
}
