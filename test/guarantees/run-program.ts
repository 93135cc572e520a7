import { spawn } from 'node:child_process';
import { endWithUs } from '#testing/engines/process.ts';

export interface ProgramOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Is told all that was printed so far, whenever there is more. */
  readonly said?: (output: string) => void;
}

export interface ProgramEnd {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program by this Node until it ends. It ends with this process at the latest. */
export function runProgram(args: readonly string[], { env = {}, said }: ProgramOptions = {}): Promise<ProgramEnd> {
  const child = spawn(process.execPath, args, {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NO_COLOR: '1', ...env },
  });
  endWithUs(child);
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    said?.(stdout);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((done, failed) => {
    child.once('error', failed);
    child.once('close', (exitCode) => done({ exitCode, stdout, stderr }));
  });
}
