import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { withRunsAgain } from './again.ts';
import { failuresOf, totalsOf, totalsOfCheck, type Totals, type VitestReport } from './totals.ts';

/** Hundreds of processes load the same code: they share one compile cache. */
const COMPILED = resolve(import.meta.dirname, '../../.cache/compiled');
/** Enough that the kernel gives nearly all of a core to those beside it that want it. */
const GIVING_WAY = ['nice', '-n', '10'];

export interface Stage {
  readonly name: string;
  /** `folder`: for what it leaves behind; `signal`: ends it, and what it started. */
  readonly run: (folder: string, signal: AbortSignal) => Promise<StageOutcome>;
}

export interface StageOutcome {
  readonly totals: Totals;
  /** What the stage reported about its engines. */
  readonly engines: readonly string[];
  /** Each test that failed, with its reason. */
  readonly failures: readonly string[];
  /** Each test that failed in the whole run and passed when its file was run again, with the reason. */
  readonly unstable: readonly string[];
}

interface SuiteOptions {
  /** What runs beside it gets the processor first. Default: false. */
  readonly givesWay?: boolean;
  /** Files that fail are run again (`withRunsAgain`). Default: false. */
  readonly mayBeUnstable?: boolean;
  /** Files of the project that are not run. Default: none. */
  readonly leavesOut?: readonly string[];
}

/** A program of ours or of node_modules that counts as one test: it ends with 0 or not. */
export function check(name: string, script: string, ...args: readonly string[]): Stage {
  return checkBeside(name, [], [script, ...args]);
}

/** The same, where what runs beside it gets the processor first. */
export function quietCheck(name: string, script: string, ...args: readonly string[]): Stage {
  return checkBeside(name, GIVING_WAY, [script, ...args]);
}

function checkBeside(name: string, priority: readonly string[], program: readonly string[]): Stage {
  return {
    name,
    run: async (_, signal) => {
      const { exitCode, engines } = await run([...priority, process.execPath, ...program], { signal });
      const failures = exitCode === 0 ? [] : [`${name}: see above`];
      return { totals: totalsOfCheck(exitCode), engines, failures, unstable: [] };
    },
  };
}

interface SuiteRunOptions extends SuiteOptions {
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** One project of vitest.config.ts. */
export function suite(project: string, options: SuiteOptions = {}): Stage {
  return {
    name: project,
    run: async (folder, signal) => {
      const once = (files: readonly string[]) => runOnce(project, files, { ...options, folder, signal });
      const first = await once([]);
      return options.mayBeUnstable === true ? withRunsAgain(first, once) : { ...first, unstable: [] };
    },
  };
}

/** Runs these files of a project, or all when there are none. */
async function runOnce(
  project: string,
  files: readonly string[],
  { folder, signal, givesWay = false, leavesOut = [] }: SuiteRunOptions,
) {
  const file = join(folder, `${project}.json`);
  // Of a run that ends before its report, the report of the run before must not be read.
  rmSync(file, { force: true });
  const vitest = [process.execPath, 'node_modules/vitest/vitest.mjs', 'run', '--project', project, ...files];
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const { exitCode, engines } = await run([...(givesWay ? GIVING_WAY : []), ...vitest, ...reporters], {
    signal,
    env: { CRIER_TEST_COSTS: folder, CRIER_TEST_LEAVES_OUT: leavesOut.join(' ') },
  });
  const report = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as VitestReport) : null;
  return { report, totals: totalsOf(report, exitCode), engines, failures: failuresOf(project, report) };
}

/** Runs the command and passes its output on line by line, so that those of stages beside each other stay whole. */
function run(
  [program, ...args]: readonly string[],
  { signal, env = {} }: { readonly signal: AbortSignal; readonly env?: Readonly<Record<string, string>> },
): Promise<{ readonly exitCode: number; readonly engines: readonly string[] }> {
  const colour = process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' };
  const child = spawn(program!, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILED, ...colour, ...env },
  });
  // Else engines that a suite started would be left running.
  const end = () => child.kill('SIGTERM');
  signal.addEventListener('abort', end, { once: true });
  const output = passedOn(child.stdout, process.stdout);
  passedOn(child.stderr, process.stderr);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      signal.removeEventListener('abort', end);
      const engines = output.filter((line) => line.startsWith('engines: '));
      resolve({ exitCode: code ?? 1, engines: [...new Set(engines)] });
    });
  });
}

/** Writes whole lines, and the rest at the end. Returns all lines so far, without colours. */
function passedOn(from: NodeJS.ReadableStream, to: NodeJS.WritableStream): readonly string[] {
  const lines: string[] = [];
  let rest = '';
  from.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop()!;
    if (parts.length > 0) to.write(`${parts.join('\n')}\n`);
    lines.push(...parts.map(stripVTControlCharacters));
  });
  from.on('end', () => {
    if (rest !== '') to.write(`${rest}\n`);
  });
  return lines;
}
