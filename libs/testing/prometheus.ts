import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { EngineProcess, freePorts } from './engines/process.ts';
import { toolAt } from './tool-at.ts';

const NAMESPACE = 'crier';
const READY_WITHIN_MS = 120_000;

/** A process of Crier, which is scraped under the labels of a pod. */
export interface ScrapedProcess {
  readonly pod: string;
  readonly adminPort: number;
}

export interface PrometheusOptions {
  readonly processes: readonly ScrapedProcess[];
  /** The content of a file of rules. */
  readonly rules: string;
  /** How often processes are scraped and rules are evaluated. A scrape may take as long. */
  readonly everySeconds: number;
}

/** A stretch of time, in Unix seconds. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

export interface InstantSample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What a query gave over a stretch of time: a value for each instant at which there is one. */
export interface RangeSeries {
  readonly labels: Readonly<Record<string, string>>;
  readonly points: readonly (readonly [at: number, value: number])[];
}

interface Result {
  readonly metric: Readonly<Record<string, string>>;
  readonly value?: readonly [at: number, value: string];
  readonly values?: readonly (readonly [at: number, value: string])[];
}

/** A real Prometheus that scrapes processes of one installation, and ends when it is disposed of. */
export class Prometheus implements AsyncDisposable {
  readonly #process: EngineProcess;
  readonly #url: string;
  readonly #folder: string;

  private constructor(process: EngineProcess, { url, folder }: { readonly url: string; readonly folder: string }) {
    this.#process = process;
    this.#url = url;
    this.#folder = folder;
  }

  /** Resolves once it answers. Throws where the machine has no Prometheus. */
  static async start(options: PrometheusOptions): Promise<Prometheus> {
    const command = toolAt('prometheus');
    if (command === null) throw new Error('prometheus is missing. Type: make prometheus');
    const folder = mkdtempSync(join(tmpdir(), 'crier-prometheus-'));
    const [port] = await freePorts(1);
    const url = `http://127.0.0.1:${port}`;
    const configuration = join(folder, 'prometheus.yaml');
    writeFileSync(join(folder, 'rules.yaml'), options.rules);
    writeFileSync(configuration, configurationOf(options));
    const process = new EngineProcess({
      name: 'Prometheus',
      command,
      args: [
        `--config.file=${configuration}`,
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
    await using prometheus = new AsyncDisposableStack();
    const started = prometheus.use(new Prometheus(process, { url, folder }));
    await process.start();
    prometheus.move();
    return started;
  }

  /** What a query gives now. */
  async instant(query: string): Promise<readonly InstantSample[]> {
    const found = await this.#ask('query', { query });
    return found.map(({ metric, value }) => ({ labels: metric, value: Number(value![1]) }));
  }

  /** `stepSeconds` apart, as Grafana asks for a panel. Without what is no number. */
  async range(query: string, { from, to }: TimeSpan, stepSeconds: number): Promise<readonly RangeSeries[]> {
    const span = { start: String(from), end: String(to), step: String(stepSeconds) };
    const found = await this.#ask('query_range', { query, ...span });
    return found.map(({ metric, values }) => ({
      labels: metric,
      points: values!.map(([at, value]) => [at, Number(value)] as const).filter(([, value]) => Number.isFinite(value)),
    }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #ask(what: 'query' | 'query_range', asked: Readonly<Record<string, string>>): Promise<readonly Result[]> {
    const answer = await fetch(`${this.#url}/api/v1/${what}?${new URLSearchParams(asked)}`);
    const { data, error } = (await answer.json()) as {
      readonly data?: { readonly result: readonly Result[] };
      readonly error?: string;
    };
    if (data === undefined) throw new Error(`${asked['query']}: ${error}`);
    return data.result;
  }
}

function configurationOf({ processes, everySeconds }: PrometheusOptions): string {
  const every = `${everySeconds}s`;
  return stringify({
    global: { scrape_interval: every, scrape_timeout: every, evaluation_interval: every },
    rule_files: ['rules.yaml'],
    scrape_configs: [
      {
        job_name: 'crier',
        static_configs: processes.map(({ pod, adminPort }) => ({
          targets: [`127.0.0.1:${adminPort}`],
          labels: { namespace: NAMESPACE, pod },
        })),
      },
    ],
  });
}
