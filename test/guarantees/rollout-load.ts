import { expect } from 'vitest';
import { ApiClient, type PostJson } from '#testing/crier-clients.ts';
import type { Tenant } from '#testing/crier-cluster.ts';
import { until } from '#testing/until.ts';

export interface RolloutPace {
  readonly pauseMs: number;
  /** How long after it was written a Post is due. */
  readonly dueInMs: number;
}

/** A client for each tenant that writes a Post due soon and lists Posts, in turn, until it is `over`. */
export class RolloutLoad {
  over = false;
  answers = 0;
  /** When each Post that was acknowledged is due, by its text. */
  readonly dueAt = new Map<string, number>();
  readonly unexpected: string[] = [];
  readonly #url: string;
  readonly #tenants: readonly Tenant[];
  readonly #pace: RolloutPace;
  #count = 0;

  constructor(url: string, tenants: readonly Tenant[], pace: RolloutPace) {
    this.#url = url;
    this.#tenants = tenants;
    this.#pace = pace;
  }

  async run(): Promise<void> {
    await Promise.all(this.#tenants.map((tenant) => this.#client(tenant)));
  }

  async #client(tenant: Tenant): Promise<void> {
    const api = new ApiClient(this.#url, tenant.apiKey);
    while (!this.over) {
      const text = `Post ${++this.#count} of the rollout`;
      const dueAt = Date.now() + this.#pace.dueInMs;
      const body = { text, channelIds: Object.values(tenant.channels), scheduledAt: new Date(dueAt).toISOString() };
      const made = await this.#answer(201, () => api.send('POST', '/api/posts', body));
      if (made !== null) this.dueAt.set(text, dueAt);
      await this.#answer(200, () => api.send('GET', '/api/posts?limit=5'));
      await new Promise((resolve) => setTimeout(resolve, this.#pace.pauseMs));
    }
  }

  async #answer(status: number, ask: () => ReturnType<ApiClient['send']>): Promise<any> {
    const from = performance.now();
    this.answers++;
    try {
      const answer = await ask();
      if (answer.status === status) return answer.body;
      this.unexpected.push(
        `${answer.status} after ${Math.round(performance.now() - from)} ms: ${JSON.stringify(answer.body)}`,
      );
    } catch (error) {
      this.unexpected.push(String(error));
    }
    return null;
  }
}

/** Resolves when every Variant of these Posts is published. Fails when one fails. */
export async function allPublished(url: string, tenants: readonly Tenant[], withinMs: number): Promise<void> {
  const isOver = ({ variants }: PostJson): boolean => {
    expect(variants.filter(({ status }) => status === 'failed')).toEqual([]);
    return variants.every(({ status }) => status === 'published');
  };
  for (const tenant of tenants) {
    const api = new ApiClient(url, tenant.apiKey);
    await until(async () => (await api.listPosts({ limit: '100' })).every(isOver), {
      what: 'every Variant published',
      withinMs,
      everyMs: 500,
    });
  }
}
