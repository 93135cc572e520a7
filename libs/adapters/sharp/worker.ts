import type { PictureJob } from './picture-job.ts';
import { lockLoaders, work } from './picture-work.ts';

/**
 * The program of the processes that worker-process.ts starts: takes one job, answers it, and waits to be ended. It ends
 * by itself when the process that started it is gone, which closes its standard input.
 */
lockLoaders();
const LINE_END = 10;

interface Task {
  readonly job: PictureJob;
  readonly source: Buffer;
}

const task = Promise.withResolvers<Task>();
const head: Buffer[] = [];
let job: PictureJob | null = null;
let source = Buffer.alloc(0);
let filled = 0;

process.stdin.on('data', (chunk: Buffer) => {
  if (job !== null) return take(chunk);
  const end = chunk.indexOf(LINE_END);
  head.push(end < 0 ? chunk : chunk.subarray(0, end));
  if (end < 0) return;
  job = JSON.parse(Buffer.concat(head).toString('utf8')) as PictureJob;
  source = Buffer.alloc(job.bytes);
  take(chunk.subarray(end + 1));
});
process.stdin.on('end', () => process.exit(0));

function take(chunk: Buffer): void {
  filled += chunk.copy(source, filled);
  if (job !== null && filled === source.length) task.resolve({ job, source });
}

const given = await task.promise;
const { answer, made } = await work(given.job, given.source);
process.stdout.write(`${JSON.stringify(answer)}\n`);
if (made !== null) process.stdout.write(made);
