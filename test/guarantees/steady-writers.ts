import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { ApiClient, type PostJson, type VariantJson } from '#testing/crier-clients.ts';
import type { CrierUnderTest } from '#testing/crier-process.ts';
import { until } from '#testing/until.ts';

const CLIENTS = 2;
const MINUTE_MS = 60_000;

export interface SteadyWritersOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly channelIds: readonly string[];
  /** What a Post says beside its text and its Channels. */
  readonly more?: (text: string) => object;
  /** Of each client between two Posts; 150 when left out. */
  readonly pauseMs?: number;
}

/** Clients that send each Post repeatedly under its Idempotency-Key until it is acknowledged. */
export class SteadyWriters {
  /** Posts by text. */
  readonly posts = new Map<string, PostJson>();
  readonly #options: SteadyWritersOptions;
  readonly #api: ApiClient;
  #clients: readonly Promise<void>[] = [];
  #over = false;
  #count = 0;

  constructor(options: SteadyWritersOptions) {
    this.#options = options;
    this.#api = new ApiClient(options.baseUrl, options.apiKey);
  }

  start(): void {
    this.#clients = Array.from({ length: CLIENTS }, () => this.#write());
    for (const client of this.#clients) client.catch(() => {});
  }

  async stop(): Promise<void> {
    this.#over = true;
    await Promise.all(this.#clients);
  }

  async #write(): Promise<void> {
    const { channelIds, more = () => ({}), pauseMs = 150 } = this.#options;
    while (!this.#over) {
      const text = `Post ${++this.#count} to many Networks`;
      const headers = { 'idempotency-key': text };
      for (;;) {
        const answer = await this.#api
          .send('POST', '/api/posts', { text, channelIds, ...more(text) }, { headers })
          .catch(() => null);
        if (answer?.status === 201) {
          this.posts.set(text, answer.body.data);
          break;
        }
        // A kill that loses a single-use token only costs a reconnect. In production its owner reconnects the Channel;
        // here its Posts wait.
        if (answer !== null && answer.status !== 503)
          throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
        await sleep(40);
      }
      await sleep(pauseMs);
    }
  }
}

export interface SettleOptions {
  readonly crier: CrierUnderTest;
  /** Another installation, whose sandbox has the Networks. */
  readonly networks: CrierUnderTest;
  /** Whether something of it is still to come. */
  readonly isUnfinished: (variant: VariantJson) => boolean;
  /** Between two looks at what is unfinished; 700 when left out. */
  readonly lookEveryMs?: number;
}

/** Moves time beyond every wait, until nothing of any Variant is to come. */
export async function settle({ crier, networks, isUnfinished, lookEveryMs = 700 }: SettleOptions): Promise<void> {
  const unfinished = async (): Promise<readonly VariantJson[]> =>
    (await crier.api().listPosts({ limit: '500' })).flatMap(({ variants }) => variants.filter(isUnfinished));
  for (let step = 0; step < 40; step++) {
    for (const one of [networks, crier]) await one.admin().advance(2 * MINUTE_MS);
    let before: number;
    let left = Infinity;
    do {
      before = left;
      await sleep(lookEveryMs);
      left = (await unfinished()).length;
    } while (left > 0 && left < before);
    if (left === 0) return;
  }
  // A busy machine may have gone on too slowly to be seen to.
  if (await until(async () => (await unfinished()).length === 0, { what: 'all finished' }).catch(() => false)) return;
  const [first, ...others] = await unfinished();
  if (first === undefined) return;
  const { body } = await crier.api().send('GET', `/api/variants/${first.id}/attempts`);
  expect.fail(`stuck: ${first.network} ${first.id} and ${others.length} more, ${JSON.stringify(body.data)}`);
}
