import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { LoadJob, LoadResult } from './load-job.ts';

const CLIENT = resolve(import.meta.dirname, 'load-client.ts');

/** Runs a job in a client process. Rejects when the client fails or any request was not answered with a success. */
export async function sendLoad(job: LoadJob): Promise<LoadResult> {
  const child = spawn(process.execPath, [CLIENT], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(job));
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit') as Promise<[number | null]>]);
  if (code !== 0) throw new Error(`the load client ended with ${code}`);
  const result = JSON.parse(output) as LoadResult;
  if (Object.keys(result.failures).length > 0) throw new Error(`requests failed: ${JSON.stringify(result.failures)} beside ${result.requests}`);
  return result;
}
