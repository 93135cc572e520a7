import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWithUs } from '#testing/engines/process.ts';

export type ExampleLanguage = 'bash' | 'typescript' | 'python';

const PROGRAMS: Readonly<Record<ExampleLanguage, { readonly file: string; readonly command: readonly string[] }>> = {
  bash: { file: 'example.sh', command: ['bash', '-euo', 'pipefail'] },
  typescript: { file: 'example.mts', command: [process.execPath] },
  python: { file: 'example.py', command: ['python3', '-B'] },
};

export interface ExampleRun {
  readonly language: ExampleLanguage;
  readonly code: string;
  readonly key: string;
  /** Files that stand beside the program, by name. */
  readonly files?: Readonly<Record<string, Uint8Array>>;
}

/** Runs a program that a page shows, in a folder of its own. Resolves with what it printed; rejects when it fails. */
export async function runExample({ language, code, key, files = {} }: ExampleRun): Promise<string> {
  const { file, command } = PROGRAMS[language];
  const folder = mkdtempSync(join(tmpdir(), 'crier-example-'));
  try {
    for (const [name, content] of Object.entries({ ...files, [file]: code }))
      writeFileSync(join(folder, name), content);
    const [program = '', ...args] = [...command, file];
    const child = spawn(program, args, {
      cwd: folder,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, CRIER_KEY: key, NO_COLOR: '1' },
    });
    endWithUs(child);
    let [printed, complained] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complained += text));
    const exitCode = await new Promise<number | null>((done, failed) => {
      child.once('error', failed);
      child.once('close', done);
    });
    if (exitCode !== 0) throw new Error(`${language} ended with ${exitCode}: ${printed}\n${complained}\n${code}`);
    return printed;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
