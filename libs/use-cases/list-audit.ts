import type { AuditAction, AuditActor, AuditDetail, AuditEntry, AuditSubject } from '#domain/workspace/audit.ts';
import { lackOfOwnership } from '#domain/workspace/member-rights.ts';
import type { Origin } from '#domain/workspace/request-envelope.ts';
import type { WorkspaceState } from '#domain/workspace/state.ts';
import { isoOf } from '#domain/post/render.ts';
import type { AuditListFilter, AuditPage, AuditPosition } from '#tables/repositories/audit.ts';
import type { Clock } from '#ports/clock.ts';
import type { ApiCall } from './caller.ts';
import type { WorkspaceReader } from './dependencies.ts';
import { done, failed, settled, type UseCaseResult } from './outcome.ts';
import { createSignedCursors } from './signed-cursors.ts';

export interface ListAuditInput {
  readonly limit?: number | undefined;
  /** The `nextCursor` of the page before, of the same Workspace. */
  readonly cursor?: string | undefined;
  /** Only entries in [from, to). Unix ms. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Only these; absent: all. */
  readonly actions?: readonly AuditAction[] | undefined;
  /** Only what this Member did, in person or by a key or an app; the name that they had then. */
  readonly memberName?: string | undefined;
}

/** An entry as it is shown. Times are ISO 8601, UTC, with milliseconds. */
export interface AuditEntryBody {
  readonly id: string;
  readonly at: string;
  readonly action: AuditEntry['action'];
  readonly actor: AuditActor;
  readonly origin: Origin | null;
  /** A Channel has the name that it has now. */
  readonly subject: AuditSubject;
  readonly detail: AuditDetailBody;
}

export interface AuditDetailBody extends Omit<AuditDetail, 'scheduledAt' | 'effectiveAt' | 'disconnected'> {
  /** Null: at once. */
  readonly scheduledAt?: string | null;
  readonly effectiveAt?: string;
  /** Channels that a Downgrade disconnected, the first of them, by their names. */
  readonly disconnected?: readonly string[];
}

export interface AuditEntriesPage {
  /** Fewer than asked for, or none, also where there are more: of a filter that little passes. */
  readonly entries: readonly AuditEntryBody[];
  readonly nextCursor: string | null;
}

/** Of a Workspace, newest first. Rejects with `PortError`. */
export type AuditReader = (workspaceId: string, filter: AuditListFilter) => Promise<AuditPage>;

export interface AuditCursors {
  seal(place: AuditPosition, workspaceId: string): string;
  /** Null for a cursor that is malformed, or of another Workspace or installation. */
  open(cursor: string, workspaceId: string): AuditPosition | null;
}

export interface ListAuditOptions {
  readonly workspaces: Pick<WorkspaceReader, 'state'>;
  readonly audit: AuditReader;
  readonly auditCursors: AuditCursors;
  readonly clock: Pick<Clock, 'now'>;
}

const DEFAULT_PAGE_ENTRIES = 50;
export const MAX_PAGE_ENTRIES = 200;
/** A bound on what one request reads where few entries pass its filter. */
const MAX_LOOKED_AT = 2_000;

const PLACE = /^(\d{1,16}) ([\w-]{1,64})$/;

/** Cursors of the audit, signed under a key derived from the installation's `secret`; earlier ones open theirs. */
export function createAuditCursors(secret: string, previousSecrets: readonly string[] = []): AuditCursors {
  const signed = createSignedCursors(secret, 'crier audit cursors', previousSecrets);
  return {
    seal: ({ at, id }, workspaceId) => signed.seal(Buffer.from(`${at} ${id}`), [workspaceId]),
    open(cursor, workspaceId) {
      const place = signed.open(cursor, [workspaceId]);
      const [, at, id] = PLACE.exec(Buffer.from(place ?? []).toString('utf8')) ?? [];
      return at === undefined || id === undefined ? null : { at: Number(at), id };
    },
  };
}

/** A page of the Workspace's audit, newest first, for its owners. */
export function listAudit(
  call: Pick<ApiCall, 'workspaceId' | 'credential'>,
  input: ListAuditInput,
  options: ListAuditOptions,
): Promise<UseCaseResult<AuditEntriesPage>> {
  return settled('read', async () => {
    const { workspaces, auditCursors } = options;
    const { workspaceId, credential } = call;
    const { cursor, to } = input;
    const state = await workspaces.state(workspaceId);
    if (state === null) return failed('not_found', 'There is no such Workspace.');
    const lack = lackOfOwnership(state, credential);
    if (lack !== null) return { ok: false, problem: lack };
    const place = cursor === undefined ? null : auditCursors.open(cursor, workspaceId);
    if (cursor !== undefined && place === null)
      return failed('invalid_request', 'cursor is not one that this list gave.');
    // No id is less than the empty one: of the instant `to` itself nothing follows.
    const before = place ?? (to === undefined ? null : { at: to, id: '' });
    const { entries, next } = await passing(workspaceId, before, input, options);
    const nextCursor = next === null ? null : auditCursors.seal(next, workspaceId);
    return done({ entries: entries.map((entry) => shown(entry, state)), nextCursor });
  });
}

/** Entries that pass the filter, and where the next page goes on; null: there is nothing more. */
async function passing(
  workspaceId: string,
  before: AuditPosition | null,
  { limit = DEFAULT_PAGE_ENTRIES, from = 0, actions, memberName }: ListAuditInput,
  { audit, clock }: ListAuditOptions,
): Promise<{ readonly entries: readonly AuditEntry[]; readonly next: AuditPosition | null }> {
  const wanted = Math.max(1, Math.min(limit, MAX_PAGE_ENTRIES));
  const entries: AuditEntry[] = [];
  let place = before;
  for (let looked = 0; looked < MAX_LOOKED_AT && entries.length < wanted; looked += wanted) {
    const page = await audit(workspaceId, { before: place, limit: wanted, now: clock.now() });
    for (const entry of page.entries) {
      if (entry.at < from) return { entries, next: null };
      place = { at: entry.at, id: entry.id };
      if (actions !== undefined && !actions.includes(entry.action)) continue;
      if (memberName !== undefined && entry.actor.memberName !== memberName) continue;
      entries.push(entry);
      if (entries.length === wanted) break;
    }
    const isLastLookedAt = page.entries.length === 0 || page.entries.at(-1)!.id === place!.id;
    if (isLastLookedAt && !page.more) return { entries, next: null };
  }
  return { entries, next: place };
}

function shown({ at, subject, detail, ...entry }: AuditEntry, { channels }: WorkspaceState): AuditEntryBody {
  const nameOf = (channelId: string): string => channels[channelId]?.name ?? '';
  const { scheduledAt, effectiveAt, disconnected, ...others } = detail;
  return {
    ...entry,
    at: isoOf(at),
    subject: subject.kind === 'channel' ? { ...subject, name: nameOf(subject.id) } : subject,
    detail: {
      ...others,
      ...(scheduledAt !== undefined && { scheduledAt: scheduledAt === null ? null : isoOf(scheduledAt) }),
      ...(effectiveAt !== undefined && { effectiveAt: isoOf(effectiveAt) }),
      ...(disconnected !== undefined && { disconnected: disconnected.map(nameOf) }),
    },
  };
}
