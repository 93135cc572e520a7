import type { Result } from '#domain/workspace/results.ts';
import type { UseCaseResult } from '#use-cases/outcome.ts';
import type { CreatePostInput } from '#schemas/http/post-requests.ts';
import type { CallerAnswer, Workspace } from './caller.ts';
import type { CreateEntry, History, HistoryEntry, SeenAnswer } from './history.ts';
import type { World } from './world.ts';

/** What every entry of the history begins with. */
export interface OpenEntry {
  workspaceId: string;
  invokedAt: number;
  completedAt: number | null;
  seen: SeenAnswer;
  code: string;
}

/** What is asked for with a Post beside what it says; left out: nothing. */
export interface AskedWith {
  readonly idempotencyKey?: string | null;
  /** Names of its files, and ids of those that were uploaded. */
  readonly files?: readonly string[];
  readonly assetIds?: readonly string[];
  /** The Post in whose place it is created. */
  readonly replaces?: string;
  readonly isMove?: boolean;
}

/** Writes down what one client does and sees. */
export class Recorder {
  readonly history: History;
  readonly #world: World;
  readonly #name: string;

  constructor(world: World, history: History, name: string) {
    this.#world = world;
    this.history = history;
    this.#name = name;
  }

  opened({ id }: Pick<Workspace, 'id'>): OpenEntry {
    return { workspaceId: id, invokedAt: this.#world.engine.now, completedAt: null, seen: 'unknown', code: '' };
  }

  openCreate(
    workspace: Workspace,
    { text, channelIds, scheduledAt }: Pick<CreatePostInput, 'text' | 'channelIds' | 'scheduledAt'>,
    { idempotencyKey = null, files = [], assetIds = [], replaces, isMove = false }: AskedWith = {},
  ): CreateEntry {
    return this.history.add({
      kind: 'create',
      ...this.opened(workspace),
      ...{ text, channelIds, scheduledAt: scheduledAt ?? null },
      ...{ idempotencyKey, files, assetIds, replaces: replaces ?? null, isMove },
      credentialId: credentialIdOf(workspace),
      postId: null,
      hidden: null,
    });
  }

  close(entry: HistoryEntry, outcome: CallerAnswer<unknown>): void {
    const { engine, trace } = this.#world;
    entry.completedAt = engine.now;
    entry.code = outcome === null || outcome.ok ? '' : outcome.problem.code;
    entry.seen = outcome === null || entry.code === 'outcome_unknown' ? 'unknown' : outcome.ok ? 'ok' : 'refused';
    trace.add(engine.now, this.#name, `sees ${entry.seen} ${entry.code} of ${JSON.stringify(entry)}`);
  }
}

export function credentialIdOf({ keyId, credential = { kind: 'key', keyId } }: Workspace): string {
  if (credential.kind === 'member') return credential.memberId;
  return credential.kind === 'app' ? credential.approvalId : credential.keyId;
}

export function outcomeOf(result: Result | null): UseCaseResult<Result> | null {
  if (result === null) return null;
  return result.ok
    ? { ok: true, value: result }
    : { ok: false, problem: { code: result.code, message: result.message } };
}
