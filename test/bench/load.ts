import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { LoadJob, LoadResult } from './load-job.ts';

const CLIENT = resolve(import.meta.dirname, 'load-client.ts');

/** On a far too busy machine some answers are 503; above this share the run is not a measurement. */
const FAILURES_BORNE = 0.01;

/**
 * Runs a job in a client process. Rejects when the client fails, or for answers other than success: 503 for one of a
 * hundred is accepted and printed.
 */
export async function sendLoad(job: LoadJob): Promise<LoadResult> {
  const child = spawn(process.execPath, [CLIENT], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(job));
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit') as Promise<[number | null]>]);
  if (code !== 0) throw new Error(`the load client ended with ${code}`);
  const result = JSON.parse(output) as LoadResult;
  const failed = Object.values(result.failures).reduce((sum, count) => sum + count, 0);
  const borne =
    Object.keys(result.failures).every((status) => status.endsWith('503')) && failed <= result.sent * FAILURES_BORNE;
  const bodies = Object.entries(result.refusals).map(([status, body]) => `\n  the first ${status}: ${body}`);
  const failures = `${JSON.stringify(result.failures)} of ${result.sent}${bodies.join('')}`;
  if (failed > 0 && !borne) throw new Error(`requests failed: ${failures}`);
  if (failed > 0) process.stderr.write(`  requests failed: ${failures}\n`);
  return result;
}
