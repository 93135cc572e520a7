import type { AttemptJob } from './attempt.ts';
import type { AttemptWorkers } from './attempt-workers.fixture.ts';
import type { PublishCrash } from './fault-matrix.fixture.ts';

/**
 * Runs the attempt with a first worker who dies at the crash; a successor, who knows the ledger only, goes on until
 * nothing is left to do. `irreversible`: that call, as a step of the worker. Returns whether the first one died.
 */
export async function runWithCrash<Job extends AttemptJob, Content>(
  attempts: AttemptWorkers<Job, Content>,
  job: Job,
  irreversible: RegExp,
  crash: PublishCrash,
): Promise<boolean> {
  const { promise: died, resolve: die } = Promise.withResolvers<true>();
  let sent = false;
  const first = attempts.worker(async (step) => {
    sent ||= step.startsWith('after ') && irreversible.test(step);
    const here =
      (crash === 'before send' && step.startsWith('before ') && irreversible.test(step)) ||
      (crash === 'after send' && sent) ||
      (crash === 'after write' && sent && step === 'after insert publish_evidence');
    if (!here) return;
    die(true);
    await new Promise(() => {});
  });
  const isDead = await Promise.race([
    died,
    first
      .run(job)
      .then(() => attempts.settle(first))
      .then(() => false),
  ]);
  if (isDead) {
    const successor = attempts.worker();
    await successor.run(job);
    await attempts.settle(successor);
  }
  return isDead;
}
