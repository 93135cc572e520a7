import { createHash } from 'node:crypto';
import type { Credential } from '#domain/workspace/request-envelope.ts';
import { PERMISSIONS } from '#domain/workspace/state.ts';
import type { CreatePostInput } from '#schemas/http/post-requests.ts';
import type { CallerAnswer, SimulatedCaller, Workspace } from '../caller.ts';
import type { Dice } from '../dice.ts';
import { connect } from '../found-workspaces.ts';
import { freshId } from '../fresh-id.ts';
import type { OperatorEntry } from '../history.ts';
import { outcomeOf, type Recorder } from '../recorder.ts';
import { WebhookDeeds } from '../webhook-deeds.ts';
import type { World } from '../world.ts';
import type { People, Person } from './people.ts';
import type { Visit, Visitor } from './visitor.ts';

/** What a Member does with what a Workspace has, and how often in relation to the rest. */
const ACTS = {
  'make a Post': 4,
  'cancel a Post': 2,
  'replace a Post': 1,
  'make a key': 2,
  'use a key': 3,
  'revoke a key': 1,
  'approve an app': 2,
  'use an app': 3,
  'end an app': 1,
  'set defaults': 1,
  'register an endpoint': 1,
  reconnect: 1,
  disconnect: 0.3,
  rename: 2,
} as const;
type Act = keyof typeof ACTS;

const SOON_MS = 150_000;
const LATER_MS = 9 * 60_000;

interface MadePost {
  readonly workspace: Workspace;
  readonly postId: string;
  readonly scheduledAt: number;
}

interface MemberActsOptions {
  readonly world: World;
  readonly name: string;
  readonly recorder: Recorder;
  readonly caller: SimulatedCaller;
  readonly people: People;
  readonly visitor: Visitor;
}

/** How Members work in a Workspace: each act is tried, whatever their role allows. */
export class MemberActs {
  readonly #options: MemberActsOptions;
  readonly #webhooks: WebhookDeeds;
  /** Those that wait for their instant. */
  readonly #posts: MadePost[] = [];
  #texts = 0;

  constructor(options: MemberActsOptions) {
    this.#options = options;
    this.#webhooks = new WebhookDeeds(options);
  }

  /** Something that the dice choose. */
  do(visit: Visit, dice: Dice): Promise<unknown> {
    return this.#do(dice.choose(ACTS), visit, dice);
  }

  #do(act: Act, visit: Visit, dice: Dice): Promise<unknown> {
    const { visitor } = this.#options;
    const { id: workspaceId, channels } = visit.workspace;
    switch (act) {
      case 'make a Post':
        return this.makePost(visit, dice);
      case 'cancel a Post':
        return this.#cancel(visit, dice);
      case 'replace a Post':
        return this.#replace(visit, dice);
      case 'make a key':
        return this.makeKey(visit, dice);
      case 'use a key':
        return this.useOne(visit.person, visit.person.keyIds, dice);
      case 'revoke a key':
        return this.#revokeKey(visit, dice);
      case 'approve an app':
        return this.approveApp(visit, dice);
      case 'use an app':
        return this.useOne(visit.person, visit.person.approvalIds, dice);
      case 'end an app':
        return this.#endApp(visit, dice);
      case 'set defaults': {
        const channelId = channels[dice.pick(['x', 'threads'] as const)];
        return visitor.askFor(
          visit,
          { what: act },
          { type: 'SetChannelDefaults', workspaceId, channelId, defaults: {} },
        );
      }
      case 'register an endpoint':
        return this.#registerEndpoint(visit, dice);
      case 'reconnect':
        return this.#reconnect(visit, dice.pick(['x', 'threads'] as const));
      case 'disconnect':
        return this.#disconnect(visit, dice.pick(['x', 'threads'] as const));
      case 'rename': {
        const name = `Workspace as of ${this.#options.world.engine.now}`;
        return visitor.askFor(visit, { what: act }, { type: 'RenameWorkspace', workspaceId, name });
      }
    }
  }

  async makePost(visit: Visit, dice: Dice): Promise<void> {
    const input = this.#compose(visit.workspace, dice);
    await this.#create(visit, 'make a Post', input, undefined, (theirs) =>
      this.#options.caller.create(theirs, input, null),
    );
  }

  async approveApp(visit: Visit, dice: Dice): Promise<void> {
    const { world, visitor, caller } = this.#options;
    const { person, workspace } = visit;
    const approvalId = freshId(world, dice, workspace.id);
    // Consent comes from the page of the authorization server, which sends it in nobody's name.
    const seen = await visitor.ask(visit, { what: 'approve an app', approvalId }, async () =>
      outcomeOf(
        await caller.tell({
          ...{ type: 'ApproveApp', workspaceId: workspace.id, approvalId, memberId: person.memberId },
          ...{ clientId: 'an app', name: 'an app', registered: 'itself', redirectHost: 'app.test' },
          ...{ permissions: PERMISSIONS, forget: [] },
        }),
      ),
    );
    if (seen === 'ok') person.approvalIds.push(approvalId);
  }

  /** By one of their keys or apps, alive or not. */
  async useOne(person: Person, credentialIds: readonly string[], dice: Dice): Promise<void> {
    if (credentialIds.length === 0) return;
    const id = dice.pick(credentialIds);
    const by: Credential = person.keyIds.includes(id) ? { kind: 'key', keyId: id } : { kind: 'app', approvalId: id };
    const workspace = { ...person.workspace, credential: by };
    await this.makePost({ person, workspace, by, since: this.#options.world.engine.now }, dice);
  }

  async #cancel(visit: Visit, dice: Dice): Promise<void> {
    const { recorder, caller, visitor } = this.#options;
    const post = this.#waiting(visit, dice);
    if (post === null) return;
    const { postId } = post;
    const entry = recorder.history.add({ kind: 'cancel', ...recorder.opened(visit.workspace), postId, hidden: null });
    await visitor.ask(visit, { what: 'cancel a Post' }, async () => {
      const outcome = await caller.cancel(visit.workspace, postId);
      recorder.close(entry, outcome);
      return outcome;
    });
  }

  async #replace(visit: Visit, dice: Dice): Promise<void> {
    const post = this.#waiting(visit, dice);
    if (post === null) return;
    const input = this.#compose(visit.workspace, dice);
    await this.#create(visit, 'replace a Post', input, post.postId, (theirs) =>
      this.#options.caller.replace(theirs, post.postId, { post: input, idempotencyKey: null }),
    );
  }

  async #create(
    visit: Visit,
    what: 'make a Post' | 'replace a Post',
    input: CreatePostInput,
    replaces: string | undefined,
    send: (theirs: Workspace) => Promise<CallerAnswer<{ readonly post: { readonly id: string } }>>,
  ): Promise<void> {
    const { recorder, visitor } = this.#options;
    const { workspace } = visit;
    const entry = recorder.openCreate(workspace, input, { ...(replaces !== undefined && { replaces }) });
    await visitor.ask(visit, { what }, async () => {
      const outcome = await send(workspace);
      if (outcome?.ok) entry.postId = outcome.value.post.id;
      recorder.close(entry, outcome);
      return outcome;
    });
    if (entry.postId !== null && input.scheduledAt !== undefined)
      this.#posts.push({ workspace: visit.person.workspace, postId: entry.postId, scheduledAt: input.scheduledAt });
  }

  async makeKey(visit: Visit, dice: Dice): Promise<void> {
    const { world, visitor } = this.#options;
    const { person, workspace } = visit;
    const keyId = freshId(world, dice, workspace.id);
    const seen = await visitor.askFor(
      visit,
      { what: 'make a key' },
      {
        ...{ type: 'CreateKey', workspaceId: workspace.id, keyId, memberId: person.memberId, name: 'key' },
        ...{ permissions: PERMISSIONS, tokenHash: createHash('sha256').update(keyId).digest('hex') },
      },
    );
    if (seen === 'ok') person.keyIds.push(keyId);
  }

  async #revokeKey(visit: Visit, dice: Dice): Promise<void> {
    const owned = this.#ofAll(visit, ({ keyIds }) => keyIds);
    if (owned.length === 0) return;
    const { of, id: keyId } = dice.pick(owned);
    const draft = { type: 'RevokeKey', workspaceId: visit.workspace.id, keyId } as const;
    await this.#options.visitor.askFor(visit, { what: 'revoke a key', of, keyId }, draft);
  }

  async #endApp(visit: Visit, dice: Dice): Promise<void> {
    const owned = this.#ofAll(visit, ({ approvalIds }) => approvalIds);
    if (owned.length === 0) return;
    const { of, id: approvalId } = dice.pick(owned);
    const draft = { type: 'RevokeApproval', workspaceId: visit.workspace.id, approvalId } as const;
    await this.#options.visitor.askFor(visit, { what: 'end an app', of, approvalId }, draft);
  }

  #ofAll({ workspace }: Visit, of: (person: Person) => readonly string[]) {
    return this.#options.people.all
      .filter((person) => person.workspace.id === workspace.id)
      .flatMap((person) => of(person).map((id) => ({ of: person.memberId, id })));
  }

  /** Only where a service delivers: else no event would ever come. */
  async #registerEndpoint(visit: Visit, dice: Dice): Promise<void> {
    const { world, visitor } = this.#options;
    if (!world.parts.includes('webhooks')) return;
    await visitor.ask(visit, { what: 'register an endpoint' }, () => this.#webhooks.register(visit.workspace, dice));
  }

  async #reconnect(visit: Visit, network: 'x' | 'threads'): Promise<void> {
    const { world, caller, visitor } = this.#options;
    const ingress = world.up('ingress')[0];
    // Nobody is sent to the Network who could not end it.
    if (ingress === undefined || visit.workspace.permissions?.length === 0) return;
    const { id, channels, accounts } = visit.workspace;
    const connecting = {
      pause: (ms: number) => caller.pause(ms),
      tell: async (draft: Parameters<SimulatedCaller['tell']>[0]) => ({
        ok: (await visitor.askFor(visit, { what: 'reconnect' }, draft)) === 'ok',
      }),
    };
    await connect(world, ingress, connecting, id, network, channels[network], accounts[network]);
  }

  async #disconnect(visit: Visit, network: 'x' | 'threads'): Promise<void> {
    const { recorder, visitor, caller } = this.#options;
    const { workspace, person } = visit;
    const channelId = workspace.channels[network];
    const entry = recorder.history.add<OperatorEntry>({
      ...{ kind: 'operator', ...recorder.opened(workspace), what: 'disconnect', channelId },
      ...{ planned: null, shown: null },
    });
    await visitor.ask(visit, { what: 'disconnect' }, async () => {
      const draft = {
        type: 'DisconnectChannel',
        workspaceId: workspace.id,
        channelId,
        memberId: person.memberId,
      } as const;
      const outcome = await caller.ask(workspace, draft);
      recorder.close(entry, outcome);
      return outcome;
    });
    if (entry.seen !== 'refused') await this.#reconnect(visit, network);
  }

  #waiting({ workspace }: Visit, dice: Dice): MadePost | null {
    const { now } = this.#options.world.engine;
    const some = this.#posts.filter((post) => post.workspace.id === workspace.id && post.scheduledAt > now);
    return some.length === 0 ? null : dice.pick(some);
  }

  #compose({ channels: { x, threads } }: Workspace, dice: Dice): CreatePostInput {
    const { world, name } = this.#options;
    const isNow = dice.chance(0.3);
    const scheduledAt = world.engine.now + dice.between(65_000, dice.chance(0.5) ? SOON_MS : LATER_MS);
    return {
      text: `Word ${++this.#texts} of ${name}`,
      channelIds: dice.pick([[x], [threads], [x, threads]]),
      ...{ media: [], channelOptions: {} },
      ...(!isNow && { scheduledAt }),
    };
  }
}
