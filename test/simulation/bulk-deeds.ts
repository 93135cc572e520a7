import type { BulkItem } from '#use-cases/create-posts-in-bulk.ts';
import type { BulkPostInput, CreatePostInput } from '#schemas/http/post-requests.ts';
import type { SimulatedCaller, Workspace } from './caller.ts';
import type { Dice } from './dice.ts';
import type { BulkEntry, BulkRow, CreateEntry } from './history.ts';
import type { Recorder } from './recorder.ts';

export interface BulkDeedsOptions {
  readonly recorder: Recorder;
  readonly caller: SimulatedCaller;
  /** `scheduledAt` null: at once. */
  readonly compose: (workspace: Workspace, scheduledAt: number | null) => CreatePostInput;
  readonly soon: () => number;
  /** A row was answered with a Post. */
  readonly onCreated: (created: CreateEntry, workspace: Workspace, input: CreatePostInput) => Promise<void>;
}

/** Few, so that worlds stay quick; now and then more than the effects of one turn may take. */
const ROWS = { least: 2, most: 7 } as const;
const MANY_ROWS = 40;
const MANY_SHARE = 0.05;
const KEYED_SHARE = 0.5;
const DRY_SHARE = 0.15;
const MALFORMED_SHARE = 0.1;
const REFUSED_SHARE = 0.05;
const TWICE_SHARE = 0.1;
const ONE_INSTANT_SHARE = 0.6;
const NOW_SHARE = 0.15;
const SENT_AGAIN_SHARE = 0.4;
const MAX_SENDS = 3;
const MAX_PAUSE_MS = 8_000;

/** How one client creates many Posts by one request. */
export class BulkDeeds {
  readonly #options: BulkDeedsOptions;
  #keys = 0;

  constructor(options: BulkDeedsOptions) {
    this.#options = options;
  }

  /** Sent again while any row's outcome is unknown, and sometimes though all are known. */
  async do(workspace: Workspace, dice: Dice): Promise<void> {
    const rows = this.#draw(workspace, dice);
    const isDry = dice.chance(DRY_SHARE);
    for (let sends = 0; sends < MAX_SENDS; sends++) {
      const isKnown = await this.#send(workspace, rows, isDry);
      if (isDry || (isKnown && !dice.chance(SENT_AGAIN_SHARE))) return;
      await this.#options.caller.pause(dice.random() * MAX_PAUSE_MS);
    }
  }

  #draw(workspace: Workspace, dice: Dice): readonly BulkRow[] {
    const { compose, soon } = this.#options;
    const isKeyed = dice.chance(KEYED_SHARE);
    const [common, isOneInstant] = [soon(), dice.chance(ONE_INSTANT_SHARE)];
    const count = dice.chance(MANY_SHARE) ? MANY_ROWS : dice.between(ROWS.least, ROWS.most + 1);
    const rows: BulkRow[] = [];
    for (let number = 1; number <= count; number++) {
      const before = rows.at(-1);
      if (before !== undefined && dice.chance(TWICE_SHARE)) {
        rows.push(before);
        continue;
      }
      const input = compose(workspace, isOneInstant ? common : dice.chance(NOW_SHARE) ? null : soon());
      const key = isKeyed ? { idempotencyKey: `bulk-${workspace.id}-${input.text}-${++this.#keys}` } : {};
      const post: BulkPostInput = dice.chance(REFUSED_SHARE)
        ? { ...input, ...key, channelIds: [workspace.keyId], channelOptions: {} }
        : { ...input, ...key };
      rows.push({ post, isMalformed: dice.chance(MALFORMED_SHARE) });
    }
    return rows;
  }

  /** Whether the outcome of each row is known. */
  async #send(workspace: Workspace, rows: readonly BulkRow[], isDry: boolean): Promise<boolean> {
    const { recorder, caller, onCreated } = this.#options;
    const entry = recorder.history.add<BulkEntry>({
      ...{ kind: 'bulk', ...recorder.opened(workspace), rows, isDry, items: null },
    });
    const opened = isDry
      ? []
      : rows.map(({ post }) => recorder.openCreate(workspace, post, { idempotencyKey: post.idempotencyKey ?? null }));
    const outcome = await caller.createInBulk(workspace, rows.map(bodyOf), isDry);
    if (outcome?.ok) entry.items = outcome.value;
    recorder.close(entry, outcome);
    for (const [index, create] of opened.entries()) {
      const item = outcome?.ok ? outcome.value[index] : undefined;
      create.postId = item !== undefined && 'post' in item ? (item.post?.id ?? null) : null;
      // A bulk that was refused as a whole came to nothing in any of its rows.
      recorder.close(create, item === undefined ? outcome : outcomeOfItem(item));
    }
    for (const [index, create] of opened.entries())
      if (create.postId !== null) await onCreated(create, workspace, rows[index]!.post);
    return opened.every(({ seen }) => seen !== 'unknown');
  }
}

/** As it is sent: a malformed one has a field that nobody knows. */
function bodyOf({ post, isMalformed }: BulkRow): unknown {
  const { scheduledAt, ...rest } = post;
  const sent = { ...rest, ...(scheduledAt !== undefined && { scheduledAt: new Date(scheduledAt).toISOString() }) };
  return isMalformed ? { ...sent, unknown: true } : sent;
}

function outcomeOfItem(item: BulkItem): Parameters<Recorder['close']>[1] {
  return 'error' in item ? { ok: false, problem: item.error } : { ok: true, value: item.post };
}
