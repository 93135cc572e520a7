import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { isoOf } from './fields.ts';
import type { AdminOptions } from './dependencies.ts';
import { procedure, router } from './procedure.ts';

const THREE_YEARS_MS = 3 * 366 * 86_400_000;
const Advance = z.strictObject({
  milliseconds: z
    .int('must be a whole number')
    .min(0, 'must not be negative: time does not go back')
    .max(THREE_YEARS_MS, 'must be at most three years'),
});

export function clockProcedures({ advanceClock }: Pick<AdminOptions, 'advanceClock'>) {
  return router({
    advance: procedure.input(Advance).mutation(async ({ input }) => {
      if (advanceClock === null) {
        throw new TRPCError({
          code: 'PRECONDITION_FAILED',
          message: 'clock.advance is for CRIER_ENGINE=embedded with CRIER_NETWORKS=sandbox only.',
        });
      }
      return { now: isoOf(await advanceClock(input.milliseconds)) };
    }),
  });
}

export function systemProcedures({ process, clock }: Pick<AdminOptions, 'process' | 'clock'>) {
  return router({
    /** The status of the process that answers; other processes have their own health and metrics. */
    status: procedure.input(z.strictObject({}).optional()).query(() => ({
      now: isoOf(clock.now()),
      version: process.version,
      node: globalThis.process.versions.node,
      engine: process.engine,
      networks: process.networks,
      roles: [...process.roles],
      services: process.services().map(({ service, trouble }) => ({ service, trouble })),
      consumers: process.workloads().map((workload) => ({
        name: workload.name,
        partitions: byTopic(workload.owned()),
        waiting: workload.waiting(),
        heldBack: workload.heldBack(),
      })),
      timersHeld: process.timersHeld(),
    })),
  });
}

function byTopic(owned: readonly { readonly topic: string; readonly partition: number }[]): Record<string, number[]> {
  const topics: Record<string, number[]> = {};
  for (const { topic, partition } of owned) (topics[topic] ??= []).push(partition);
  for (const partitions of Object.values(topics)) partitions.sort((a, b) => a - b);
  return topics;
}
