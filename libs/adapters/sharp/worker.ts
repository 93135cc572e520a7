import type { PictureAnswer, PictureJob } from './picture-job.ts';
import { lockLoaders, work } from './picture-work.ts';

/**
 * The program of the processes that worker-process.ts starts: takes jobs one at a time, and ends when the process that
 * sends them is gone.
 */
lockLoaders();
process.on('disconnect', () => process.exit(0));
process.on('message', (job: PictureJob) => void work(job).then(answer));

function answer(answered: PictureAnswer): void {
  process.send?.(answered);
}
