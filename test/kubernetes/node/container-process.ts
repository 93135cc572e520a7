import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { endWithUs } from '#testing/engines/process.ts';
import { until } from '#testing/until.ts';
import type { ProcessLedger } from './process-ledger.ts';
import { rootScript, type RootPlan } from './root-script.ts';

export interface ContainerEnd {
  readonly code: number;
  /** It was still there when its time was over. */
  readonly killed: boolean;
}

const SIGNAL_CODES: Readonly<Record<string, number>> = { SIGKILL: 137, SIGTERM: 143 };
const ROOT_WITHIN_MS = 30_000;

/** The namespace of its pod's network, the file of its output, and where its processes are kept for the next run. */
export interface ProcessPlace {
  readonly network: string;
  readonly logFile: string;
  readonly ledger: ProcessLedger;
}

/**
 * The process of a container: number 1 of its own process namespace, in the pod's network, with a root of its own. Its
 * output goes to a file. All its processes end with it, and with this one.
 */
export class ContainerProcess {
  readonly ended: Promise<ContainerEnd>;
  readonly #child: ChildProcess;
  readonly #ledger: ProcessLedger;
  #isOver = false;
  #killed = false;

  constructor(plan: RootPlan, { network, logFile, ledger }: ProcessPlace) {
    const log = openSync(logFile, 'a');
    const namespaces = ['--mount', '--pid', '--uts', '--fork', '--kill-child=SIGKILL'];
    const args = [`--net=/run/netns/${network}`, 'unshare', ...namespaces, 'bash', '-c', rootScript(plan)];
    const child = spawn('nsenter', args, {
      detached: true,
      stdio: ['ignore', log, log],
      env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    });
    closeSync(log);
    endWithUs(child);
    if (child.pid !== undefined) ledger.add(child.pid);
    this.#child = child;
    this.#ledger = ledger;
    this.ended = new Promise((done) => {
      const end = (code: number): void => {
        this.#isOver = true;
        done({ code, killed: this.#killed });
      };
      child.once('exit', (code, signal) => end(code ?? SIGNAL_CODES[signal ?? ''] ?? 128));
      child.once('error', () => end(128));
    });
    void this.#keepFirst().catch(() => undefined);
  }

  /** SIGTERM, and SIGKILL once the time is over; resolves when it is gone. */
  async end(graceMs: number): Promise<ContainerEnd> {
    const late = setTimeout(() => this.kill(), graceMs);
    const first = await this.#first().catch(() => null);
    if (first !== null && !this.#isOver) signal(first, 'SIGTERM');
    const end = await this.ended;
    clearTimeout(late);
    return end;
  }

  kill(): void {
    if (this.#isOver) return;
    this.#killed = true;
    // The first process of a namespace takes all others with it, and then the one that waits for it ends.
    const first = childOf(this.#child.pid!);
    if (first !== null) signal(first, 'SIGKILL');
    else this.#child.kill('SIGKILL');
  }

  /** Process 1 is what a killed run leaves behind. */
  async #keepFirst(): Promise<void> {
    const what = { what: 'process 1 of a container', withinMs: ROOT_WITHIN_MS };
    const first = await until(() => (this.#isOver ? -1 : childOf(this.#child.pid!)), what);
    if (first !== -1) this.#ledger.add(first);
  }

  /** The machine's number of process 1, once it is the container's command: before, it would not hear a signal. */
  #first(): Promise<number> {
    const isCommand = (pid: number): boolean =>
      !/\/(bash|chroot|setpriv|env|unshare)$/.test(readlinkSync(`/proc/${pid}/exe`));
    return until(
      () => {
        if (this.#isOver) return -1;
        const pid = childOf(this.#child.pid!);
        return pid !== null && isCommand(pid) ? pid : null;
      },
      { what: 'the command of a container', withinMs: ROOT_WITHIN_MS },
    ).then((pid) => (pid === -1 ? Promise.reject(new Error('it has ended')) : pid));
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function childOf(parent: number): number | null {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const afterName = readFileSync(`/proc/${name}/stat`, 'latin1').split(') ').at(-1)!;
      if (Number(afterName.split(' ')[1]) === parent) return Number(name);
    } catch {
      // It has ended meanwhile.
    }
  }
  return null;
}
