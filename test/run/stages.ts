import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { totalsOf, totalsOfCheck, type Totals, type VitestReport } from './totals.ts';

/** Hundreds of processes load the same code: they share one compile cache. */
const COMPILED = resolve(import.meta.dirname, '../../.cache/compiled');

export interface Stage {
  readonly name: string;
  readonly run: (folder: string) => Promise<StageOutcome>;
}

export interface StageOutcome {
  readonly totals: Totals;
  /** What the stage reported about its engines. */
  readonly engines: readonly string[];
}

/** A program of ours or of node_modules that counts as one test: it ends with 0 or not. */
export function check(name: string, script: string, ...args: readonly string[]): Stage {
  return {
    name,
    run: async () => {
      const { exitCode, engines } = await node([script, ...args]);
      return { totals: totalsOfCheck(exitCode), engines };
    },
  };
}

/** One project of vitest.config.ts. */
export function suite(project: string): Stage {
  return {
    name: project,
    run: async (folder) => {
      const file = join(folder, `${project}.json`);
      const { exitCode, engines } = await node([
        'node_modules/vitest/vitest.mjs',
        'run',
        '--project',
        project,
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${file}`,
      ]);
      const report = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as VitestReport) : null;
      return { totals: totalsOf(report, exitCode), engines };
    },
  };
}

/** Runs this Node on `args` and passes its output on as it comes. */
function node(args: readonly string[]): Promise<{ readonly exitCode: number; readonly engines: readonly string[] }> {
  const colour = process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' };
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILED, ...colour },
  });
  // A signal that ends this run ends the stage too: engines that a suite started would otherwise be left running.
  const end = (signal: NodeJS.Signals): void => {
    child.kill(signal);
    process.exitCode = 1;
    child.once('close', () => process.exit());
  };
  process.once('SIGINT', end).once('SIGTERM', end);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    process.stdout.write(text);
    output += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      process.off('SIGINT', end).off('SIGTERM', end);
      const engines = stripVTControlCharacters(output)
        .split('\n')
        .filter((line) => line.startsWith('engines: '));
      resolve({ exitCode: code ?? 1, engines: [...new Set(engines)] });
    });
  });
}
