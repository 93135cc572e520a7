import type { PictureAnswer, PictureJob } from './picture-job.ts';
import { lockLoaders, work } from './picture-work.ts';

/**
 * A process of its own, started by worker-process.ts: takes jobs one at a time, and ends when whoever sends them is
 * gone.
 */
lockLoaders();
process.on('disconnect', () => process.exit(0));
process.on('message', (job: PictureJob) => void work(job).then(answer));

function answer(answered: PictureAnswer): void {
  process.send?.(answered);
}
