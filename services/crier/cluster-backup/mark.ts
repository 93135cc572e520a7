import { PortError } from '#ports/errors.ts';
import type { PartitionExtent } from '#ports/log-positions.ts';
import { SCHEMA_VERSION } from '#tables/repositories/installation.ts';
import { TIMERS } from '#tables/declarations/topics.ts';
import type { ClusterFinding } from './cluster-finding.ts';
import { unfinishedOf, type ClusterStanding, type HeadCounts } from './standing.ts';

export const MARK_FORMAT = 1;

/** What a snapshot of a cluster has to hold, written while nothing was under way. */
export interface ClusterMark {
  readonly format: typeof MARK_FORMAT;
  readonly engine: 'cluster';
  /** By the clock of the machine on which the command ran. */
  readonly madeAt: string;
  /** The release that made it. */
  readonly release: string;
  readonly schemaVersion: number;
  readonly keyspace: string;
  readonly topicPrefix: string;
  readonly heads: HeadCounts;
  readonly extents: readonly PartitionExtent[];
}

/** Throws `PortError` `refused` with one sentence. */
export function readMark(text: string): ClusterMark {
  let mark: Partial<ClusterMark>;
  try {
    mark = JSON.parse(text) as Partial<ClusterMark>;
  } catch {
    throw new PortError('refused', 'it is no mark of a cluster: it is no JSON');
  }
  if (mark.engine !== 'cluster' || typeof mark.format !== 'number')
    throw new PortError('refused', 'it is no mark of a cluster, which crier backup --to=FILE writes');
  if (mark.format !== MARK_FORMAT)
    throw new PortError(
      'refused',
      `it has format ${mark.format}, and this release reads format ${MARK_FORMAT}: use the release that made it, or a newer one`,
    );
  if (Number.isNaN(Date.parse(mark.madeAt ?? '')) || mark.heads === undefined || mark.extents === undefined)
    throw new PortError('refused', 'the mark is damaged: an instant, the heads or the log are missing');
  return mark as ClusterMark;
}

/** Whether a cluster, as it stands now, is the one of the mark with a log that fits: one finding for each part. */
export function fitOf(mark: ClusterMark, now: ClusterStanding): readonly ClusterFinding[] {
  return [schemaFit(mark, now), headsFit(mark, now), logFit(mark, now), groupsFit(now), processesFit(now)];
}

function schemaFit(mark: ClusterMark, now: ClusterStanding): ClusterFinding {
  const ok = now.schemaVersion === SCHEMA_VERSION && mark.schemaVersion <= SCHEMA_VERSION;
  return {
    check: 'schema',
    ok,
    detail: ok
      ? `version ${now.schemaVersion}`
      : `the keyspace has version ${now.schemaVersion}, the mark ${mark.schemaVersion}, and this release ${SCHEMA_VERSION}: run crier migrate of the release that is to run`,
  };
}

function headsFit({ heads, madeAt }: ClusterMark, now: ClusterStanding): ClusterFinding {
  const { workspaces, turns } = now.heads;
  const is = `${workspaces} Workspaces with ${turns} turns, and the mark of ${madeAt} has ${heads.workspaces} with ${heads.turns}`;
  if (workspaces === heads.workspaces && turns === heads.turns)
    return { check: 'tables', ok: true, detail: `${workspaces} Workspaces with ${turns} turns, as at the mark` };
  const why =
    workspaces < heads.workspaces || turns < heads.turns
      ? 'the tables are older than the mark, or a part of them is missing: restore all nodes from the snapshot of the mark'
      : 'the tables are younger than the mark: processes wrote before or while the snapshot was taken, or since it was restored';
  return { check: 'tables', ok: false, detail: `${is}; ${why}` };
}

const OTHER_PREFIX = 'set another CRIER_KAFKA_TOPIC_PREFIX and run crier migrate: nothing of the old log is needed';

/**
 * At the mark nothing was unfinished, so an empty log is whole; so is the log of the mark, where it survived. Of that,
 * timers may wait: they are rows as well (`unfinishedWork`).
 */
function logFit(mark: ClusterMark, now: ClusterStanding): ClusterFinding {
  if (now.extents.every(({ end }) => end === 0))
    return { check: 'log', ok: true, detail: 'empty; at the mark nothing was unfinished' };
  const before = new Map(mark.extents.map((each) => [nameOf(each), each.end]));
  const newer = now.extents.filter((each) => each.end > (before.get(nameOf(each)) ?? 0));
  const older = now.extents.filter((each) => each.end < (before.get(nameOf(each)) ?? 0));
  const topics = (found: readonly PartitionExtent[]): string =>
    [...new Set(found.map(({ topic }) => topic))].join(', ');
  if (newer.length > 0)
    return {
      check: 'log',
      ok: false,
      detail: `${topics(newer)}: records were appended after the mark, by turns that the tables do not know; ${OTHER_PREFIX}`,
    };
  if (older.length > 0)
    return { check: 'log', ok: false, detail: `${topics(older)}: the log ends before the mark; ${OTHER_PREFIX}` };
  const unfinished = [...unfinishedOf(now).keys()].filter((topic) => topic !== TIMERS.name);
  return unfinished.length === 0
    ? { check: 'log', ok: true, detail: 'as at the mark, every record finished' }
    : {
        check: 'log',
        ok: false,
        detail: `${unfinished.join(', ')}: groups stand before their records, which they finished by the mark; ${OTHER_PREFIX}`,
      };
}

function groupsFit({ groups, extents }: ClusterStanding): ClusterFinding {
  const ends = new Map(extents.map((each) => [nameOf(each), each.end]));
  const beyond = groups.filter(({ positions }) => positions.some((each) => each.next > (ends.get(nameOf(each)) ?? 0)));
  return beyond.length === 0
    ? { check: 'groups', ok: true, detail: 'none stands beyond the end of its topic' }
    : {
        check: 'groups',
        ok: false,
        detail: `${beyond.map(({ group }) => group).join(', ')}: the group's offsets are beyond the end of its topic, so that it would pass over records; ${OTHER_PREFIX}`,
      };
}

export function processesFit({ running }: Pick<ClusterStanding, 'running'>): ClusterFinding {
  return running.length === 0
    ? { check: 'processes', ok: true, detail: 'none runs' }
    : {
        check: 'processes',
        ok: false,
        detail: `${running.join(', ')}: stop all processes. One that was killed counts for half a minute more`,
      };
}

function nameOf({ topic, partition }: { readonly topic: string; readonly partition: number }): string {
  return `${topic}/${partition}`;
}
