import { variantIdOf, variantNumberOf } from '#domain/post/ids.ts';
import type { Post, Variant } from '#domain/post/post.ts';
import type { MediaReference } from '#domain/post/media-reference.ts';
import { perNetwork, type Network } from '#domain/network.ts';
import { isRequested, type Command, type CreatePost } from '#domain/workspace/commands.ts';
import { type Credential } from '#domain/workspace/request-envelope.ts';
import { MAX_ENDPOINTS } from '#domain/webhook/endpoint.ts';
import { OUTCOME_TYPES } from '#domain/webhook/outcome-type.ts';
import type { Result } from '#domain/workspace/results.ts';
import { PERMISSIONS } from '#domain/workspace/state.ts';
import type { Rules } from '#domain/workspace/rules.ts';
import type { NetworkLimits } from '#domain/network-limits.ts';
import { createCodec } from '#codec/avro-codec.ts';
import type { VariantOutcome } from '#messages/messages.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import type { StoredRecord } from '#ports/log.ts';
import { aWorkspace, DAY, RULES, type Scenario } from '#testing/scenario.ts';
import { createDeliveryRows } from '#tables/repositories/deliveries.ts';
import { readPost } from '#tables/repositories/posts.ts';
import { DEAD_LETTERS, WORKSPACE_EVENTS } from '#tables/declarations/topics.ts';
import { openWorkspaceHarness, type WorkspaceHarness } from './workspace-harness.fixture.ts';

const takesAll = (network: Network): NetworkLimits => ({ network, judge: () => [] });
/** Networks that take whatever they are sent: only the service's own bounds are left. */
export const NO_LIMITS: Rules = {
  ...RULES,
  limits: perNetwork(takesAll),
};

/**
 * A Workspace with ten endpoints and names as long as they may be, whose Posts are led through all that can happen to
 * them.
 */
export class WorkspaceWorld {
  readonly harness: WorkspaceHarness;
  readonly scenario: Scenario;
  readonly #rules: Rules;
  readonly #credential: Credential;
  #actor: ReturnType<WorkspaceHarness['actor']>;

  private constructor(
    harness: WorkspaceHarness,
    scenario: Scenario,
    { rules, credential }: { readonly rules: Rules; readonly credential: Credential },
  ) {
    this.harness = harness;
    this.scenario = scenario;
    this.#rules = rules;
    this.#credential = credential;
    this.#actor = harness.actor(scenario.id, undefined, rules);
  }

  static async open(
    kind: Parameters<typeof openWorkspaceHarness>[0],
    networks: readonly Network[],
    { rules = NO_LIMITS, name = '\u0001'.repeat(200) } = {},
  ): Promise<WorkspaceWorld> {
    const told: Command[] = [];
    const scenario = aWorkspace({ plan: 'agency', credits: 10_000, onCommand: (command) => void told.push(command) });
    for (const [index, network] of networks.entries()) {
      scenario.must({
        type: 'ConnectChannel',
        channelId: scenario.uuid(),
        network,
        name,
        avatarUrl: null,
        accountId: String(index).padEnd(254, 'a'),
        kind: '',
      });
    }
    const [memberId, keyId] = [scenario.uuid(), scenario.uuid()];
    scenario.must({ type: 'AddMember', memberId, name: '\u0001'.repeat(254), email: 'grace@example.test' });
    scenario.must({ type: 'VerifyEmail', memberId });
    scenario.must({
      type: 'CreateKey',
      keyId,
      memberId,
      name: '\u0001'.repeat(200),
      permissions: PERMISSIONS,
      tokenHash: 'f'.repeat(64),
    });
    const credential = { kind: 'key', keyId } as const;
    for (let index = 0; index < MAX_ENDPOINTS; index++) {
      const url = `https://hooks.test/${String(index)}/`.padEnd(2_048, 'x');
      scenario.must({
        type: 'RegisterEndpoint',
        endpointId: scenario.uuid(),
        url,
        events: OUTCOME_TYPES,
        sealedSecret: 's'.repeat(150),
        credential,
      });
    }
    const world = new WorkspaceWorld(openWorkspaceHarness(kind), scenario, { rules, credential });
    await world.handle(told);
    return world;
  }

  /** A process of its own, which finds only what is stored. */
  restart(): void {
    this.#actor.forget();
    this.#actor = this.harness.actor(this.scenario.id, undefined, this.#rules);
  }

  handle(commands: readonly Command[]): Promise<void> {
    return this.harness.handle(this.#actor, commands);
  }

  /** What was answered last. */
  resultOf(command: Command): Result | undefined {
    return isRequested(command)
      ? this.harness.answers.findLast(({ requestId }) => requestId === command.requestId)?.result
      : undefined;
  }

  creating(fields: Partial<CreatePost>): CreatePost {
    const now = this.harness.clock.now();
    return this.scenario.creating({ issuedAt: now, notAfter: now + 60_000, credential: this.#credential, ...fields });
  }

  async post(postId: string): Promise<Post> {
    return (await readPost(this.harness.store, this.scenario.id, postId))!;
  }

  /**
   * Its files come, it becomes due, and its Variants end, in turns of several: half live, half failed. Then those are
   * retried, and the unknown are proven late. `most`: Variants that are led through it; each takes a while where all
   * are large.
   */
  async live({ postId }: CreatePost, { permalink, detail }: WorkspaceAnswer, most = Infinity): Promise<void> {
    const workspaceId = this.scenario.id;
    const facts = {
      kind: 'image',
      contentType: 'image/jpeg',
      bytes: 1,
      sha256: 'a'.repeat(64),
      width: 1,
      height: 1,
      durationMs: null,
    } as const;
    const post = await this.post(postId);
    const variants = post.variants.slice(0, most);
    await this.handle(
      post.media.map(({ assetId }) => ({
        type: 'FileFetched',
        workspaceId,
        postId,
        assetId,
        facts,
        blob: `assets/${assetId}/fetched/${assetId}`,
      })),
    );
    await this.handle(
      variants.map(({ id }) => ({ type: 'MediaPrepared', workspaceId, postId, variants: [variantNumberOf(id)] })),
    );
    await this.harness.clock.advance(2 * DAY);
    await this.handle([
      {
        type: 'VariantsDue',
        workspaceId,
        posts: [{ postId, attempt: 1, variants: variants.map(({ id }) => variantNumberOf(id)) }],
      },
    ]);
    await this.#report(postId, 1, (variant) =>
      variantNumberOf(variant.id) % 2 === 0
        ? { type: 'PublishSucceeded', ...about(variant, workspaceId), remoteId: 'r'.repeat(200), permalink }
        : { type: 'PublishFailed', ...about(variant, workspaceId), reason: 'rejected_by_platform', detail },
    );
    await this.#retryAll(postId);
    await this.#report(postId, 2, (variant) => ({
      type: 'PublishUnconfirmed',
      ...about(variant, workspaceId),
      detail,
    }));
    await this.#report(
      postId,
      2,
      (variant) => ({ type: 'PublishSucceeded', ...about(variant, workspaceId), remoteId: 'r', permalink }),
      'failed',
    );
  }

  async #report(
    postId: string,
    attempt: number,
    report: (variant: Variant) => Command,
    status: Variant['status'] = 'publishing',
  ): Promise<void> {
    const { variants } = await this.post(postId);
    await this.handle(
      variants.filter((variant) => variant.attempt === attempt && variant.status === status).map(report),
    );
    this.restart();
  }

  async #retryAll(postId: string): Promise<void> {
    const failed = (await this.post(postId)).variants.filter(({ status }) => status === 'failed');
    const now = this.harness.clock.now();
    await this.handle(
      failed.map(({ id }) =>
        this.scenario.ask({ type: 'RetryVariant', variantId: id, issuedAt: now, notAfter: now + 60_000 }),
      ),
    );
    await this.handle(
      failed.map(({ id }) => ({
        type: 'VariantsDue',
        workspaceId: this.scenario.id,
        posts: [{ postId, attempt: 2, variants: [variantNumberOf(id)] }],
      })),
    );
  }

  deadLetters(): readonly StoredRecord[] {
    return recordsOf(this.harness, DEAD_LETTERS.name, DEAD_LETTERS.partitions);
  }

  /** Every event that was sent, as often as it was sent. */
  async events(): Promise<readonly VariantOutcome[]> {
    const codec = createCodec({ registry: createBuiltInRegistry() });
    const decoded = await Promise.all(
      recordsOf(this.harness, WORKSPACE_EVENTS.name, WORKSPACE_EVENTS.partitions).map(({ value }) =>
        codec.decode(value),
      ),
    );
    return decoded.flatMap((each) => (each.ok ? [each.message as VariantOutcome] : []));
  }

  /** As fan-out does: one for each endpoint that listens. */
  async makeDeliveries(event: VariantOutcome): Promise<void> {
    const rows = createDeliveryRows(this.harness.store);
    const { workspaceId, eventId, createdAt, body } = event;
    const delivery = { workspaceId, eventId, type: 'variant.published', createdAt } as const;
    await Promise.all(
      event.endpointIds.map((endpointId) =>
        rows.make(
          { ...delivery, id: `${eventId} ${endpointId}`, endpointId },
          { id: '', since: createdAt },
          Buffer.from(body),
        ),
      ),
    );
  }

  /** Files at addresses, which were asked and are taken. */
  files(altTexts: readonly string[], url = 'https://files.test/a.jpg'): MediaReference[] {
    return altTexts.map((altText) => ({
      url,
      altText,
      inspected: { assetId: this.scenario.uuid(), contentType: 'image/jpeg', bytes: 1_000, problem: null },
    }));
  }
}

/** What the Network says of each Variant. */
export interface WorkspaceAnswer {
  readonly permalink: string;
  readonly detail: string;
}

function about(variant: Variant, workspaceId: string): { workspaceId: string; variantId: string; attempt: number } {
  return {
    workspaceId,
    variantId: variantIdOf(variant.id.slice(0, -2) + '00', variantNumberOf(variant.id)),
    attempt: variant.attempt,
  };
}

function recordsOf(harness: WorkspaceHarness, topic: string, partitions: number): readonly StoredRecord[] {
  return Array.from({ length: partitions }, (_, partition) => harness.log.control.records({ topic, partition })).flat();
}
