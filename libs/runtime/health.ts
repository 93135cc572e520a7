import { withDeadline } from '#concurrency/deadline.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { ServiceState } from './supervisor.ts';

export interface Health {
  /**
   * Every service runs and is well, has joined its group, and the store answers. A process that serves requests stays
   * ready while the log is away: reads and files go on, and what has to wait is told so, which no proxy would.
   */
  readonly ready: boolean;
  readonly checks: readonly { readonly name: string; readonly trouble: string | null }[];
}

export interface HealthOptions {
  /** False while starting and draining. */
  readonly running: () => boolean;
  readonly services: () => readonly ServiceState[];
  /** Whether clients send requests to this process: it has the role ingress or app. */
  readonly servesRequests: boolean;
  readonly store: Pick<TableStore, 'check'>;
  readonly log: Pick<Log, 'check'>;
  readonly clock: Pick<Clock, 'after'>;
  /** Of each check; a check that takes longer has failed. */
  readonly deadlineMs?: number;
}

const DEADLINE_MS = 2_000;
/** A reader of the log that has done nothing for so long hangs: a new process would go on. */
const MAX_IDLE_MS = 60_000;
const MAX_TROUBLE = 300;
/**
 * What could name a tenant: ids and e-mail addresses. The pattern is anchored to the beginning of a word: from every
 * letter of a long word the match would take quadratic time.
 */
const TENANTS = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?<![^\s@])[^\s@]+@[^\s@]+/gi;

/**
 * Checks the store, the log and every service. Never rejects. Calls during a check share its result, so that probes can
 * not pile up.
 */
export function createHealth(options: HealthOptions): () => Promise<Health> {
  let running: Promise<Health> | null = null;
  return () =>
    (running ??= check(options).finally(() => {
      running = null;
    }));
}

async function check({
  running,
  services,
  servesRequests,
  store,
  log,
  clock,
  deadlineMs = DEADLINE_MS,
}: HealthOptions): Promise<Health> {
  const [storeTrouble, logTrouble] = await Promise.all([
    troubleWithin(clock, deadlineMs, () => store.check()),
    troubleWithin(clock, deadlineMs, () => log.check()),
  ]);
  const found: readonly Finding[] = [
    { name: 'process', trouble: running() ? null : 'starting or draining' },
    { name: 'store', trouble: storeTrouble },
    { name: 'log', trouble: logTrouble, isOfLog: true },
    ...services().map(findingOf),
  ];
  return {
    ready: found.every(({ trouble, isOfLog }) => trouble === null || (isOfLog && servesRequests)),
    checks: found.map(({ name, trouble }) => ({ name, trouble: trouble === null ? null : withoutTenants(trouble) })),
  };
}

interface Finding {
  readonly name: string;
  readonly trouble: string | null;
  /** The log is away, and the process was in touch with it before. */
  readonly isOfLog?: boolean;
}

function findingOf({ service: name, trouble, membership }: ServiceState): Finding {
  if (trouble !== null || membership === null || membership.state === 'joined') return { name, trouble };
  const why = membership.detail === null ? '' : `: ${membership.detail}`;
  return membership.state === 'joining'
    ? { name, trouble: `has not joined its group yet${why}` }
    : { name, trouble: `lost touch with the log, and tries again${why}`, isOfLog: true };
}

/** The readers of the log whose loops hang, in words; none: the process lives. Asks no engine. */
export const hangingReaders = (services: readonly ServiceState[]): readonly string[] =>
  services.flatMap(({ service, membership }) =>
    membership === null || membership.idleMs < MAX_IDLE_MS
      ? []
      : [`${service} has not read its topics for ${Math.floor(membership.idleMs / 1000)} s`],
  );

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

/** /health/ready needs no token, so a trouble must not name a tenant. */
function withoutTenants(trouble: string): string {
  const text = trouble.replace(TENANTS, '...');
  return text.length > MAX_TROUBLE ? `${text.slice(0, MAX_TROUBLE)}...` : text;
}
