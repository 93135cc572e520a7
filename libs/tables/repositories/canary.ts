import type { CanaryStage } from '#domain/canary.ts';
import type { Network } from '#domain/network.ts';
import type { TableStore } from '#ports/table-store.ts';
import { INSTALLATION } from '../declarations/tables.ts';
import { decodeBody } from '../rows/body.ts';
import { writeInstallation } from './installation.ts';

/** A Post of the canary whose way is not at its end. */
export interface CanaryPost {
  readonly postId: string;
  readonly dueAt: number;
  readonly networks: readonly Network[];
  /** The last that it was seen in. */
  readonly stage: CanaryStage;
}

/**
 * What the canary knows, and which process runs it. Instants are milliseconds since the epoch by the machines' own
 * clocks, but `nextAt` and `dueAt`, which are by the clock that an operator can move.
 */
export interface CanaryRecord {
  /** The process that runs it until `until`, and renews that; '' = none. */
  readonly holder: string;
  readonly until: number;
  /** Since when it runs without a long pause: what never succeeded is as old as that. */
  readonly since: number;
  /** When its next Post is made. */
  readonly nextAt: number;
  readonly lastSuccess: Readonly<Partial<Record<CanaryStage, number>>>;
  /** When it was last found that a hold leaves it no Network; 0 = never. */
  readonly heldAt: number;
  readonly open: readonly CanaryPost[];
}

/** `version` null: there is no row. */
export interface StoredCanary {
  readonly record: CanaryRecord | null;
  readonly version: number | null;
}

const CANARY_ROW = ['canary'] as const;

/** Rejects with `PortError`. */
export async function readCanary(store: TableStore): Promise<StoredCanary> {
  const row = await store.read(INSTALLATION, CANARY_ROW, [], { serial: true });
  return { record: row === null ? null : decodeBody<CanaryRecord>(row), version: row?.version ?? null };
}

/** The new version; null: another process wrote first. Rejects with `PortError`. */
export async function writeCanary(
  store: TableStore,
  { over, record, token }: { readonly over: number | null; readonly record: CanaryRecord; readonly token: string },
): Promise<number | null> {
  const written = await writeInstallation(store, CANARY_ROW, { over, value: record, token });
  return written ? (over ?? 0) + 1 : null;
}
