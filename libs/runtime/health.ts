import { withDeadline } from '#concurrency/deadline.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { ServiceTrouble } from './supervisor.ts';

export interface Health {
  /** Every service runs and is well, and the store and the log can be reached. */
  readonly ready: boolean;
  readonly checks: readonly { readonly name: string; readonly trouble: string | null }[];
}

export interface HealthOptions {
  /** False while starting and draining. */
  readonly running: () => boolean;
  readonly services: () => readonly ServiceTrouble[];
  readonly store: Pick<TableStore, 'check'>;
  readonly log: Pick<Log, 'check'>;
  readonly clock: Pick<Clock, 'after'>;
  /** Of each check; one that takes longer has failed. */
  readonly deadlineMs?: number;
}

const DEADLINE_MS = 2_000;
const MAX_TROUBLE = 300;
/**
 * What could name a tenant: ids and mail addresses. Looked for where a word begins, as a long word would else be read
 * again from each of its letters.
 */
const TENANTS = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?<![^\s@])[^\s@]+@[^\s@]+/gi;

/**
 * Asks everything how it is. Never rejects. Whoever asks while another does shares the answer, so that probes can't
 * pile up.
 */
export function createHealth(options: HealthOptions): () => Promise<Health> {
  let asking: Promise<Health> | null = null;
  return () =>
    (asking ??= ask(options).finally(() => {
      asking = null;
    }));
}

async function ask({ running, services, store, log, clock, deadlineMs = DEADLINE_MS }: HealthOptions): Promise<Health> {
  const [storeTrouble, logTrouble] = await Promise.all([
    troubleWithin(clock, deadlineMs, () => store.check()),
    troubleWithin(clock, deadlineMs, () => log.check()),
  ]);
  const checks = [
    { name: 'process', trouble: running() ? null : 'starting or draining' },
    { name: 'store', trouble: storeTrouble },
    { name: 'log', trouble: logTrouble },
    ...services().map(({ service, trouble }) => ({ name: service, trouble })),
  ].map(({ name, trouble }) => ({ name, trouble: trouble === null ? null : untold(trouble) }));
  return { ready: checks.every(({ trouble }) => trouble === null), checks };
}

/** What is wrong; null: the check passed in time. */
function troubleWithin(
  clock: HealthOptions['clock'],
  deadlineMs: number,
  check: () => Promise<void>,
): Promise<string | null> {
  const checked = (async () => check())().then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  return withDeadline(checked, { clock, deadlineMs, onLate: () => `no answer within ${deadlineMs} ms` });
}

/** Health needs no token: it may not tell whom a trouble is about. */
function untold(trouble: string): string {
  const told = trouble.replace(TENANTS, '...');
  return told.length > MAX_TROUBLE ? `${told.slice(0, MAX_TROUBLE)}...` : told;
}
