import { initTRPC } from '@trpc/server';
import { z } from 'zod';
import type { CommandAnswer } from '#domain/workspace/results.ts';

/** The most answers in one call. */
export const MAX_ANSWERS = 100;

/**
 * Only the fields that find a waiting request are checked: the rest comes from a process of this installation, possibly
 * of a newer release.
 */
const HintedAnswers = z.object({
  answers: z
    .array(z.looseObject({ requestId: z.string(), result: z.looseObject({ ok: z.boolean() }) }))
    .max(MAX_ANSWERS),
});

const trpc = initTRPC.create({ isDev: false });

/**
 * The procedures that other processes of the installation call: `answers` passes hints to the requests that wait in
 * this one.
 */
export function createAnswersRouter(hear: (answer: CommandAnswer) => void) {
  return trpc.router({
    answers: trpc.procedure.input(HintedAnswers).mutation(({ input }) => {
      for (const answer of input.answers) hear(answer as unknown as CommandAnswer);
    }),
  });
}

export type AnswersRouter = ReturnType<typeof createAnswersRouter>;
