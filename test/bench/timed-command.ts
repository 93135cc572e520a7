import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Settings } from './crier-server.ts';
import { MAIN } from './program.ts';

export interface TimedCommand {
  /** The start of its process is among them. */
  readonly seconds: number;
  readonly stdout: string;
}

/** Runs one command of crier to its end; rejects with what it said when it fails. */
export async function timedCommand(args: readonly string[], settings: Settings = {}): Promise<TimedCommand> {
  const from = performance.now();
  const env = { ...process.env, ...settings };
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env });
  const [stdout, said, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  if (code !== 0) throw new Error(`crier ${args[0]} ended with ${code}: ${said}`);
  return { seconds: (performance.now() - from) / 1000, stdout };
}
