import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Prometheus, type ScrapedProcess } from '#testing/prometheus.ts';
import { shortenedRules } from './shortened-rules.ts';

/** By how much every time of Prometheus is shortened where nothing else is said: a quarter of an hour is 90 s. */
export const FACTOR = 10;
/** Of the chart's PodMonitor, and of an evaluation of rules by Prometheus' operator. */
const EVERY_SECONDS = 30;
const RULES = resolve(import.meta.dirname, '../../helm/crier/files/rules.yaml');

/** An alert that fired, in seconds since the watch for it began. */
export interface FiredAlert {
  readonly name: string;
  readonly severity: string;
  readonly from: number;
  readonly to: number;
}

/** The alerts of one installation: a Prometheus of its own evaluates the chart's rules, shortened. */
export class AlertWatch implements AsyncDisposable {
  readonly #prometheus: Prometheus;
  readonly #everySeconds: number;

  private constructor(prometheus: Prometheus, everySeconds: number) {
    this.#prometheus = prometheus;
    this.#everySeconds = everySeconds;
  }

  static async start(processes: readonly ScrapedProcess[], factor = FACTOR): Promise<AlertWatch> {
    const rules = shortenedRules(readFileSync(RULES, 'utf8'), factor);
    const everySeconds = EVERY_SECONDS / factor;
    return new AlertWatch(await Prometheus.start({ processes, rules, everySeconds }), everySeconds);
  }

  /** The names of the alerts that fire now. */
  async firing(): Promise<readonly string[]> {
    const found = await this.#prometheus.instant('group by (alertname) (ALERTS{alertstate="firing"})');
    return found.map(({ labels }) => labels['alertname']!);
  }

  /** The alerts that fired at any moment of the last seconds. */
  async firedWithin(seconds: number): Promise<readonly FiredAlert[]> {
    const to = Date.now() / 1_000;
    const span = { from: to - seconds, to };
    const query = 'group by (alertname, severity) (ALERTS{alertstate="firing"})';
    const found = await this.#prometheus.range(query, span, this.#everySeconds);
    return found.map(({ labels, points }) => ({
      name: labels['alertname']!,
      severity: labels['severity']!,
      from: Math.round(points[0]![0] - span.from),
      to: Math.round(points.at(-1)![0] - span.from),
    }));
  }

  /** How many processes the newest scrapes reached. */
  async up(): Promise<number> {
    return this.#number('sum(up)');
  }

  /** Of the scrapes of the last seconds, the part that was answered in time. */
  async answeredWithin(seconds: number): Promise<number> {
    return this.#number(`avg(avg_over_time(up[${Math.ceil(seconds)}s]))`);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#prometheus[Symbol.asyncDispose]();
  }

  async #number(query: string): Promise<number> {
    const [found] = await this.#prometheus.instant(query);
    return found?.value ?? 0;
  }
}
