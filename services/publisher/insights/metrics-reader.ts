import type { Network } from '#domain/network.ts';
import { postIdOfVariant } from '#domain/post/ids.ts';
import { mergeDays, nextReadingAt, type MetricsReading } from '#domain/variant/metrics.ts';
import type { MetricsAnswer, NetworkMetrics } from '#networks/contract/adapter.ts';
import type { Connections } from '#connections/connections.ts';
import type { Clock } from '#ports/clock.ts';
import type { HttpClient } from '#ports/http-client.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { MetricsRows } from '#tables/repositories/variant-metrics.ts';

export interface MetricsReaderOptions {
  readonly metrics: Readonly<Partial<Record<Network, NetworkMetrics>>>;
  readonly rows: MetricsRows;
  readonly connections: Pick<Connections, 'tokensFor' | 'refreshNow'>;
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly reporter: Reporter;
  /** Whether the Variant's Post was removed since. Rejects with `PortError`. */
  isRemoved(reading: MetricsReading): Promise<boolean>;
  /** Durable when it resolves. */
  setNext(reading: MetricsReading, at: number): Promise<void>;
  /** The Network refused the Channel's token for good. */
  markChannel(reading: MetricsReading): Promise<void>;
}

/** After a failure that may pass, unless the next reading comes sooner. */
const TRY_AGAIN_MS = 15 * 60_000;

/**
 * One reading of one Variant's figures. The timer of the next reading is set before this one is written, so that a
 * crash never ends the chain of readings. A repeat finds that a later reading is set and does nothing, so that one
 * chain never becomes two. A failed reading changes neither the Variant nor its figures. The chain ends after two
 * years, or with the Post, which may be kept for less.
 */
export class MetricsReader {
  readonly #options: MetricsReaderOptions;

  constructor(options: MetricsReaderOptions) {
    this.#options = options;
  }

  /** Rejects with `PortError`; repeating is harmless. */
  async run(reading: MetricsReading): Promise<void> {
    const { rows, clock, reporter, setNext } = this.#options;
    // Figures of it would be kept for good: their rows were removed with the Post, and nobody looks for them again.
    if (await this.#options.isRemoved(reading)) return;
    const postId = postIdOfVariant(reading.variantId);
    const kept = await rows.read(postId, reading.variantId);
    if (kept !== null && (kept.nextAt === null || kept.nextAt > reading.dueAt)) return;
    const answer = await this.#ask(reading);
    const now = clock.now();
    const nextAt = answer.kind === 'gone' ? null : nextReadingAt(reading.publishedAt, reading.dueAt, now);
    reporter.report('insights-reading-ended', {
      network: reading.network,
      outcome: answer.kind,
      workspaceId: reading.workspaceId,
      postId,
      variantId: reading.variantId,
      detail: answer.summary.detail,
    });
    if (answer.kind === 'unavailable' && (nextAt === null || now + TRY_AGAIN_MS < nextAt)) {
      if (nextAt !== null) await setNext(reading, now + TRY_AGAIN_MS);
      return;
    }
    if (nextAt !== null) await setNext({ ...reading, dueAt: nextAt }, nextAt);
    await rows.change(postId, reading.variantId, (known) => {
      // A repeat of this message has set a later reading meanwhile.
      if (known !== null && known.nextAt !== null && nextAt !== null && known.nextAt >= nextAt) return null;
      if (answer.kind !== 'ok') return { metrics: known?.metrics ?? null, readAt: known?.readAt ?? 0, nextAt };
      return {
        metrics: { ...answer.totals, days: mergeDays(known?.metrics?.days ?? [], answer.days) },
        readAt: now,
        nextAt,
      };
    });
  }

  async #ask(reading: MetricsReading): Promise<MetricsAnswer> {
    const { connections, clock, http } = this.#options;
    const metrics = this.#options.metrics[reading.network];
    if (metrics === undefined) return unavailable('This process has no adapter for the figures of the Network.');
    const read = (accessToken: string) =>
      metrics.read(http, {
        accessToken,
        remoteId: reading.remoteId,
        publishedAt: reading.publishedAt,
        now: clock.now(),
      });
    const tokens = await connections.tokensFor(reading.channelId, reading.network);
    if (tokens.kind === 'needs_reconnect') return { kind: 'refused', summary: { status: 0, detail: tokens.detail } };
    if (tokens.kind !== 'ok') return unavailable(tokens.detail);
    const first = await read(tokens.accessToken);
    if (first.kind !== 'refused' || first.summary.status !== 401) return first;
    const fresh = await connections.refreshNow(reading.channelId, tokens.accessToken);
    if (fresh.kind === 'unavailable') return unavailable(fresh.detail);
    const second = fresh.kind === 'ok' ? await read(fresh.accessToken) : first;
    if (second.kind === 'refused' && second.summary.status === 401) await this.#options.markChannel(reading);
    return second;
  }
}

function unavailable(detail: string): MetricsAnswer {
  return { kind: 'unavailable', summary: { status: 0, detail } };
}
