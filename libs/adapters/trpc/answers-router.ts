import { initTRPC } from '@trpc/server';
import { z } from 'zod';
import type { Answer } from '#domain/workspace/results.ts';

/** Answers that travel in one call. */
export const MOST_ANSWERS = 100;

/** Only what a waiter is found by: the rest is from a process of this installation, perhaps of a newer release. */
const HintedAnswers = z.object({
  answers: z.array(z.looseObject({ requestId: z.string(), result: z.looseObject({ ok: z.boolean() }) })).max(MOST_ANSWERS),
});

const trpc = initTRPC.create({ isDev: false });

/** What other processes of the installation call: `answers` passes hints to whoever waits in this one. */
export function createAnswersRouter(hear: (answer: Answer) => void) {
  return trpc.router({
    answers: trpc.procedure.input(HintedAnswers).mutation(({ input }) => {
      for (const answer of input.answers) hear(answer as unknown as Answer);
    }),
  });
}

export type AnswersRouter = ReturnType<typeof createAnswersRouter>;
