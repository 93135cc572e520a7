import { CANARY, CANARY_NETWORKS, CANARY_STAGES, type CanaryStage } from '#domain/canary.ts';
import { isHeld } from '#domain/publishing-holds.ts';
import type { Network } from '#domain/network.ts';
import { PERMISSIONS } from '#domain/workspace/state.ts';
import type { Cancel } from '#ports/clock.ts';
import type { WorldPorts } from '#ports/ports.ts';
import type { SecretBox } from '#ports/secret-box.ts';
import type { SendOperatorCommand } from '#commands/operator-command.ts';
import type { Service } from '#runtime/service.ts';
import {
  readCanary,
  writeCanary,
  type CanaryPost,
  type CanaryRecord,
  type StoredCanary,
} from '#tables/repositories/canary.ts';
import { createDeliveryRows, type DeliveryRows } from '#tables/repositories/deliveries.ts';
import type { Brake } from '#tables/repositories/publishing-brake.ts';
import { createPost, type CreatePostOptions } from '#use-cases/create-post.ts';
import type { ApiCall } from '#use-cases/caller.ts';
import { CANARY_MEMBER, furnish } from './furnish.ts';
import { readProgress, type CanaryProgress } from './progress.ts';

export interface CanaryOptions extends Pick<WorldPorts, 'store' | 'clock' | 'ids' | 'reporter'> {
  readonly secretBox: SecretBox;
  readonly brake: Brake;
  readonly sendCommand: SendOperatorCommand;
  /** What the use case works with, by which Members make Posts. */
  readonly posts: CreatePostOptions;
  readonly everySeconds: number;
}

/** A process that does not renew its lease for so long has lost it. */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
/** How often the others look whether the lease is free, and what the record says. */
const LOOK_MS = 10_000;
/** By how much the clocks of two processes may differ. */
const SKEW_MS = 5_000;
const STEP_MS = 1_000;
/** After so long, and two rounds, without anybody who ran it, what succeeded before says nothing about now. */
const PAUSE_MS = 120_000;
const MAX_LEAD_MS = 60_000;
/** From when a Post is due until it counts as failed. */
const GIVE_UP_MS = 120_000;
/** But it was looked at so often since: a clock that leaps lets nothing fail. */
const MIN_LOOKS = 5;
const HOLDS_MAX_AGE_MS = 5_000;

/**
 * The canary of an installation: again and again it makes a Post in a Workspace of its own, by the use case by which
 * Members make theirs, and follows it through the rows that everybody reads. One process at a time runs it, by a lease
 * in the row that also has what it knows; a round is claimed in that row before its Post is made, so that two processes
 * never make the Post of one round.
 *
 * Modes: looking on (another process has the lease, or none was asked for yet) -> running (it has the lease) -> looking
 * on (it could not renew in time, or another wrote the row) -> ended.
 */
export class Canary implements Service {
  readonly name = 'canary';
  readonly #options: CanaryOptions;
  readonly #deliveries: DeliveryRows;
  readonly #self: string;
  readonly #ending = new AbortController();
  readonly #startedAt: number;
  readonly #looks = new Map<string, number>();
  #stored: StoredCanary = { record: null, version: null };
  #lookAt = 0;
  #cancel: Cancel = () => {};
  #stepping: Promise<void> = Promise.resolve();

  constructor(options: CanaryOptions) {
    this.#options = options;
    this.#deliveries = createDeliveryRows(options.store);
    this.#self = options.ids.token(12);
    this.#startedAt = options.clock.unmoved();
    this.#lookAt = options.clock.monotonic();
  }

  async start(): Promise<void> {
    this.#later();
  }

  /** For each stage, and for `held`: when it was last reached, as this process last read it. */
  lastSuccess(): readonly { readonly stage: CanaryStage | 'held'; readonly at: number }[] {
    const { record } = this.#stored;
    const at = (stage: CanaryStage): number => {
      if (record === null) return this.#startedAt;
      return Math.max(record.since, record.lastSuccess[stage] ?? 0);
    };
    return [
      ...CANARY_STAGES.map((stage) => ({ stage, at: at(stage) })),
      { stage: 'held', at: record?.heldAt ?? 0 } as const,
    ];
  }

  /** A round if it is due, and a look at the Posts under way; nothing while another process runs the canary. */
  async step(): Promise<void> {
    if (!(await this.#hasLease())) return;
    if (!(await this.#look())) return;
    if (this.#isRoundDue()) await this.#round();
  }

  trouble(): string | null {
    return null;
  }

  /** The lease is given up, so that another process goes on at once. */
  async drain(): Promise<void> {
    await this.stop();
    const { record, version } = this.#stored;
    if (record?.holder !== this.#self) return;
    const { store, ids } = this.#options;
    const free = { ...record, holder: '', until: 0 };
    await writeCanary(store, { over: version, record: free, token: ids.token() }).catch(() => null);
    this.#stored = { record: free, version: null };
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    this.#cancel();
    await this.#stepping;
  }

  #later(): void {
    if (this.#ending.signal.aborted) return;
    const { clock, reporter } = this.#options;
    this.#cancel = clock.after(STEP_MS, () => {
      this.#stepping = this.step()
        .catch((error: unknown) => reporter.failure('canary-step-failed', error))
        .then(() => this.#later());
    });
  }

  async #hasLease(): Promise<boolean> {
    const { clock, reporter, everySeconds, store } = this.#options;
    const now = clock.unmoved();
    const { record } = this.#stored;
    const isOurs = record?.holder === this.#self;
    if (isOurs && record.until - now > LEASE_MS - RENEW_MS) return true;
    if (isOurs) return this.#write(record);
    if (clock.monotonic() < this.#lookAt) return false;
    this.#lookAt = clock.monotonic() + LOOK_MS;
    this.#stored = await readCanary(store);
    const found = this.#stored.record ?? NEVER;
    if (found.holder !== '' && found.until + SKEW_MS > now) return false;
    const wasAway = now - Math.max(found.until, ...Object.values(found.lastSuccess)) > PAUSE_MS + 2 * this.#everyMs;
    if (!(await this.#write(wasAway ? { ...found, since: now, open: [], nextAt: 0 } : found))) return false;
    reporter.report('canary-begun', { everySeconds });
    return true;
  }

  get #record(): CanaryRecord {
    return this.#stored.record ?? NEVER;
  }

  /** With a lease from now on. False: another process wrote the row, and has the lease. Rejects with `PortError`. */
  async #write(next: CanaryRecord): Promise<boolean> {
    const { store, clock, ids } = this.#options;
    const record = { ...next, holder: this.#self, until: clock.unmoved() + LEASE_MS };
    const version = await writeCanary(store, { over: this.#stored.version, record, token: ids.token() });
    this.#stored = version === null ? await readCanary(store) : { record, version };
    return version !== null;
  }

  /** A clock that was set back does not put the round off. */
  #isRoundDue(): boolean {
    const now = this.#options.clock.now();
    return this.#record.nextAt <= now || this.#record.nextAt > now + this.#everyMs;
  }

  get #everyMs(): number {
    return this.#options.everySeconds * 1_000;
  }

  async #round(): Promise<void> {
    const { clock, reporter } = this.#options;
    const nextAt = clock.now() + this.#everyMs;
    const networks = await this.#freeNetworks(CANARY_NETWORKS);
    if (networks.length === 0) {
      reporter.report('canary-held', { workspaceId: CANARY.workspaceId });
      await this.#write({ ...this.#record, nextAt, heldAt: clock.unmoved() });
      return;
    }
    if (!(await this.#write({ ...this.#record, nextAt }))) return;
    const begun = clock.monotonic();
    const dueAt = clock.now() + Math.min(this.#everyMs, MAX_LEAD_MS);
    const made = await this.#make(networks, dueAt);
    if (!made.ok) return this.#fail('accepted', null, made.why);
    const post: CanaryPost = { postId: made.postId, dueAt, networks, stage: 'accepted' };
    this.#reach('accepted', post, clock.monotonic() - begun);
    const lastSuccess = { ...this.#record.lastSuccess, accepted: clock.unmoved() };
    await this.#write({ ...this.#record, open: [...this.#record.open, post], lastSuccess });
  }

  async #freeNetworks(networks: readonly Network[]): Promise<readonly Network[]> {
    const { periods } = await this.#options.brake.known(HOLDS_MAX_AGE_MS);
    const { workspaceId } = CANARY;
    return networks.filter((network) => !isHeld(periods, { network, workspaceId }));
  }

  async #make(
    networks: readonly Network[],
    dueAt: number,
  ): Promise<{ readonly ok: true; readonly postId: string } | { readonly ok: false; readonly why: string }> {
    const { clock, posts } = this.#options;
    const missing = await furnish(this.#options);
    if (missing !== null) return { ok: false, why: missing };
    const channels: Readonly<Partial<Record<Network, string>>> = CANARY.channels;
    const input = {
      // Another text each time: the same Post again would be answered with the one before.
      text: `Canary of ${new Date(clock.now()).toISOString()}`,
      channelIds: networks.flatMap((network) => channels[network] ?? []),
      scheduledAt: dueAt,
      media: [],
      channelOptions: {},
    };
    const created = await createPost(this.#call(), input, null, posts);
    if (created.ok) return { ok: true, postId: created.value.post.id };
    const { code, message } = created.problem;
    return { ok: false, why: `${code}: ${message}` };
  }

  #call(): ApiCall {
    const { ids, clock } = this.#options;
    return {
      workspaceId: CANARY.workspaceId,
      credential: CANARY_MEMBER,
      permissions: PERMISSIONS,
      requestId: ids.uuid7(clock.now()),
      origin: { door: 'app', address: null },
      signal: this.#ending.signal,
    };
  }

  /** At every Post that is due. False: the lease was lost. */
  async #look(): Promise<boolean> {
    const { clock, store } = this.#options;
    const due = this.#record.open.filter(({ dueAt }) => dueAt <= clock.now());
    let record = this.#record;
    for (const post of due) {
      const free = await this.#freeNetworks(post.networks);
      const isHeldBack = free.length < post.networks.length;
      const progress = isHeldBack
        ? await this.#cancelPost(post)
        : await readProgress({ store, deliveries: this.#deliveries }, post.postId);
      record = this.#after(record, post, progress);
    }
    return record === this.#record || this.#write(record);
  }

  /** It waits for the end of a hold, and nobody would look at it then: nothing is to be left over from that time. */
  async #cancelPost({ postId }: CanaryPost): Promise<CanaryProgress> {
    await this.#options.sendCommand(CANARY.workspaceId, { type: 'CancelPost', postId }, { credential: CANARY_MEMBER });
    return { kind: 'cancelled' };
  }

  #after(record: CanaryRecord, post: CanaryPost, progress: CanaryProgress): CanaryRecord {
    const { clock } = this.#options;
    const others = record.open.filter(({ postId }) => postId !== post.postId);
    if (progress.kind !== 'at') {
      this.#looks.delete(post.postId);
      if (progress.kind === 'failed') this.#fail(progress.stage, post.postId, progress.detail);
      return { ...record, open: others };
    }
    const reached = CANARY_STAGES.slice(rankOf(post.stage) + 1, rankOf(progress.stage) + 1);
    for (const stage of reached) this.#reach(stage, post, clock.now() - post.dueAt);
    const now = clock.unmoved();
    const lastSuccess = { ...record.lastSuccess, ...Object.fromEntries(reached.map((stage) => [stage, now])) };
    const next = CANARY_STAGES[rankOf(progress.stage) + 1];
    if (next !== undefined && !this.#isOverdue(post)) {
      if (reached.length === 0) return record;
      const open = record.open.map((each) => (each === post ? { ...post, stage: progress.stage } : each));
      return { ...record, lastSuccess, open };
    }
    if (next !== undefined)
      this.#fail(next, post.postId, `it did not come within ${GIVE_UP_MS / 1000} s of when it was due`);
    this.#looks.delete(post.postId);
    return { ...record, lastSuccess, open: others };
  }

  #isOverdue({ postId, dueAt }: CanaryPost): boolean {
    const looks = (this.#looks.get(postId) ?? 0) + 1;
    this.#looks.set(postId, looks);
    return looks >= MIN_LOOKS && this.#options.clock.now() > dueAt + GIVE_UP_MS;
  }

  #reach(stage: CanaryStage, { postId }: CanaryPost, tookMs: number): void {
    const { workspaceId } = CANARY;
    this.#options.reporter.report('canary-stage-reached', { stage, workspaceId, postId, tookMs });
  }

  #fail(stage: CanaryStage, postId: string | null, detail: string): void {
    this.#options.reporter.report('canary-failed', { stage, workspaceId: CANARY.workspaceId, postId, detail });
  }
}

const NEVER: CanaryRecord = { holder: '', until: 0, since: 0, nextAt: 0, lastSuccess: {}, heldAt: 0, open: [] };

function rankOf(stage: CanaryStage): number {
  return CANARY_STAGES.indexOf(stage);
}
