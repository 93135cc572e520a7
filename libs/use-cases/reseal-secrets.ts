import { parallelMap } from '#concurrency/parallel-map.ts';
import type { ResealEndpoint } from '#domain/workspace/commands.ts';
import type { Endpoints } from '#domain/webhook/endpoint.ts';
import type { Result } from '#domain/workspace/results.ts';
import { PortError } from '#ports/errors.ts';
import type { WorldPorts } from '#ports/ports.ts';
import type { Key, Row } from '#ports/table.ts';
import { decodeBody } from '#tables/rows/body.ts';
import { replacing, settledWrite } from '#tables/rows/replace-row.ts';
import { readAnnouncedProcesses } from '#tables/repositories/announced-processes.ts';
import { readResealing, writeResealing, type Resealing, type SealedCounts } from '#tables/repositories/resealing.ts';
import { noteSealedAnew } from '#tables/repositories/secret-probe.ts';
import { SEALED_ROWS, type SealedRows } from '#tables/repositories/sealed-values.ts';

export interface ResealSecretsOptions extends Pick<WorldPorts, 'store' | 'secretBox' | 'clock' | 'ids' | 'reporter'> {
  /** Rejects with `PortError`. */
  readonly sendCommand: (
    workspaceId: string,
    command: Pick<ResealEndpoint, 'type' | 'endpointId' | 'secrets'>,
  ) => Promise<Result>;
  readonly pageSize?: number;
}

export interface ResealedSecrets extends SealedCounts {
  /** The short name of the key that seals. */
  readonly key: string;
  /** False: called again, it goes on where it stopped. */
  readonly finished: boolean;
}

/** How many stored values are sealed under a key, by kind of row. */
export interface KeyUse {
  readonly key: string;
  /** `unknown`: none of the secrets that this process has makes the key. */
  readonly secret: 'current' | 'previous' | 'unknown';
  readonly values: Readonly<Partial<Record<SealedRows['kind'], number>>>;
  readonly total: number;
}

const PAGE = 200;
const AT_ONCE = 8;
/** Clients wait five minutes for an answer. */
const CALL_MS = 120_000;
const BUSY_MS = 500;
/** A process that ended without saying so is waited for so long. */
const UNSEEN_MS = 60_000;
const TRIES = 20;
const NOTHING: SealedCounts = { resealed: 0, alreadyCurrent: 0, unopenable: 0 };

/**
 * Seals every stored secret anew under the secret of today, so that former ones can be taken away. It goes over all
 * sealed rows, a page at a time, beside everything that runs: a row is replaced by compare-and-set, what a Workspace's
 * state holds by a turn. What it did is noted after each page, so a call that died is gone on with by the next one, and
 * a page that is done twice does no harm. Rejects with `PortError`.
 */
export async function resealSecrets(options: ResealSecretsOptions): Promise<ResealedSecrets> {
  const { store, clock, ids, secretBox } = options;
  const [key] = secretBox.keyIds;
  await refuseWhileOthersSeal(key, options);
  const endsAt = clock.monotonic() + CALL_MS;
  const known = await readResealing(store);
  let version = known.version;
  let at: Resealing = known.resealing?.key === key ? known.resealing : { key, step: 0, after: null, ...NOTHING };
  for (;;) {
    const rows = SEALED_ROWS[at.step];
    if (rows !== undefined) at = await doPage(rows, at, options);
    const finished = at.step >= SEALED_ROWS.length;
    if (finished)
      await noteSealedAnew(store, secretBox, { isAllOpened: at.unopenable === 0, token: () => ids.token() });
    const next = await writeResealing(store, { over: version, resealing: finished ? null : at, token: ids.token() });
    if (next === null) throw new PortError('unavailable', 'another call of secrets.reseal is at work');
    version = next;
    if (!finished && clock.monotonic() < endsAt) continue;
    const { resealed, alreadyCurrent, unopenable } = at;
    options.reporter.report('secrets-resealed', { key, finished, resealed, alreadyCurrent, unopenable });
    return { key, finished, resealed, alreadyCurrent, unopenable };
  }
}

/**
 * A process that does not know the key could open nothing any more, and what one that seals with another key writes
 * behind us would need that key for ever.
 */
async function refuseWhileOthersSeal(
  key: string,
  { store, clock }: Pick<ResealSecretsOptions, 'store' | 'clock'>,
): Promise<void> {
  const living = (await readAnnouncedProcesses(store)).filter(
    ({ stoppedAt, seenAt }) => stoppedAt === null && seenAt > clock.now() - UNSEEN_MS,
  );
  const others = living.filter(({ secretKeys: [sealing] }) => sealing !== key);
  if (others.length === 0) return;
  const places = others.map(({ address }) => address).join(', ');
  throw new PortError(
    'refused',
    `${others.length} of ${living.length} processes seal with another CRIER_SECRET than this one (${places}): give them the same first, and name the former one in CRIER_PREVIOUS_SECRETS`,
  );
}

/** The keys under which values are stored now. It reads every sealed row. Rejects with `PortError`. */
export async function secretsStatus({
  store,
  secretBox,
}: Pick<ResealSecretsOptions, 'store' | 'secretBox'>): Promise<readonly KeyUse[]> {
  const [current] = secretBox.keyIds;
  const uses = new Map(secretBox.keyIds.map((key) => [key, new Map<SealedRows['kind'], number>()]));
  for (const rows of SEALED_ROWS) {
    let after: string | null = null;
    do {
      const page: Page = await partitionsOf(rows, after, { store });
      await parallelMap(AT_ONCE, page.keys, async (partition) => {
        const row = await store.read(rows.table, partition, rows.clustering);
        const body = row === null ? null : decodeBody<unknown>(row);
        if (body === null) return;
        rows.map(body, partition, (sealed) => {
          const key = secretBox.keyIdOf(sealed) ?? 'none';
          const kinds = uses.get(key) ?? new Map<SealedRows['kind'], number>();
          uses.set(key, kinds.set(rows.kind, (kinds.get(rows.kind) ?? 0) + 1));
          return sealed;
        });
      });
      after = page.next;
    } while (after !== null);
  }
  return [...uses].map(([key, kinds]) => ({
    key,
    secret: key === current ? 'current' : secretBox.keyIds.includes(key) ? 'previous' : 'unknown',
    values: Object.fromEntries(kinds),
    total: [...kinds.values()].reduce((sum, count) => sum + count, 0),
  }));
}

interface Page {
  readonly keys: readonly Key[];
  readonly next: string | null;
}

function partitionsOf(
  { partitions, table }: SealedRows<unknown>,
  after: string | null,
  { store, pageSize = PAGE }: Pick<ResealSecretsOptions, 'store' | 'pageSize'>,
): Promise<Page> {
  return partitions === null
    ? store.partitions(table, { after, limit: pageSize })
    : Promise.resolve({ keys: partitions, next: null });
}

async function doPage(rows: SealedRows<unknown>, at: Resealing, options: ResealSecretsOptions): Promise<Resealing> {
  const { keys, next } = await partitionsOf(rows, at.after, options);
  const sum = { resealed: at.resealed, alreadyCurrent: at.alreadyCurrent, unopenable: at.unopenable };
  await parallelMap(AT_ONCE, keys, async (partition) => {
    const counts = await resealRow(rows, partition, options);
    sum.resealed += counts.resealed;
    sum.alreadyCurrent += counts.alreadyCurrent;
    sum.unopenable += counts.unopenable;
  });
  return { ...at, ...sum, step: next === null ? at.step + 1 : at.step, after: next };
}

async function resealRow(
  rows: SealedRows<unknown>,
  partition: Key,
  options: ResealSecretsOptions,
): Promise<SealedCounts> {
  const { store, clock, ids } = options;
  if (rows.by === 'expire') return NOTHING;
  for (let tries = 0; tries < TRIES; tries++) {
    const row = await store.read(rows.table, partition, rows.clustering);
    const body = row === null ? null : decodeBody<unknown>(row);
    if (row === null || body === null) return NOTHING;
    const { counts, pairs, next } = sealedAnew(rows, partition, body, options);
    if (counts.resealed === 0) return counts;
    if (rows.by === 'command') return (await byCommand(partition, body, pairs, options)) ? counts : NOTHING;
    // A token that a Network spent exists in the process that asked, and nowhere else, until it is stored.
    if (rows.busyUntil(body) > clock.now()) {
      tries--;
      await clock.sleep(BUSY_MS);
      continue;
    }
    if (await write(rows, { ...row, body: next }, { store, token: ids.token(), now: clock.now() })) return counts;
  }
  throw new PortError('unavailable', `a row of ${rows.table.name} is changed too often`);
}

function write(
  rows: SealedRows<unknown>,
  { partition, clustering, version, body }: Omit<Row, 'body'> & { readonly body: unknown },
  { store, token, now }: Pick<ResealSecretsOptions, 'store'> & { readonly token: string; readonly now: number },
): Promise<boolean> {
  const ttlSeconds = rows.ttlSeconds(body, now);
  const replacement = { over: version, value: body, token, ...(ttlSeconds !== null && { ttlSeconds }) };
  return settledWrite(store, rows.table, replacing(partition, clustering, replacement));
}

interface SealedAnew {
  readonly counts: SealedCounts;
  /** Of those that were sealed anew: what stands in the place of what. */
  readonly pairs: ReadonlyMap<string, string>;
  readonly next: unknown;
}

function sealedAnew(
  rows: SealedRows<unknown>,
  partition: Key,
  body: unknown,
  { secretBox }: Pick<ResealSecretsOptions, 'secretBox'>,
): SealedAnew {
  const counts = { ...NOTHING } as { -readonly [K in keyof SealedCounts]: number };
  const pairs = new Map<string, string>();
  const next = rows.map(body, partition, (sealed, context) => {
    if (secretBox.keyIdOf(sealed) === secretBox.keyIds[0]) {
      counts.alreadyCurrent++;
      return sealed;
    }
    let plain: string;
    try {
      plain = secretBox.open(sealed, context);
    } catch {
      counts.unopenable++;
      return sealed;
    }
    const anew = secretBox.seal(plain, context);
    counts.resealed++;
    pairs.set(sealed, anew);
    return anew;
  });
  return { counts, pairs, next };
}

/** False: the Workspace has none of these endpoints any more. */
async function byCommand(
  [workspaceId]: Key,
  body: unknown,
  pairs: ReadonlyMap<string, string>,
  { sendCommand }: Pick<ResealSecretsOptions, 'sendCommand'>,
): Promise<boolean> {
  let done = false;
  for (const { id: endpointId, secrets } of Object.values(body as Endpoints)) {
    const changed = secrets.flatMap(({ sealed: from }) => {
      const to = pairs.get(from);
      return to === undefined ? [] : [{ from, to }];
    });
    if (changed.length === 0) continue;
    const result = await sendCommand(String(workspaceId), { type: 'ResealEndpoint', endpointId, secrets: changed });
    if (result.ok) done = true;
    else if (result.code !== 'not_found') throw new PortError('unavailable', result.message);
  }
  return done;
}
