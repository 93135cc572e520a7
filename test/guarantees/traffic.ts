import type { CrierCluster, Tenant } from '#testing/crier-cluster.ts';
import type { ClientAnswer } from '#testing/crier-clients.ts';

type Network = 'x' | 'threads';

export interface TrafficRequest {
  readonly networks?: readonly Network[];
  /** Milliseconds from now; left out: an immediate Post. */
  readonly dueInMs?: number;
  /** The ingress that gets the request. */
  readonly ingress?: number;
}

/** One request to create a Post. Its text is unique, so that a live item can be matched with it. */
export interface SentRequest {
  readonly tenant: Tenant;
  readonly text: string;
  /** Null until it was acknowledged. It stays null when it was never acknowledged: then the Post may exist or not. */
  postId: string | null;
  /** Null while unanswered and when no answer came. */
  answer: ClientAnswer | null;
  tookMs: number;
}

const NETWORKS: readonly Network[] = ['x', 'threads'];

/** Every Post that was requested, and what the answers promised about it. */
export class Traffic {
  readonly sent: SentRequest[] = [];
  readonly #cluster: CrierCluster;
  #unanswered = 0;

  constructor(cluster: CrierCluster) {
    this.#cluster = cluster;
  }

  /** Requests that are in flight now. */
  get unanswered(): number {
    return this.#unanswered;
  }

  /** Never rejects: an ingress that is gone gives no answer. */
  async post(tenant: Tenant, { networks = NETWORKS, dueInMs, ingress = 0 }: TrafficRequest = {}): Promise<SentRequest> {
    const sent: SentRequest = {
      tenant,
      text: `Post ${this.sent.length + 1} of this run`,
      postId: null,
      answer: null,
      tookMs: 0,
    };
    this.sent.push(sent);
    const scheduledAt = dueInMs === undefined ? {} : { scheduledAt: new Date(Date.now() + dueInMs).toISOString() };
    const from = performance.now();
    this.#unanswered++;
    try {
      const body = { text: sent.text, channelIds: networks.map((network) => tenant.channels[network]), ...scheduledAt };
      sent.answer = await this.#cluster.api(tenant, ingress).send('POST', '/api/posts', body);
      if (sent.answer.status === 201) sent.postId = sent.answer.body.data.id;
    } catch {
      sent.answer = null;
    } finally {
      this.#unanswered--;
      sent.tookMs = performance.now() - from;
    }
    return sent;
  }

  /**
   * Keeps `clients` requests in flight at a time, `pauseMs` between two of one client, until the load is disposed of,
   * which waits for the last answers.
   */
  load(
    tenants: readonly Tenant[],
    clients: number,
    order: (count: number) => TrafficRequest,
    pauseMs = 0,
  ): AsyncDisposable {
    let over = false;
    let count = 0;
    const client = async (): Promise<void> => {
      while (!over) {
        const { answer } = await this.post(tenants[count % tenants.length]!, order(count++));
        // An ingress that is gone refuses at once: without a pause the loop would only keep the machine busy.
        const waitMs = Math.max(pauseMs, answer === null ? 50 : 0);
        if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    };
    const clientsDone = Promise.all(Array.from({ length: clients }, client));
    return {
      [Symbol.asyncDispose]: async () => {
        over = true;
        await clientsDone;
      },
    };
  }
}
