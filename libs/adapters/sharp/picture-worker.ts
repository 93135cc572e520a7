import type { PictureJob } from './picture-job.ts';
import { lockLoaders, work } from './picture-work.ts';

/**
 * The program of the processes that worker-process.ts starts: takes one job after the other, and answers each before it
 * takes the next. It ends by itself when the process that started it is gone, which closes its standard input.
 */
lockLoaders();
const LINE_END = 10;

/** The job whose bytes are arriving; null while its line is. */
let current: { readonly job: PictureJob; readonly source: Buffer; filled: number } | null = null;
let head: Buffer[] = [];

process.stdin.on('data', (chunk: Buffer) => {
  const bytes = current === null ? begin(chunk) : chunk;
  if (current === null || bytes === null) return;
  const { job, source } = current;
  current.filled += bytes.copy(source, current.filled);
  if (current.filled < source.length) return;
  current = null;
  void answer(job, source);
});
process.stdin.on('end', () => process.exit(0));

/** Returns the bytes behind the job's line; null until all of the line is there. */
function begin(chunk: Buffer): Buffer | null {
  const end = chunk.indexOf(LINE_END);
  head.push(end < 0 ? chunk : chunk.subarray(0, end));
  if (end < 0) return null;
  const job = JSON.parse(Buffer.concat(head).toString('utf8')) as PictureJob;
  head = [];
  current = { job, source: Buffer.alloc(job.bytes), filled: 0 };
  return chunk.subarray(end + 1);
}

async function answer(job: PictureJob, source: Buffer): Promise<void> {
  const { answer, made } = await work(job, source);
  process.stdout.write(`${JSON.stringify(answer)}\n`);
  if (made !== null) process.stdout.write(made);
}
