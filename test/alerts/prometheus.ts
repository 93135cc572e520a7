import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { EngineProcess, freePorts } from '#testing/engines/process.ts';
import { toolAt } from '../../helm/helm.fixture.ts';
import { shortenedRules } from './shortened-rules.ts';

/** By how much every time of Prometheus is shortened: a quarter of an hour is a minute and a half. */
const FACTOR = 10;
const NAMESPACE = 'crier';
const RULES = resolve(import.meta.dirname, '../../helm/crier/files/rules.yaml');
const READY_WITHIN_MS = 120_000;

/** A process to scrape, under the label `pod`. */
export interface Target {
  readonly pod: string;
  readonly adminPort: number;
}

export interface FiredAlert {
  readonly name: string;
  readonly severity: string;
}

/** A Prometheus of its own for one installation: it scrapes and evaluates the chart's rules, shortened, each second. */
export class Prometheus {
  readonly #process: EngineProcess;
  readonly #url: string;
  readonly #folder: string;

  private constructor(process: EngineProcess, { url, folder }: { readonly url: string; readonly folder: string }) {
    this.#process = process;
    this.#url = url;
    this.#folder = folder;
  }

  static async start(targets: readonly Target[]): Promise<Prometheus> {
    const command = toolAt('prometheus');
    if (command === null) throw new Error('prometheus is missing. Type: make prometheus');
    const folder = mkdtempSync(join(tmpdir(), 'crier-prometheus-'));
    const [port] = await freePorts(1);
    const url = `http://127.0.0.1:${port}`;
    writeFileSync(join(folder, 'rules.yaml'), shortenedRules(readFileSync(RULES, 'utf8'), FACTOR));
    writeFileSync(join(folder, 'prometheus.yaml'), configuration(targets));
    const process = new EngineProcess({
      name: 'Prometheus',
      command,
      args: [
        `--config.file=${join(folder, 'prometheus.yaml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--log.level=warn',
      ],
      env: {},
      logFile: join(folder, 'prometheus.log'),
      probe: async () => {
        const { status } = await fetch(`${url}/-/ready`);
        if (status !== 200) throw new Error(`not ready: ${status}`);
      },
      readyWithinMs: READY_WITHIN_MS,
    });
    const prometheus = new Prometheus(process, { url, folder });
    await process.start();
    return prometheus;
  }

  /** The alerts that fire now. */
  async firing(): Promise<readonly FiredAlert[]> {
    return this.#alerts('ALERTS{alertstate="firing"}');
  }

  /** The alerts that fired at any moment of the last seconds. */
  async firedWithin(seconds: number): Promise<readonly FiredAlert[]> {
    return this.#alerts(`max_over_time(ALERTS{alertstate="firing"}[${Math.ceil(seconds)}s])`);
  }

  /** How many processes the newest scrapes reached. */
  async up(): Promise<number> {
    const [found] = await this.#query('sum(up)');
    return Number(found?.value[1] ?? 0);
  }

  /** Of the scrapes of the last seconds, the part that was answered within its second. */
  async answeredWithin(seconds: number): Promise<number> {
    const [found] = await this.#query(`avg(avg_over_time(up[${Math.ceil(seconds)}s]))`);
    return Number(found?.value[1] ?? 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #alerts(expr: string): Promise<readonly FiredAlert[]> {
    const found = await this.#query(`group by (alertname, severity) (${expr})`);
    return found.map(({ metric }) => ({ name: metric['alertname']!, severity: metric['severity']! }));
  }

  async #query(query: string): Promise<readonly Sample[]> {
    const answer = await fetch(`${this.#url}/api/v1/query?${new URLSearchParams({ query })}`);
    const { data, error } = (await answer.json()) as {
      readonly data?: { readonly result: readonly Sample[] };
      readonly error?: string;
    };
    if (data === undefined) throw new Error(`${query}: ${error}`);
    return data.result;
  }
}

interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [at: number, value: string];
}

function configuration(targets: readonly Target[]): string {
  return stringify({
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: ['rules.yaml'],
    scrape_configs: [
      {
        job_name: 'crier',
        static_configs: targets.map(({ pod, adminPort }) => ({
          targets: [`127.0.0.1:${adminPort}`],
          labels: { namespace: NAMESPACE, pod },
        })),
      },
    ],
  });
}
