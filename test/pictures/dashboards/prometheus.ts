import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { EngineProcess, freePorts } from '#testing/engines/process.ts';
import { toolAt } from '../../../helm/helm.fixture.ts';

const RULES = resolve(import.meta.dirname, '../../../helm/crier/files/rules.yaml');
/** Short, as pictures show minutes and not days. */
const SCRAPE_SECONDS = 5;
const READY_WITHIN_MS = 120_000;

/** A stretch of time, in Unix seconds. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** What a query gave: a value for each instant at which there is one. */
export interface RangeSeries {
  readonly labels: Readonly<Record<string, string>>;
  readonly points: readonly (readonly [at: number, value: number])[];
}

interface RangeAnswer {
  readonly error?: string;
  readonly data?: {
    readonly result: readonly {
      readonly metric: Readonly<Record<string, string>>;
      readonly values: readonly (readonly [number, string])[];
    }[];
  };
}

/** A Prometheus that scrapes one process of Crier and records the chart's rules. */
export class ScrapingPrometheus {
  readonly #process: EngineProcess;
  readonly #url: string;
  readonly #folder: string;

  private constructor(process: EngineProcess, url: string, folder: string) {
    this.#process = process;
    this.#url = url;
    this.#folder = folder;
  }

  static async start(adminPort: number): Promise<ScrapingPrometheus> {
    const command = toolAt('prometheus');
    if (command === null) throw new Error('prometheus is missing. Type: make prometheus');
    const folder = mkdtempSync(join(tmpdir(), 'crier-pictures-'));
    const [port] = await freePorts(1);
    const url = `http://127.0.0.1:${port}`;
    writeFileSync(join(folder, 'prometheus.yaml'), configuration(adminPort));
    const process = new EngineProcess({
      name: 'Prometheus',
      command,
      args: [
        `--config.file=${join(folder, 'prometheus.yaml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      env: {},
      logFile: join(folder, 'prometheus.log'),
      probe: async () => {
        const { status } = await fetch(`${url}/-/ready`);
        if (status !== 200) throw new Error(`not ready: ${status}`);
      },
      readyWithinMs: READY_WITHIN_MS,
    });
    await process.start();
    return new ScrapingPrometheus(process, url, folder);
  }

  /** `stepSeconds` apart, as Grafana asks for a panel. Without what is no number. */
  async range(query: string, { from, to }: TimeSpan, stepSeconds: number): Promise<readonly RangeSeries[]> {
    const asked = new URLSearchParams({ query, start: String(from), end: String(to), step: String(stepSeconds) });
    const answer = await fetch(`${this.#url}/api/v1/query_range?${asked}`);
    const { data, error } = (await answer.json()) as RangeAnswer;
    if (data === undefined) throw new Error(`${query}: ${error}`);
    return data.result.map(({ metric, values }) => ({
      labels: metric,
      points: values.map(([at, value]) => [at, Number(value)] as const).filter(([, value]) => Number.isFinite(value)),
    }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function configuration(adminPort: number): string {
  const labels = { namespace: 'crier', pod: 'crier-0' };
  return stringify({
    global: { scrape_interval: `${SCRAPE_SECONDS}s`, evaluation_interval: `${SCRAPE_SECONDS}s` },
    rule_files: [RULES],
    scrape_configs: [{ job_name: 'crier', static_configs: [{ targets: [`127.0.0.1:${adminPort}`], labels }] }],
  });
}
