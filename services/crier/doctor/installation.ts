import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createFilesystemBlobStore } from '#adapters/filesystem/blob-store.ts';
import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import { storedRows, visitBodies } from '#adapters/sqlite/snapshot.ts';
import { createSystemIds } from '#adapters/system/ids.ts';
import type { Config } from '#config/config.ts';
import { NETWORKS, type Network } from '#domain/network.ts';
import { CLOCK_SKEW_MS } from '#domain/workspace/clock-skew.ts';
import type { Clock } from '#ports/clock.ts';
import type { TableStore } from '#ports/table-store.ts';
import { PUBLISHING_HOLDS } from '#tables/declarations/tables.ts';
import { readAnnouncedProcesses } from '#tables/repositories/announced-processes.ts';
import { checkReadable, readSchemaVersion } from '#tables/repositories/installation.ts';
import { knownHoldsOf, readHolds, type KnownHolds, type ScopeRow } from '#tables/repositories/publishing-holds.ts';
import { secretTrouble, unknownKeysTold, unknownSealingKeys } from '#tables/repositories/secret-probe.ts';
import { checkFormat, readStoredFormat } from '#tables/repositories/written-formats.ts';
import { decodeBody } from '#tables/rows/body.ts';
import { publishersAmong } from '#use-cases/unserved-networks.ts';
import { countFiles, type FileCount } from '../backup/named-files.ts';
import { readPrivate, type Secrets } from '../engines/secrets.ts';
import { countStoredFiles } from './stored-files.ts';
import type { DoctorFinding } from './finding.ts';

type EmbeddedConfig = Pick<Config, 'dataDir' | 'secret' | 'previousSecrets'>;
type DoctorClock = Pick<Clock, 'now' | 'monotonic'>;

/** How long files are looked for. */
const LOOK_MS = 10_000;

function afterLooking(clock: DoctorClock): () => boolean {
  const until = clock.monotonic() + LOOK_MS;
  return () => clock.monotonic() > until;
}

/**
 * What the data of an embedded installation says. It may run or not; only one that was started has any. Rejects with
 * `PortError`, also `refused` where a start would be.
 */
export async function embeddedFindings(config: EmbeddedConfig, clock: DoctorClock): Promise<readonly DoctorFinding[]> {
  const { dataDir } = config;
  const database = join(dataDir, 'crier.db');
  if (!existsSync(database)) return [];
  const stored = storedRows(database, clock);
  checkReadable(await readSchemaVersion(stored));
  checkFormat(await readStoredFormat(stored));
  const rows: ScopeRow[] = [];
  visitBodies(database, PUBLISHING_HOLDS.name, (row) => {
    const scope = decodeBody<ScopeRow>(row);
    if (scope !== null) rows.push(scope);
  });
  const blobs = await createFilesystemBlobStore({ folder: join(dataDir, 'blobs'), shared: true });
  return [
    ...(await secretFindings(stored, config)),
    ...heldFindings(knownHoldsOf(rows)),
    fileFinding(await countFiles(database, blobs, afterLooking(clock)), join(dataDir, 'blobs')),
    ...clockFindings({ name: 'what the data folder was written by', leadMs: clock.now() - newestWrite(database) }),
  ];
}

/** By the secret that a start would have: it makes another one where there is none. */
async function secretFindings(
  stored: Pick<TableStore, 'read'>,
  { dataDir, secret, previousSecrets }: EmbeddedConfig,
): Promise<readonly DoctorFinding[]> {
  const kept = readPrivate<Secrets>(join(dataDir, 'secrets.json'))?.secret;
  const box = createSecretBox({ secret: secret ?? kept ?? createSystemIds().token(48), previousSecrets });
  const trouble = await secretTrouble(stored, box);
  if (trouble !== null) return [{ check: 'secret', ok: false, detail: trouble }];
  const unknown = await unknownSealingKeys(stored, box);
  return unknown.length === 0 ? [] : [{ check: 'secret', ok: false, detail: unknownKeysTold(unknown) }];
}

/** As above, of a cluster. Rejects with `PortError`. */
export async function clusterFindings(
  store: TableStore,
  place: Parameters<typeof countStoredFiles>[1] & { readonly name: string; readonly connectable: readonly Network[] },
  clock: DoctorClock,
): Promise<readonly DoctorFinding[]> {
  const publishers = publishersAmong(await readAnnouncedProcesses(store), clock.now());
  return [
    ...heldFindings(await readHolds(store)),
    ...unservedFindings(publishers, place.connectable),
    fileFinding(await countStoredFiles(store, place, afterLooking(clock)), place.name),
  ];
}

/** What is held is no fault: somebody holds it. */
function heldFindings({ holds, restoration }: Pick<KnownHolds, 'holds' | 'restoration'>): readonly DoctorFinding[] {
  const restored =
    restoration === null || restoration.released !== null
      ? []
      : [
          `everything is held: it was restored from a backup of ${new Date(restoration.backupAt).toISOString()}. Look around, then release: crier admin publishing.release '{"restored":{"overdue":"ask"}}'`,
        ];
  const others = holds
    .filter(({ holder }) => holder !== 'restore')
    .map(({ network, workspaceId, by, reason }) => {
      const scope = `${network ?? 'every Network'}${workspaceId === null ? '' : ` in Workspace ${workspaceId}`}`;
      return `${scope} is held by ${by} (${reason}): crier admin publishing.status, then publishing.release`;
    });
  const finding = (detail: string): DoctorFinding => ({ check: 'publishing', ok: true, detail });
  return [
    ...restored.map(finding),
    ...others.map((detail): DoctorFinding => ({ ...finding(detail), hasWordsOfPeople: true })),
  ];
}

/** `publishers`: what each process with that role publishes to. `connectable`: Networks that are set up here. */
export function unservedFindings(
  publishers: readonly (readonly Network[])[],
  connectable: readonly Network[],
): readonly DoctorFinding[] {
  if (publishers.length === 0)
    return [{ check: 'publishers', ok: true, detail: 'no process with the role publisher was seen lately' }];
  const unserved = NETWORKS.filter(
    (network) => connectable.includes(network) && !publishers.some((served) => served.includes(network)),
  );
  if (unserved.length === 0)
    return [
      { check: 'publishers', ok: true, detail: `${publishers.length} were seen lately, and serve every Network` },
    ];
  const detail = `no process publishes to ${unserved.join(', ')}, so Variants of it wait as scheduled: CRIER_PUBLISH_NETWORKS of every process that was seen lately leaves it out`;
  return [{ check: 'publishers', ok: false, detail }];
}

function fileFinding({ named, looked, missing, examples }: FileCount, place: string): DoctorFinding {
  const of =
    looked === named
      ? `${named} files are named by rows`
      : `${looked} of ${named} files that rows name were looked for`;
  if (missing === 0) return { check: 'stored files', ok: true, detail: `${of}, and none is missing in ${place}` };
  return {
    check: 'stored files',
    ok: false,
    detail: `${of}, and ${missing} are missing in ${place} (${examples.join(', ')}): put them back from a copy. Variants that need one fail`,
  };
}

/**
 * `leadMs`: how far this machine's clock is ahead. What was written in the past can show only a clock that is behind.
 */
export function clockFindings({
  name,
  leadMs,
  isBoth = false,
}: {
  readonly name: string;
  readonly leadMs: number;
  readonly isBoth?: boolean;
}): readonly DoctorFinding[] {
  const seconds = Math.round(Math.abs(leadMs) / 1000);
  if (leadMs >= -CLOCK_SKEW_MS && (!isBoth || leadMs <= CLOCK_SKEW_MS))
    return [
      {
        check: 'clock',
        ok: true,
        detail: isBoth ? `within ${CLOCK_SKEW_MS / 1000} s of ${name}` : 'not behind what was written',
      },
    ];
  return [
    {
      check: 'clock',
      ok: false,
      detail: `this machine's clock is ${seconds} s ${leadMs > 0 ? 'ahead of' : 'behind'} ${name}: set it by NTP, or Variants are published at other instants than they say`,
    },
  ];
}

function newestWrite(database: string): number {
  return Math.max(
    ...['', '-wal'].map((suffix) => statSync(database + suffix, { throwIfNoEntry: false })?.mtimeMs ?? 0),
  );
}
