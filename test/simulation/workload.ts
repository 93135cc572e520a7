import type { Post } from '#domain/post/post.ts';
import type { CreatePostInput } from '#schemas/http/post-requests.ts';
import { listPosts } from '#tables/repositories/post-list.ts';
import { readPost } from '#tables/repositories/posts.ts';
import { readHead } from '#tables/repositories/workspaces.ts';
import { drawAction, isEdit, isOfFiles, isOfWebhooks, type Action, type ActionShares } from './actions.ts';
import { allPosts, everyVariant, type VariantOf } from './aftermath.ts';
import type { CreatedPost } from '#use-cases/create-post.ts';
import { SimulatedCaller, type CallerAnswer, type Draft, type Workspace } from './caller.ts';
import { drawCredentialLife } from './credential-life.ts';
import type { Dice } from './dice.ts';
import { connect } from './found-workspaces.ts';
import type {
  CancelEntry,
  CreateEntry,
  History,
  OperatorEntry,
  RepeatedEntry,
  RetryEntry,
  SeenAnswer,
} from './history.ts';
import { fillWithKeys } from './key-deeds.ts';
import { retryParked } from './operator.ts';
import { credentialIdOf, outcomeOf, Recorder } from './recorder.ts';
import { BulkDeeds } from './bulk-deeds.ts';
import { EditDeeds, type KnownPost } from './edit-deeds.ts';
import { FileDeeds } from './file-deeds.ts';
import { WebhookDeeds } from './webhook-deeds.ts';
import type { World } from './world.ts';

const BETWEEN_ACTIONS_MS = 10_000;
/** Half of the scheduled Posts are due during the faults, half further ahead than timers travel through their topic. */
const SOON_MS = 150_000;
const LATER_MS = 9 * 60_000;
const MAX_RESENDS = 3;
const WEEK_MS = 7 * 86_400_000;
const MAX_WEEKS_AHEAD = 6;
const MANY = 5;
/** More than a turn takes, and than timers that are due together are one message. */
const VERY_MANY = 110;
const VERY_MANY_SHARE = 0.04;
const COMMENTED_SHARE = 0.12;
const MAX_ENDINGS = 20;
const LISTED_AT_ONCE = 12;
const LIFE_OF_A_COMMAND_MS = 75_000;

interface SentPost {
  readonly workspace: Workspace;
  readonly input: CreatePostInput;
  readonly idempotencyKey: string | null;
  /** Names of its files, and ids of those that were uploaded. */
  readonly files?: readonly string[];
  readonly assetIds?: readonly string[];
  /** The Post in whose place it is created; left out: none. */
  readonly replaces?: string;
  readonly isMove?: boolean;
}

/** One client, doing one thing after the other; several run side by side. */
export class Client {
  readonly #world: World;
  readonly #recorder: Recorder;
  readonly #caller: SimulatedCaller;
  readonly #webhooks: WebhookDeeds;
  readonly #files: FileDeeds;
  readonly #edits: EditDeeds;
  readonly #bulks: BulkDeeds;
  readonly #name: string;
  readonly #workspaces: readonly Workspace[];
  readonly #posts: KnownPost[] = [];
  /** Those that have Posts weeks ahead. */
  readonly #far = new Set<Workspace>();
  #last: SentPost | null = null;
  /** Of the deed that is being done. */
  #dice: Dice;
  #texts = 0;

  constructor(world: World, history: History, name: string, workspaces: readonly Workspace[]) {
    this.#world = world;
    this.#recorder = new Recorder(world, history, name);
    this.#caller = new SimulatedCaller(world);
    this.#webhooks = new WebhookDeeds({ world, recorder: this.#recorder, caller: this.#caller });
    this.#files = new FileDeeds({
      ...{ world, recorder: this.#recorder, caller: this.#caller },
      create: (workspace, { media, files, assetIds, isLater }) =>
        this.#create({
          ...{ workspace, idempotencyKey: null, files, assetIds },
          input: { ...this.#input(workspace, isLater ? this.#soon() : null), media: [...media] },
        }),
    });
    this.#edits = new EditDeeds({
      ...{ world, caller: this.#caller, posts: this.#posts, soon: () => this.#soon() },
      compose: (workspace, scheduledAt) => this.#input(workspace, scheduledAt),
      create: (edit) => this.#create(edit),
    });
    this.#bulks = new BulkDeeds({
      ...{ recorder: this.#recorder, caller: this.#caller, soon: () => this.#soon() },
      compose: (workspace, scheduledAt) => this.#input(workspace, scheduledAt),
      onCreated: (created, workspace, input) => this.#created(created, workspace, input),
    });
    this.#name = name;
    this.#workspaces = workspaces;
    this.#dice = world.engine.diceOf(name);
  }

  /** `actions` left out: all that clients do. */
  async run(deeds: number, actions?: ActionShares): Promise<void> {
    const { engine, parts, script } = this.#world;
    for (let count = 1; count <= deeds; count++) {
      this.#dice = engine.diceOf(`${this.#name} ${count}`);
      await this.#caller.pause(this.#dice.random() * 2 * BETWEEN_ACTIONS_MS);
      const deed =
        actions === undefined
          ? drawAction(this.#dice, engine.diceOf(`${this.#name} ${count} further`), parts)
          : this.#dice.choose(actions);
      const workspace = this.#dice.pick(this.#workspaces);
      if (script.step(`${this.#name}/${count}`, deed)) await this.#do(deed, workspace);
    }
  }

  async #do(deed: Action, workspace: Workspace): Promise<void> {
    const { engine, trace } = this.#world;
    trace.add(engine.now, this.#name, deed);
    if (isOfFiles(deed)) return this.#files.do(deed, workspace, this.#dice);
    if (isEdit(deed)) return this.#edits.do(deed, this.#dice);
    if (isOfWebhooks(deed)) return this.#webhooks.do(deed, workspace, this.#dice);
    switch (deed) {
      case 'create now':
        return this.#create({ workspace, input: this.#input(workspace, null), idempotencyKey: null });
      case 'create later':
        return this.#create({ workspace, input: this.#input(workspace, this.#soon()), idempotencyKey: null });
      case 'create the last again':
        return this.#last === null ? undefined : this.#create(this.#last);
      case 'create under one key': {
        const sent = {
          workspace,
          input: this.#input(workspace, null),
          idempotencyKey: `key ${this.#name} ${this.#texts}`,
        };
        await Promise.all([this.#create(sent), this.#create(sent)]);
        return this.#create({ ...sent, input: { ...sent.input, text: `${sent.input.text} changed` } });
      }
      case 'send one command twice':
        return this.#sendTwice(workspace);
      case 'create what is refused':
        return this.#create({
          workspace,
          input: { ...this.#input(workspace, null), ...this.#refused(workspace) },
          idempotencyKey: null,
        });
      case 'cancel':
      case 'cancel when due':
        return this.#cancel(deed === 'cancel when due');
      case 'retry':
        return this.#retryOne(workspace);
      case 'reconnect what is lost':
        return this.#reconnect(workspace);
      case 'disconnect and reconnect': {
        const channelId = workspace.channels[this.#dice.pick(['x', 'threads'] as const)];
        await this.#operator(workspace, 'disconnect', {
          type: 'DisconnectChannel',
          workspaceId: workspace.id,
          channelId,
          memberId: null,
        });
        await this.#caller.pause(this.#dice.random() * 40_000);
        return this.#reconnect(workspace);
      }
      case 'change the plan': {
        const effectiveAt = this.#dice.chance(0.5) ? null : engine.now + this.#dice.between(5_000, 90_000);
        await this.#operator(workspace, 'downgrade', {
          type: 'SetPlan',
          workspaceId: workspace.id,
          plan: 'free',
          effectiveAt,
        });
        await this.#caller.pause(this.#dice.random() * 120_000);
        await this.#operator(workspace, 'upgrade', {
          type: 'SetPlan',
          workspaceId: workspace.id,
          plan: 'pro',
          effectiveAt: null,
        });
        return this.#reconnect(workspace);
      }
      case 'buy credits':
        return this.#buyCredits(workspace);
      case 'create far ahead': {
        const inDays = engine.now + this.#dice.between(WEEK_MS, MAX_WEEKS_AHEAD * WEEK_MS);
        this.#far.add(workspace);
        return this.#create({ workspace, input: this.#input(workspace, inDays), idempotencyKey: null });
      }
      case 'create many at once':
        return this.#createMany(workspace);
      case 'create in bulk':
        return this.#bulks.do(workspace, this.#dice);
      case 'end a credential':
        return this.#endCredential(workspace);
      case 'fill with keys':
        return fillWithKeys(
          { world: this.#world, recorder: this.#recorder, caller: this.#caller },
          workspace,
          this.#dice,
        );
    }
  }

  /** All of one instant, each by a request of its own. */
  async #createMany(workspace: Workspace): Promise<void> {
    const areMore = this.#dice.chance(VERY_MANY_SHARE);
    const [count, dueAt] = [areMore ? VERY_MANY : MANY, this.#soon()];
    await Promise.all(
      Array.from({ length: count }, () => {
        const input = {
          ...this.#input(workspace, dueAt),
          channelIds: [workspace.channels.threads],
          channelOptions: {},
        };
        return this.#create({ workspace, input, idempotencyKey: null });
      }),
    );
  }

  /** A Member's key, or the app that they approved, makes a Post, is ended, and tries again. */
  async #endCredential(workspace: Workspace): Promise<void> {
    const { credential, begin, end } = drawCredentialLife(this.#world, this.#dice, workspace);
    for (const draft of begin) if ((await this.#caller.tell(draft))?.ok !== true) return;
    const theirs = { ...workspace, credential };
    const credentialId = credentialIdOf(theirs);
    if (this.#world.parts.includes('webhooks')) await this.#webhooks.register(theirs, this.#dice);
    await this.#create({ workspace: theirs, input: this.#input(workspace, this.#soon()), idempotencyKey: null });
    const entry = this.#recorder.history.add({ kind: 'ended', ...this.#recorder.opened(workspace), credentialId });
    this.#recorder.close(entry, outcomeOf(await this.#caller.tell(end)));
    this.#last = null;
    await this.#create({ workspace: theirs, input: this.#input(workspace, null), idempotencyKey: null });
    this.#last = null;
  }

  /** In calm, before anything else: each Workspace has a receiver or two from the start. */
  async registerFirst(): Promise<void> {
    for (const workspace of this.#workspaces)
      for (let count = this.#dice.between(1, 3); count > 0; count--)
        await this.#webhooks.register(workspace, this.#dice);
  }

  /** In calm: a Disconnect ends what is weeks away, and the Channels are connected again. */
  async endFar(): Promise<void> {
    // A create of unknown outcome may still be carried out within its life.
    if (this.#far.size > 0) await this.#caller.pause(LIFE_OF_A_COMMAND_MS);
    for (const workspace of this.#far) {
      for (const channelId of Object.values(workspace.channels)) {
        const draft = { type: 'DisconnectChannel', workspaceId: workspace.id, channelId, memberId: null } as const;
        for (let tries = 0; tries < MAX_ENDINGS; tries++) {
          // A command of a parked key waits for the operator, longer than it is good for.
          await retryParked(this.#world);
          if ((await this.#operator(workspace, 'disconnect', draft)) !== 'unknown') break;
          await this.#caller.pause(5_000);
        }
      }
      await this.#reconnect(workspace);
    }
  }

  #input(workspace: Workspace, scheduledAt: number | null): CreatePostInput {
    const { x, threads } = workspace.channels;
    const channelIds = this.#dice.pick([[x], [threads], [x, threads], [threads, x]]);
    this.#texts++;
    return {
      text: `Word ${this.#texts} of ${this.#name}`,
      channelIds,
      media: [],
      channelOptions: this.#dice.chance(COMMENTED_SHARE) ? { [channelIds[0]!]: { firstComment: 'And first' } } : {},
      ...(scheduledAt !== null && { scheduledAt }),
    };
  }

  #soon(): number {
    const { engine } = this.#world;
    return engine.now + this.#dice.between(65_000, this.#dice.chance(0.5) ? SOON_MS : LATER_MS);
  }

  #refused(workspace: Workspace): Partial<CreatePostInput> {
    const { engine } = this.#world;
    return this.#dice.pick<Partial<CreatePostInput>>([
      { scheduledAt: engine.now + 1_000 },
      { channelIds: [workspace.keyId] },
      { channelIds: [workspace.channels.threads], text: `${this.#name} ${'far too long '.repeat(60)}` },
    ]);
  }

  /** Like a careful client: sends the request again while its outcome is unknown. */
  async #create(sent: SentPost): Promise<void> {
    this.#last = sent;
    for (let count = 0; count < MAX_RESENDS; count++) {
      const entry = this.#recorder.openCreate(sent.workspace, sent.input, sent);
      const outcome = await this.#send(sent);
      this.#recorder.close(entry, outcome);
      if (outcome?.ok) {
        entry.postId = outcome.value.post.id;
        await this.#created(entry, sent.workspace, sent.input);
      }
      if (entry.seen !== 'unknown' || this.#dice.chance(0.2)) return;
      await this.#caller.pause(this.#dice.random() * 8_000);
    }
  }

  async #created(entry: CreateEntry, workspace: Workspace, input: CreatePostInput): Promise<void> {
    await this.#look(entry, () => true);
    this.#posts.push({ workspace, postId: entry.postId!, input });
  }

  #send({ workspace, input, idempotencyKey, replaces, isMove }: SentPost): Promise<CallerAnswer<CreatedPost>> {
    if (replaces === undefined) return this.#caller.create(workspace, input, idempotencyKey);
    return isMove === true
      ? this.#caller.move(workspace, replaces, { scheduledAt: input.scheduledAt!, idempotencyKey })
      : this.#caller.replace(workspace, replaces, { post: input, idempotencyKey });
  }

  /** The same command from two replicas, as when one gave up on an append that was stored. */
  async #sendTwice(workspace: Workspace): Promise<void> {
    const input = this.#input(workspace, this.#dice.chance(0.5) ? null : this.#soon());
    const command = this.#caller.createCommand(workspace, input);
    if (command === null) return;
    const created = this.#recorder.openCreate(workspace, input);
    const entry: RepeatedEntry = {
      kind: 'repeated',
      ...this.#recorder.opened(workspace),
      requestId: command.requestId,
      results: [],
    };
    this.#recorder.history.add(entry);
    const send = async (afterMs: number): Promise<void> => {
      await this.#caller.pause(afterMs);
      const result = await this.#caller.send(command);
      if (result !== null) entry.results.push(result);
    };
    await Promise.all([send(0), send(this.#dice.random() * 4_000), send(this.#dice.random() * 50_000)]);
    const definite = entry.results.find((result) => result.ok || result.code !== 'outcome_unknown') ?? null;
    this.#recorder.close(created, outcomeOf(definite));
    this.#recorder.close(entry, outcomeOf(definite));
    if (definite?.ok && definite.kind === 'post') {
      created.postId = definite.postId;
      await this.#created(created, workspace, input);
    }
  }

  async #cancel(whenDue: boolean): Promise<void> {
    const { engine } = this.#world;
    const known = this.#posts.filter(({ input }) => (input.scheduledAt ?? 0) > engine.now);
    if (known.length === 0) return;
    const { workspace, postId, input } = this.#dice.pick(known);
    const dueAt = input.scheduledAt!;
    if (whenDue && dueAt < engine.now + SOON_MS)
      await this.#caller.pause(dueAt - engine.now + this.#dice.between(-3_000, 3_000));
    const entry = this.#recorder.history.add({
      kind: 'cancel',
      ...this.#recorder.opened(workspace),
      postId,
      hidden: null,
    });
    this.#recorder.close(entry, await this.#caller.cancel(workspace, postId));
    await this.#look(entry, ({ variants }) => variants.some(({ status }) => status === 'cancelled'));
  }

  /** A Member looks for failed Variants, reconnects lost Channels, and retries the Variants. */
  async retryAll(): Promise<void> {
    this.#dice = this.#world.engine.diceOf(`${this.#name} retries`);
    if (!this.#world.script.step(`${this.#name}/retries`, 'retry all')) return;
    for (const workspace of this.#workspaces) {
      const failed = await this.#failedIn(workspace);
      if (failed.length === 0) continue;
      await this.#reconnect(workspace);
      await Promise.all(failed.map((each) => this.#retry(workspace, each)));
    }
  }

  async #retryOne(workspace: Workspace): Promise<void> {
    const failed = await this.#failedIn(workspace);
    if (failed.length > 0) await this.#retry(workspace, this.#dice.pick(failed));
  }

  async #retry(workspace: Workspace, { post, variant }: VariantOf): Promise<void> {
    await this.#caller.pause(this.#dice.random() * 5_000);
    const entry = this.#recorder.history.add({
      kind: 'retry',
      ...this.#recorder.opened(workspace),
      postId: post.id,
      variantId: variant.id,
      hidden: null,
    });
    this.#recorder.close(entry, await this.#caller.retry(workspace, variant.id));
    const again = variant.attempt + 1;
    await this.#look(entry, ({ variants }) =>
      variants.some(({ id, attempt }) => id === variant.id && attempt >= again),
    );
  }

  async #failedIn({ id }: Workspace): Promise<readonly VariantOf[]> {
    const posts = new Map([[id, await allPosts(this.#world, id)]]);
    return everyVariant({ posts }).filter(({ variant }) => variant.status === 'failed');
  }

  async #reconnect(workspace: Workspace): Promise<void> {
    const ingress = this.#world.up('ingress')[0];
    if (ingress === undefined) return;
    for (const network of ['x', 'threads'] as const) {
      await connect(
        this.#world,
        ingress,
        this.#caller,
        workspace.id,
        network,
        workspace.channels[network],
        workspace.accounts[network],
      );
    }
  }

  async #operator(workspace: Workspace, what: string, draft: Draft): Promise<SeenAnswer> {
    const channelId = 'channelId' in draft ? draft.channelId : null;
    const entry = this.#recorder.history.add({
      kind: 'operator',
      ...this.#recorder.opened(workspace),
      what,
      channelId,
      planned: draft.type === 'SetPlan' ? { plan: draft.plan, effectiveAt: draft.effectiveAt } : null,
      shown: null as OperatorEntry['shown'],
    });
    this.#recorder.close(entry, outcomeOf(await this.#caller.tell(draft)));
    if (entry.seen === 'ok' && entry.planned !== null)
      entry.shown = (await readHead(this.#world.truth, workspace.id))?.state ?? null;
    return entry.seen;
  }

  async #buyCredits(workspace: Workspace): Promise<void> {
    const credits = this.#dice.between(1, 6);
    const entry = this.#recorder.history.add({ kind: 'credits', ...this.#recorder.opened(workspace), credits });
    this.#recorder.close(
      entry,
      outcomeOf(await this.#caller.tell({ type: 'AddCredits', workspaceId: workspace.id, credits })),
    );
  }

  /** Reads what was answered, at the moment of the answer. */
  async #look(entry: CreateEntry | CancelEntry | RetryEntry, isThere: (post: Post) => boolean): Promise<void> {
    if (entry.seen !== 'ok' || entry.postId === null) return;
    const post = await readPost(this.#world.truth, entry.workspaceId, entry.postId);
    if (entry.kind === 'create' && entry.replaces !== null && entry.replaces !== entry.postId) {
      const former = await readPost(this.#world.truth, entry.workspaceId, entry.replaces);
      if (former?.variants.some(({ status }) => status !== 'cancelled')) entry.hidden = 'the Post that it replaced';
    }
    if (post === null || !isThere(post)) entry.hidden = post === null ? 'no Post' : 'the Post as it was before';
    else if (entry.kind === 'create' && !(await this.#isListed(entry))) entry.hidden = 'a list without it';
  }

  /** True also where so many newer ones are there that the page ends before it. */
  async #isListed({ workspaceId, postId }: CreateEntry): Promise<boolean> {
    const { posts, more } = await listPosts(this.#world.truth, workspaceId, {
      ...{ from: null, to: null, limit: LISTED_AT_ONCE, before: null },
    });
    return posts.some(({ id }) => id === postId) || (more && posts.every(({ id }) => id > postId!));
  }
}
