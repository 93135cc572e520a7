import type { CreatePostInput } from '#schemas/http/post-requests.ts';
import type { EditAction } from './actions.ts';
import type { SimulatedCaller, Workspace } from './caller.ts';
import type { Dice } from './dice.ts';
import type { World } from './world.ts';

/** A Post that a client made, and what it says. */
export interface KnownPost {
  readonly workspace: Workspace;
  readonly postId: string;
  readonly input: CreatePostInput;
}

/** What is created in place of a Post. */
export interface Edit {
  readonly workspace: Workspace;
  readonly replaces: string;
  /** The same Post at another time, which the service itself reads and writes anew. */
  readonly isMove: boolean;
  readonly input: CreatePostInput;
  readonly idempotencyKey: string | null;
}

export interface EditDeedsOptions {
  readonly world: World;
  readonly caller: SimulatedCaller;
  /** Those of this client, the newest last. */
  readonly posts: readonly KnownPost[];
  readonly compose: (workspace: Workspace, scheduledAt: number) => CreatePostInput;
  readonly soon: () => number;
  readonly create: (edit: Edit) => Promise<void>;
}

const KEYED_SHARE = 0.5;
/** Replaced when due, a Post is this near to its moment: clocks differ by seconds. */
const AROUND_DUE_MS = 3_000;
const MAX_WAIT_MS = 150_000;
const TOO_LONG = 'far too long '.repeat(60);

/** How one client replaces the scheduled Posts that it made. */
export class EditDeeds {
  readonly #options: EditDeedsOptions;
  #keys = 0;

  constructor(options: EditDeedsOptions) {
    this.#options = options;
  }

  async do(deed: EditAction, dice: Dice): Promise<void> {
    const { world, caller, posts, create } = this.#options;
    const { engine } = world;
    // A file belongs to one Post: who names none in the successor, leaves them to the one that is cancelled.
    const waiting = posts.filter(({ input }) => (input.scheduledAt ?? 0) > engine.now && input.media.length === 0);
    if (waiting.length === 0) return;
    const post = dice.pick(waiting);
    const dueAt = post.input.scheduledAt!;
    if (deed.endsWith('when due') && dueAt < engine.now + MAX_WAIT_MS)
      await caller.pause(dueAt - engine.now + dice.between(-AROUND_DUE_MS, AROUND_DUE_MS));
    if (deed === 'replace twice at once') {
      const edits = [this.#edit(deed, post, dice), this.#edit('move', post, dice)];
      const laterMs = dice.random() * 2_000;
      await Promise.all([create(edits[0]!), caller.pause(laterMs).then(() => create(edits[1]!))]);
      return;
    }
    return create(this.#edit(deed, post, dice));
  }

  #edit(deed: EditAction, { workspace, postId, input }: KnownPost, dice: Dice): Edit {
    const { compose, soon } = this.#options;
    const isMove = deed === 'move' || deed === 'move when due';
    const scheduledAt = soon();
    const successor = isMove ? { ...input, scheduledAt } : compose(workspace, scheduledAt);
    const idempotencyKey = dice.chance(KEYED_SHARE) ? `edit ${postId} ${++this.#keys}` : null;
    const refused = { channelIds: [workspace.channels.threads], channelOptions: {}, text: `${input.text} ${TOO_LONG}` };
    return {
      ...{ workspace, replaces: postId, isMove, idempotencyKey },
      input: deed === 'replace by what is refused' ? { ...successor, ...refused } : successor,
    };
  }
}
