import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { spawnGroup } from '#adapters/child-process/process-group.ts';
import type { AttackJob, AttackResult } from './attack-job.ts';

const ATTACKER = resolve(import.meta.dirname, 'attacker.ts');

/** It may not take the processor from the server, as an attacker on a machine of its own would not. */
const { PRIORITY_LOW } = constants.priority;

/** Resolves when it has begun. */
export async function startAttack(job: AttackJob): Promise<{ stop(): Promise<AttackResult> }> {
  const child = spawnGroup([process.execPath, ATTACKER], ['pipe', 'pipe', 'pipe'], PRIORITY_LOW);
  const { stdin, stdout, stderr } = child as ChildProcessWithoutNullStreams;
  const ended = Promise.all([text(stdout), once(child, 'exit') as Promise<[number | null]>]);
  stdin.write(`${JSON.stringify(job)}\n`);
  stderr.pipe(process.stderr, { end: false });
  await Promise.race([once(stderr, 'data'), ended]);
  return {
    stop: async () => {
      stdin.end();
      const [output, [code]] = await ended;
      if (code !== 0) throw new Error(`the attacker ended with ${code}`);
      return JSON.parse(output) as AttackResult;
    },
  };
}
