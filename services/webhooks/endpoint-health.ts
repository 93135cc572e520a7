import { createBoundedMap } from '#concurrency/bounded-map.ts';
import type { DeliverEvent } from '#messages/messages.ts';
import type { Clock } from '#ports/clock.ts';
import { partitionOf, type TopicPartition } from '#ports/log.ts';
import type { Reporter } from '#reporting/reporter.ts';
import { WEBHOOK_DELIVERIES } from '#tables/declarations/topics.ts';
import type { FailingEndpoint, FailingEndpoints } from '#tables/repositories/failing-endpoints.ts';
import type { AttemptResult } from './attempts.ts';
import type { DisabledEndpoints } from './disabled-endpoints.ts';

export interface EndpointHealthOptions {
  readonly failing: Pick<FailingEndpoints, 'mark' | 'clear'>;
  readonly disabled: Pick<DisabledEndpoints, 'disable'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly reporter: Reporter;
  /** Partitions of deliveries whose attempts this process makes. */
  readonly owned: () => readonly TopicPartition[];
}

interface Pending {
  readonly endpointId: string;
  /** When its round began. */
  readonly since: number;
}

interface Health {
  failuresInRow: number;
  /** Of the first of them. */
  failingSince: number;
  /** Of the last of them. */
  failedAt: number;
  /** When that was last written to the store; null: this process did not write it. */
  markedAt: number | null;
  /** The store may have it as failing: by this process, or by one before it. */
  mayBeMarked: boolean;
  /** It was reached, or a run of failures ended otherwise, which the store was not told yet. */
  owesClear: boolean;
  /** Writes about it that have not ended. */
  underWay: number;
  /** The end of the last of them: they are made one after the other. */
  written: Promise<void>;
}

const MARKED_AFTER = 3;
const MARKED_AGAIN_MS = 3_600_000;
/** Of attempts that all failed. */
const DISABLED_AFTER_MS = 5 * 24 * 3_600_000;
/**
 * A failure so long after the one before it is the first of others: nobody knows how the endpoint was meanwhile. Of a
 * delivery that waits, attempts are an hour apart at most.
 */
const LULL_MS = 24 * 3_600_000;
const MAX_REMEMBERED = 50_000;

/**
 * What operators see of endpoints and of the deliveries that wait for them. Only of owned partitions: what other
 * processes attempt is not seen here, and an endpoint that worked there for days would be disabled for what it did
 * before. Bounded: of very many endpoints, those attempted longest ago are forgotten, and known again after their next
 * attempt, an hour later at most.
 */
export class EndpointHealth {
  readonly #options: EndpointHealthOptions;
  readonly #endpoints = createBoundedMap<string, Health>(MAX_REMEMBERED);
  /** By delivery that failed and will be tried again. */
  readonly #pending = createBoundedMap<string, Pending>(MAX_REMEMBERED);

  constructor(options: EndpointHealthOptions) {
    this.#options = options;
  }

  /** Endpoints that failed several times in a row, as this process saw it. */
  get failing(): number {
    let count = 0;
    for (const { failuresInRow } of this.#endpoints.values()) if (failuresInRow >= MARKED_AFTER) count++;
    return count;
  }

  /** How long the longest-waiting delivery that failed at least once waits by now. */
  get oldestPendingMs(): number {
    const now = this.#options.clock.now();
    let oldest = now;
    for (const { since } of this.#pending.values()) oldest = Math.min(oldest, since);
    return now - oldest;
  }

  recordResult(job: DeliverEvent, result: AttemptResult): void {
    this.#pending.delete(job.deliveryId);
    // An attempt may end after its partition was lost: then another process makes the next one.
    const isOwned = this.#options.owned().some(({ partition }) => partition === homeOf(job.endpointId));
    if (!result.ended && isOwned)
      this.#pending.set(job.deliveryId, { endpointId: job.endpointId, since: job.roundSince });
    if (result.endpoint === null) return void this.#endpoints.delete(job.endpointId);
    const known = this.#endpoints.get(job.endpointId);
    const health = known ?? newHealth();
    if (isOwned) this.#endpoints.set(job.endpointId, health);
    this.#judge(health, job, result);
  }

  /** The delivery ended without an attempt. */
  forgetDelivery(deliveryId: string): void {
    this.#pending.delete(deliveryId);
  }

  /** It was enabled again: what failed before that counts no more. */
  forget(endpointId: string): void {
    this.#endpoints.delete(endpointId);
  }

  /** Of partitions that were won or lost nothing is known. */
  ownersChanged(partitions: readonly TopicPartition[]): void {
    const changed = new Set(partitions.map(({ partition }) => partition));
    for (const endpointId of [...this.#endpoints.keys()])
      if (changed.has(homeOf(endpointId))) this.#endpoints.delete(endpointId);
    for (const deliveryId of [...this.#pending.keys()]) {
      const pending = this.#pending.get(deliveryId);
      if (pending !== undefined && changed.has(homeOf(pending.endpointId))) this.#pending.delete(deliveryId);
    }
  }

  #judge(health: Health, { workspaceId, endpointId }: DeliverEvent, result: AttemptResult): void {
    const { sent, startedAt, endpoint } = result;
    const isAnew = health.failuresInRow > 0 && startedAt - health.failedAt > LULL_MS;
    if (sent.outcome === 'succeeded' || isAnew) {
      Object.assign(health, { failuresInRow: 0, markedAt: null });
      this.#clear(health, endpointId);
    }
    if (sent.outcome === 'succeeded') return;
    if (health.failuresInRow === 0) health.failingSince = startedAt;
    health.failuresInRow++;
    health.failedAt = startedAt;
    if (health.failuresInRow < MARKED_AFTER) return;
    const failing = { workspaceId, endpointId, url: endpoint!.url, error: sent.error };
    this.#write(health, endpointId, () => this.#mark(health, failing));
  }

  /** Attempts that end together are judged while a mark is on its way: it is cleared behind that all the same. */
  #clear(health: Health, endpointId: string): void {
    if (!health.mayBeMarked && health.underWay === 0) return;
    health.owesClear = true;
    this.#write(health, endpointId, () => this.#tellCleared(health, endpointId));
  }

  async #tellCleared(health: Health, endpointId: string): Promise<void> {
    if (!health.owesClear) return;
    if (health.mayBeMarked) await this.#options.failing.clear(endpointId);
    Object.assign(health, { owesClear: false, mayBeMarked: false });
  }

  async #mark(health: Health, failing: Omit<FailingEndpoint, 'since'>): Promise<void> {
    // Else the row would keep what the failures before that began with.
    await this.#tellCleared(health, failing.endpointId);
    // It was reached meanwhile.
    if (health.failuresInRow < MARKED_AFTER) return;
    const now = this.#options.clock.now();
    if (health.markedAt === null || now - health.markedAt >= MARKED_AGAIN_MS) {
      const since = await this.#tellFailing(health, failing, now);
      if (health.markedAt !== now) return;
      health.failingSince = since;
    }
    const since = health.failingSince;
    if (now - since >= DISABLED_AFTER_MS) await this.#options.disabled.disable({ ...failing, since });
  }

  async #tellFailing(health: Health, failing: Omit<FailingEndpoint, 'since'>, now: number): Promise<number> {
    const before = health.markedAt;
    Object.assign(health, { markedAt: now, mayBeMarked: true });
    const marked = { ...failing, since: health.failingSince, markedAt: now };
    try {
      return await this.#options.failing.mark(marked, now - MARKED_AGAIN_MS - LULL_MS);
    } catch (error) {
      if (health.markedAt === now) health.markedAt = before;
      throw error;
    }
  }

  #write(health: Health, endpointId: string, write: () => Promise<void>): void {
    health.underWay += 1;
    health.written = health.written
      .then(write)
      .catch((error: unknown) => this.#options.reporter.failure('endpoint-health-write-failed', error, { endpointId }))
      .finally(() => void (health.underWay -= 1));
  }
}

function newHealth(): Health {
  const counts = { failuresInRow: 0, failingSince: 0, failedAt: 0, markedAt: null };
  return { ...counts, mayBeMarked: true, owesClear: false, underWay: 0, written: Promise.resolve() };
}

const homeOf = (endpointId: string): number => partitionOf(endpointId, WEBHOOK_DELIVERIES.partitions);
