import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = resolve(import.meta.dirname, '../..');
export const CHART = join(ROOT, 'helm/crier');
const run = promisify(execFile);

/** Helm against the API server of this test; rejects with what it printed. */
export class Helm {
  readonly #program: string;
  readonly #env: Readonly<Record<string, string>>;

  constructor(tools: string, kubeconfig: string, folder: string) {
    this.#program = join(tools, 'helm');
    this.#env = {
      // Its cache of what the server knows.
      HOME: folder,
      KUBECONFIG: kubeconfig,
      HELM_CACHE_HOME: join(folder, 'helm/cache'),
      HELM_CONFIG_HOME: join(folder, 'helm/config'),
      HELM_DATA_HOME: join(folder, 'helm/data'),
    };
  }

  async run(...args: readonly string[]): Promise<string> {
    const options = { cwd: ROOT, env: { PATH: process.env['PATH'], ...this.#env }, maxBuffer: 64 * 2 ** 20 };
    try {
      const { stdout, stderr } = await run(this.#program, [...args], options);
      return `${stdout}${stderr}`;
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
      throw new Error(`helm ${args.join(' ')}\n${stdout}${stderr}`, { cause: error });
    }
  }
}
