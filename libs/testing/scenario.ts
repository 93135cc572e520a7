import assert from 'node:assert/strict';
import type { Network } from '#domain/network.ts';
import { assetsOfPost } from '#domain/post/covers.ts';
import { digestOf } from '#domain/post/digest.ts';
import { weekOf } from '#domain/calendar.ts';
import { variantIdOf, variantNumberOf } from '#domain/post/ids.ts';
import { newPostId } from '#domain/post/workspace-hash.ts';
import type { Asset } from '#domain/media/asset.ts';
import type { Post, Variant } from '#domain/post/post.ts';
import type { RequestedCommand, Command, CreatePost, DuePost, PublishFailed } from '#domain/workspace/commands.ts';
import type { AuditEntry } from '#domain/workspace/audit.ts';
import { decide } from '#domain/workspace/decide.ts';
import type { Effect } from '#domain/workspace/effects.ts';
import { loadsOf, type Loads, type LoadedView } from '#domain/workspace/loads.ts';
import type { Refusal, Result } from '#domain/workspace/results.ts';
import { PERMISSIONS, type Permission, type MemberRole, type WorkspaceState } from '#domain/workspace/state.ts';
import type { Decision } from '#domain/workspace/decision.ts';
import type { Rules } from '#domain/workspace/rules.ts';
import type { NetworkLimits } from '#domain/network-limits.ts';
import type { HeldPeriod } from '#domain/publishing-holds.ts';
import type { Restoration } from '#domain/restoration.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const START = Date.UTC(2026, 10, 20, 12);

/** A Network's limit that refuses any text with `bad` in it. */
const limitsOf = (network: Network): NetworkLimits => ({
  network,
  judge: ({ text }) =>
    text.includes('bad') ? [{ code: 'problem', part: 'text', message: `${network} does not take this text.` }] : [],
});

export const RULES: Rules = {
  earliestScheduleMs: 15 * MINUTE,
  latestScheduleMs: 2 * 366 * DAY,
  duplicateWindowMs: 10 * MINUTE,
  missedWindowMs: HOUR,
  idempotencyKeyMs: DAY,
  mediaUrl: ({ blob }) => `https://media.test/${blob}`,
  uploadWindowMs: 15 * MINUTE,
  unusedUploadMs: 7 * DAY,
  filesKeptMs: 90 * DAY,
  postsKeptMs: 400 * DAY,
  limits: {
    x: limitsOf('x'),
    threads: limitsOf('threads'),
    facebook: limitsOf('facebook'),
    youtube: limitsOf('youtube'),
  },
};

type Omitting<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
type Envelope = 'workspaceId' | 'requestId' | 'issuedAt' | 'notAfter' | 'replyTo' | 'credential' | 'origin';
/** A command without the fields that the scenario adds; any of them can be set. */
export type Asking = Omitting<RequestedCommand, Envelope> &
  Partial<Pick<RequestedCommand, Exclude<Envelope, 'workspaceId'>>>;

/**
 * One Workspace in memory, with everything that `decide` needs and causes. It gives each command exactly what `loadsOf`
 * names, keeps Posts, digests and keys, and holds timers and the Workspace's messages to itself until the test delivers
 * them.
 */
export class Scenario {
  now = START;
  state: WorkspaceState | null = null;
  readonly posts = new Map<string, Post>();
  readonly assets = new Map<string, Asset>();
  readonly digests = new Map<string, { postId: string; createdAt: number }>();
  readonly idempotencyKeys = new Map<string, { postId: string; digest: string; createdAt: number }>();
  /** Values of keys that belong to other Workspaces, by their hash; any other value belongs to this one. */
  readonly tokenOwners = new Map<string, string>();
  /** Every effect so far but entries of the audit. */
  readonly effects: Effect[] = [];
  /** Every entry of the audit so far. */
  readonly audit: AuditEntry[] = [];
  /** Messages of the Workspace to itself that were not delivered yet. */
  readonly own: Command[] = [];
  readonly timers: { readonly at: number; readonly command: Command }[] = [];
  /** Of the installation. */
  holds: readonly HeldPeriod[] = [];
  /** Of the installation. */
  restoration: Restoration | null = null;
  readonly id: string;
  /** Called with every command, before it is decided. */
  readonly #onCommand: (command: Command) => void;
  #counter = 0;

  /** `idsFrom`: an offset of ids, so that several Scenarios in one test choose different ids. */
  constructor({ onCommand = () => {}, idsFrom = 0 }: Pick<AWorkspace, 'onCommand' | 'idsFrom'> = {}) {
    this.#onCommand = onCommand;
    this.#counter = idsFrom;
    this.id = this.uuid();
  }

  uuid(): string {
    this.#counter += 1;
    const time = this.now.toString(16).padStart(12, '0');
    const count = this.#counter.toString(16).padStart(10, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${count}01`;
  }

  get workspace(): WorkspaceState {
    assert(this.state, 'there is no Workspace yet');
    return this.state;
  }

  ask(asking: Asking): Command {
    const asked = {
      workspaceId: this.id,
      requestId: this.uuid(),
      issuedAt: this.now,
      notAfter: this.now + MINUTE,
      replyTo: '',
      credential: null,
    };
    return { ...asked, ...asking } as Command;
  }

  /** Decides one command to its end. Returns the effects of all its steps; entries of the audit are kept apart. */
  tell(given: Asking | Command): Pick<Decision, 'result' | 'effects' | 'posts'> {
    const first = ('workspaceId' in given ? given : this.ask(given as Asking)) as Command;
    this.#onCommand(first);
    const effects: Effect[] = [];
    const posts: Post[] = [];
    for (let command: Command | null = first; ;) {
      const decision: ReturnType<typeof decide> = decide(command, {
        state: this.state,
        view: this.#view(loadsOf(command, this.now)),
        now: this.now,
        rules: RULES,
        holds: this.holds,
        restoration: this.restoration,
      });
      this.state = decision.state;
      for (const post of decision.posts) this.posts.set(post.id, post);
      posts.push(...decision.posts);
      for (const effect of decision.effects) {
        if (effect.kind === 'audit') this.audit.push(effect.entry);
        else {
          effects.push(effect);
          this.#keep(effect);
        }
      }
      command = decision.rest;
      if (command === null) return { result: decision.result, effects, posts };
    }
  }

  #keep(effect: Effect): void {
    this.effects.push(effect);
    if (effect.kind === 'post-created')
      this.digests.set(effect.post.digest, { postId: effect.post.id, createdAt: effect.post.createdAt });
    if (effect.kind === 'asset-changed') this.assets.set(effect.asset.id, effect.asset);
    if (effect.kind === 'idempotency-key') this.idempotencyKeys.set(effect.key, effect);
    if (effect.kind === 'command') this.own.push(effect.command);
    if (effect.kind === 'due-timer')
      this.timers.push({ at: effect.at, command: { type: 'VariantsDue', workspaceId: this.id, posts: [effect.due] } });
    if (effect.kind === 'asset-timer')
      this.timers.push({
        at: effect.at,
        command: { type: 'UploadExpired', workspaceId: this.id, assetId: effect.assetId, expiresAt: effect.expiresAt },
      });
    if (effect.kind === 'files-timer') {
      const { kind: _, at, ...due } = effect;
      this.timers.push({ at, command: { type: 'FilesDue', workspaceId: this.id, ...due } });
    }
    if (effect.kind === 'plan-timer')
      this.timers.push({ at: effect.at, command: { type: 'PlanDue', workspaceId: this.id } });
  }

  #view(needs: Loads): LoadedView {
    const digest = needs.digest === null ? undefined : (this.digests.get(needs.digest) ?? null);
    const dueWeek = needs.dueWeek && this.#dueWeek(needs.dueWeek);
    const ids = [...needs.posts, ...(digest ? [digest.postId] : []), ...(dueWeek?.postIds ?? [])];
    const files = needs.filesOf.flatMap((id) => assetsOfPost(this.posts.get(id) ?? { media: [], channelOptions: {} }));
    return {
      posts: new Map(ids.map((id) => [id, this.posts.get(id) ?? null])),
      assets: new Map([...needs.assets, ...files].map((id) => [id, this.assets.get(id) ?? null])),
      digests: new Map(needs.digest === null ? [] : [[needs.digest, digest ?? null]]),
      idempotencyKeys: new Map(
        needs.idempotencyKey === null
          ? []
          : [[needs.idempotencyKey, this.idempotencyKeys.get(needs.idempotencyKey) ?? null]],
      ),
      tokenOwners: new Map(
        needs.tokenHash === null ? [] : [[needs.tokenHash, this.tokenOwners.get(needs.tokenHash) ?? this.id]],
      ),
      dueWeek,
    };
  }

  #dueWeek({ week, afterPostId, limit }: NonNullable<Loads['dueWeek']>): NonNullable<LoadedView['dueWeek']> {
    const due = [...this.posts.values()].flatMap((post) =>
      post.scheduledAt === null ? [] : [{ id: post.id, week: weekOf(post.scheduledAt) }],
    );
    const ids = due
      .filter((each) => each.week === week && (afterPostId === null || each.id < afterPostId))
      .map((each) => each.id);
    const weeks = [...new Set(due.map((each) => each.week))].filter((each) => each > week).toSorted((a, b) => a - b);
    return { postIds: ids.toSorted().toReversed().slice(0, limit), ended: ids.length <= limit, weeks };
  }

  /** Delivers the Workspace's messages to itself until there are no more. */
  settle(): void {
    for (let command = this.own.shift(); command; command = this.own.shift()) this.tell(command);
  }

  /** Moves the clock and fires the timers that became due. */
  advance(milliseconds: number): void {
    this.now += milliseconds;
    for (const timer of this.timers.filter(({ at }) => at <= this.now)) {
      this.timers.splice(this.timers.indexOf(timer), 1);
      this.tell(timer.command);
    }
    this.settle();
  }

  /** Like `tell`, for commands that must succeed. */
  must(given: Asking | Command): Exclude<Result, Refusal> {
    const { result } = this.tell(given);
    assert(result?.ok, `refused: ${JSON.stringify(result)}`);
    return result;
  }

  /** Connects a Channel and returns its id. */
  channel(network: Network, name = network as string): string {
    const channelId = this.uuid();
    this.must({
      type: 'ConnectChannel',
      channelId,
      network,
      name,
      avatarUrl: null,
      accountId: `account-${channelId}`,
      kind: '',
      ...(network === 'tiktok' && { defaults: { privacy: 'public' } }),
    });
    return channelId;
  }

  /** Makes a key of the owner's and returns its id. */
  key(permissions: readonly Permission[] = PERMISSIONS): string {
    const keyId = this.uuid();
    this.must({
      type: 'CreateKey',
      keyId,
      memberId: Object.keys(this.workspace.members)[0]!,
      name: 'a key',
      permissions,
      tokenHash: `hash-${keyId}`,
    });
    return keyId;
  }

  /** Adds a Member, with a verified e-mail, and returns the id. */
  member(role: MemberRole = 'editor', name = 'Bob'): string {
    const memberId = this.uuid();
    this.must({ type: 'AddMember', memberId, name, email: `${memberId}@example.test`, role });
    this.must({ type: 'VerifyEmail', memberId });
    return memberId;
  }

  /** An ApproveApp by the owner. */
  approving(fields: Partial<Extract<Asking, { type: 'ApproveApp' }>> = {}): Extract<Asking, { type: 'ApproveApp' }> {
    return {
      type: 'ApproveApp',
      approvalId: this.uuid(),
      clientId: 'client',
      name: 'an app',
      registered: 'itself',
      redirectHost: 'app.example.test',
      memberId: Object.keys(this.workspace.members)[0]!,
      permissions: PERMISSIONS,
      forget: [],
      ...fields,
    };
  }

  /** Approves an app that must be accepted and returns the approval's id. */
  approval(fields: Parameters<Scenario['approving']>[0] = {}): string {
    const asking = this.approving(fields);
    this.must(asking);
    return asking.approvalId;
  }

  /** A CreatePost by an operator, on every connected Channel unless `channelIds` says otherwise. */
  creating(fields: Partial<CreatePost> = {}): CreatePost {
    const channelIds = Object.values(this.workspace.channels)
      .filter(({ state }) => state !== 'not_connected')
      .map(({ id }) => id);
    const content = { text: 'Hello', channelIds, scheduledAt: null, media: [], channelOptions: {}, ...fields };
    const asked = this.ask({
      type: 'CreatePost',
      postId: newPostId(this.uuid(), this.workspace.id),
      ...content,
      digest: digestOf(content),
      idempotencyKey: null,
      dryRun: false,
    });
    return { ...(asked as CreatePost), ...fields };
  }

  /** Creates a Post that must be accepted and returns its id. */
  post(fields: Partial<CreatePost> = {}): string {
    const result = this.must(this.creating(fields));
    assert(result.kind === 'post');
    return result.postId;
  }

  postOf(postId: string): Post {
    const post = this.posts.get(postId);
    assert(post, `no post ${postId}`);
    return post;
  }

  variant(postId: string, number = 1): Variant {
    return this.postOf(postId).variants[number - 1]!;
  }

  due(postId: string, about: Partial<DuePost> = {}): ReturnType<Scenario['tell']> {
    const variants = this.postOf(postId).variants;
    const due = {
      postId,
      attempt: variants[0]!.attempt,
      variants: variants.map(({ id }) => variantNumberOf(id)),
      ...about,
    };
    return this.tell({ type: 'VariantsDue', workspaceId: this.id, posts: [due] });
  }

  /** A report on the Variant's current attempt, unless another is named. */
  #report(
    postId: string,
    number: number,
    attempt = this.variant(postId, number).attempt,
  ): { workspaceId: string; variantId: string; attempt: number } {
    return { workspaceId: this.id, variantId: variantIdOf(postId, number), attempt };
  }

  succeed(postId: string, number = 1, attempt?: number): ReturnType<Scenario['tell']> {
    return this.tell({
      type: 'PublishSucceeded',
      ...this.#report(postId, number, attempt),
      remoteId: 'remote',
      permalink: 'https://example.test/remote',
    });
  }

  fail(
    postId: string,
    number = 1,
    reason: PublishFailed['reason'] = 'rejected_by_platform',
    attempt?: number,
  ): ReturnType<Scenario['tell']> {
    return this.tell({
      type: 'PublishFailed',
      ...this.#report(postId, number, attempt),
      reason,
      detail: 'The Network said no.',
    });
  }

  unconfirm(postId: string, number = 1, attempt?: number): ReturnType<Scenario['tell']> {
    return this.tell({
      type: 'PublishUnconfirmed',
      ...this.#report(postId, number, attempt),
      detail: 'It may be live.',
    });
  }

  retry(postId: string, number = 1): Result | null {
    return this.tell({ type: 'RetryVariant', variantId: variantIdOf(postId, number) }).result;
  }
}

export interface AWorkspace {
  readonly plan?: WorkspaceState['plan'];
  readonly credits?: number;
  readonly emailVerified?: boolean;
  readonly onCommand?: (command: Command) => void;
  readonly idsFrom?: number;
}

/** A Workspace with a verified owner, no Channel, and X credits. */
export function aWorkspace(about: AWorkspace = {}): Scenario {
  const scenario = new Scenario(about);
  const owner = {
    memberId: scenario.uuid(),
    name: 'Ada',
    email: 'ada@example.test',
    emailVerified: about.emailVerified ?? true,
  };
  scenario.must({ type: 'CreateWorkspace', name: 'A Workspace', plan: about.plan ?? 'pro', owner });
  if (about.credits !== 0) scenario.must({ type: 'AddCredits', credits: about.credits ?? 10 });
  return scenario;
}
