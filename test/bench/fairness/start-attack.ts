import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { AttackJob, AttackResult } from './attack-job.ts';

const ATTACKER = resolve(import.meta.dirname, 'attacker.ts');

/** Resolves when it has begun. */
export async function startAttack(job: AttackJob): Promise<{ stop(): Promise<AttackResult> }> {
  const child = spawn(process.execPath, [ATTACKER], { stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = Promise.all([text(child.stdout), once(child, 'exit') as Promise<[number | null]>]);
  child.stdin.write(`${JSON.stringify(job)}\n`);
  child.stderr.pipe(process.stderr, { end: false });
  await Promise.race([once(child.stderr, 'data'), ended]);
  return {
    stop: async () => {
      child.stdin.end();
      const [output, [code]] = await ended;
      if (code !== 0) throw new Error(`the attacker ended with ${code}`);
      return JSON.parse(output) as AttackResult;
    },
  };
}
