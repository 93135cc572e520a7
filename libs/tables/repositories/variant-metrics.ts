import type { VariantMetrics } from '#domain/variant/metrics.ts';
import { PortError } from '#ports/errors.ts';
import type { TableStore } from '#ports/table-store.ts';
import { decodeBody } from '../rows/body.ts';
import { replacing } from '../rows/replace-row.ts';
import { VARIANT_METRICS } from '../declarations/tables.ts';

/** What was last read of a Variant's figures. */
export interface StoredMetrics {
  /** Null until a first reading succeeded. */
  readonly metrics: VariantMetrics | null;
  readonly readAt: number;
  /**
   * The instant the next reading is set for; null: there will be none. A message set for an earlier one is a repeat.
   */
  readonly nextAt: number | null;
}

export interface MetricsRows {
  read(postId: string, variantId: string): Promise<StoredMetrics | null>;
  /**
   * Replaces what is kept by what `change` makes of it; null: leave it. Rejects with `PortError`; then it may have
   * happened.
   */
  change(
    postId: string,
    variantId: string,
    change: (kept: StoredMetrics | null) => StoredMetrics | null,
  ): Promise<void>;
  /** Of each Variant of the Post that has any. */
  ofPost(postId: string): Promise<ReadonlyMap<string, VariantMetrics>>;
}

const ATTEMPTS = 5;

export function createMetricsRows(store: TableStore, newToken: () => string): MetricsRows {
  const find = async (postId: string, variantId: string) => {
    const row = await store.read(VARIANT_METRICS, [postId], [variantId]);
    return { version: row?.version ?? null, kept: row === null ? null : decodeBody<StoredMetrics>(row) };
  };
  return {
    read: async (postId, variantId) => (await find(postId, variantId)).kept,
    async change(postId, variantId, change) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const { version, kept } = await find(postId, variantId);
        const next = change(kept);
        if (next === null) return;
        const write = replacing([postId], [variantId], { over: version, value: next, token: newToken() });
        if ((await store.compareAndSet(VARIANT_METRICS, write)).applied) return;
      }
      throw new PortError('unavailable', `the figures of ${variantId} keep changing`);
    },
    async ofPost(postId) {
      const rows = await store.slice(VARIANT_METRICS, [postId], { limit: MAX_VARIANTS });
      return new Map(
        rows.flatMap((row) => {
          const metrics = decodeBody<StoredMetrics>(row)?.metrics ?? null;
          return metrics === null ? [] : [[String(row.clustering[0]), metrics] as const];
        }),
      );
    },
  };
}

/** A Variant is a byte of its id. */
const MAX_VARIANTS = 255;
