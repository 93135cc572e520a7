import { MEMBER_ROLES, type MemberRole } from '#domain/workspace/state.ts';
import { SimulatedCaller, type Workspace } from '../caller.ts';
import type { Dice } from '../dice.ts';
import { freshId } from '../fresh-id.ts';
import type { AcceptEntry, Asked, History, SeenAnswer } from '../history.ts';
import { outcomeOf, Recorder } from '../recorder.ts';
import type { World } from '../world.ts';
import { MemberActs } from './member-acts.ts';
import { People, type MailedInvitation, type Person } from './people.ts';
import { Visitor, type Visit } from './visitor.ts';

/** What people do with each other, and how often in relation to the rest. */
const DEEDS = {
  invite: 5,
  'accept again': 1,
  'change a role': 3,
  remove: 1,
  leave: 1,
  'owners go at once': 2,
  act: 4,
  'act while it ends': 6,
  'an app over a demotion': 2,
  "a key over its Member's end": 2,
} as const;
type Deed = keyof typeof DEEDS;

/** So that there is somebody. */
const FIRST_INVITES = 2;
const BETWEEN_DEEDS_MS = 7_000;
const SOON_MS = 5_000;
const WEEK_MS = 7 * 86_400_000;
/** From the instant of the invitation on. */
const SHORT_LIFE_MS = { least: 10_000, most: 40_000 } as const;
const AFTER_EXPIRY_MS = 8_000;
const SHORT_SHARE = 0.15;
const ANYBODY_SHARE = 0.15;
const KNOWN_ADDRESS_SHARE = 0.35;

/** What becomes of an invitation, and how often in relation to the rest. */
const FATES = {
  accepted: 8,
  'accepted twice': 2,
  'by another account': 1,
  'for two Members': 1,
  revoked: 2,
  replaced: 1,
  'the inviter goes': 4,
} as const;
type Fate = keyof typeof FATES;

interface MemberClientOptions {
  readonly world: World;
  readonly recorder: Recorder;
  readonly people: People;
  readonly name: string;
  readonly workspaces: readonly Workspace[];
}

/** One after the other, what Members of some Workspaces do with each other; several run side by side. */
class MemberClient {
  readonly #options: MemberClientOptions;
  readonly #caller: SimulatedCaller;
  readonly #visitor: Visitor;
  readonly #acts: MemberActs;
  /** Of the deed that is being done. */
  #dice: Dice;

  constructor(options: MemberClientOptions) {
    const { world, recorder, name } = options;
    this.#options = options;
    this.#caller = new SimulatedCaller(world);
    this.#visitor = new Visitor(recorder, this.#caller);
    this.#acts = new MemberActs({ ...options, caller: this.#caller, visitor: this.#visitor });
    this.#dice = world.engine.diceOf(name);
  }

  async run(deeds: number): Promise<void> {
    const { world, name, workspaces } = this.#options;
    const { engine, script, trace } = world;
    for (let count = 1; count <= deeds; count++) {
      this.#dice = engine.diceOf(`${name} ${count}`);
      await this.#caller.pause(this.#dice.random() * 2 * BETWEEN_DEEDS_MS);
      const deed = count <= FIRST_INVITES ? 'invite' : this.#dice.choose(DEEDS);
      const workspace = this.#dice.pick(workspaces);
      if (!script.step(`${name}/${count}`, deed)) continue;
      trace.add(engine.now, name, deed);
      await this.#do(deed, workspace);
    }
  }

  /** In calm, once nothing is on its way: everybody is looked up, and tries something. */
  async tryAll(): Promise<void> {
    const { world, name, people } = this.#options;
    this.#dice = world.engine.diceOf(`${name} in the end`);
    if (!world.script.step(`${name}/end`, 'everybody tries something')) return;
    for (const person of people.all) {
      await this.#visitor.look(person);
      const visit = await this.#visitor.enter(person);
      if (visit !== null) await this.#acts.do(visit, this.#dice);
    }
  }

  async #do(deed: Deed, workspace: Workspace): Promise<unknown> {
    switch (deed) {
      case 'invite':
        return this.#invite(workspace);
      case 'accept again':
        return this.#acceptAgain(workspace);
      case 'change a role':
        return this.#changeOne(workspace, (of) => ({ what: deed, of, role: this.#dice.pick(MEMBER_ROLES) }));
      case 'remove':
        return this.#changeOne(workspace, (of) => ({ what: deed, of }));
      case 'leave': {
        const person = this.#pick(workspace, ['owner', 'editor', 'viewer']);
        return this.#change(await this.#visitor.enter(person), person, { what: 'remove', of: person.memberId });
      }
      case 'owners go at once':
        return this.#ownersGo(workspace);
      case 'act':
        return this.#act(workspace);
      case 'act while it ends':
        return this.#actWhileItEnds(workspace);
      case 'an app over a demotion':
        return this.#appOverDemotion(workspace);
      case "a key over its Member's end":
        return this.#keyOverEnd(workspace);
    }
  }

  #pick(workspace: Workspace, standings: readonly MemberRole[]): Person {
    return this.#options.people.pick(this.#dice, workspace, standings, ANYBODY_SHARE);
  }

  /** Somebody else who may be an owner; null: there is none. */
  #otherOwner({ workspace, memberId }: Person): Person | null {
    const others = this.#options.people.in(workspace, ['owner']).filter((person) => person.memberId !== memberId);
    return others.length === 0 ? null : this.#dice.pick(others);
  }

  async #invite(workspace: Workspace): Promise<void> {
    const inviter = this.#pick(workspace, ['owner']);
    const visit = await this.#visitor.enter(inviter);
    if (visit === null) return;
    const fate = this.#dice.choose(FATES);
    const invitation = await this.#inviteAs(visit, this.#address(workspace));
    if (invitation === null) return;
    await this.#caller.pause(this.#dice.random() * SOON_MS);
    await this.#meet(fate, invitation, visit);
  }

  /** An address that nobody has, or one of who is no Member any more. */
  #address(workspace: Workspace): string {
    const { people } = this.#options;
    const former = people.in(workspace, ['none']);
    return former.length > 0 && this.#dice.chance(KNOWN_ADDRESS_SHARE)
      ? this.#dice.pick(former).email
      : people.newAddress();
  }

  /** Null: it is not known to stand, and nobody has a mail. */
  async #inviteAs(visit: Visit, email: string): Promise<MailedInvitation | null> {
    const { world, people } = this.#options;
    const { workspace, person } = visit;
    const [invitationId, memberId] = [this.#freshId(workspace), this.#freshId(workspace)];
    const lifeMs = this.#dice.chance(SHORT_SHARE)
      ? this.#dice.between(SHORT_LIFE_MS.least, SHORT_LIFE_MS.most)
      : WEEK_MS;
    const role = this.#dice.pick(['owner', 'owner', 'editor', 'editor', 'viewer'] as const);
    const invited = { invitationId, email, role, expiresAt: world.engine.now + lifeMs };
    const invitedBy = person.memberId;
    const seen = await this.#visitor.askFor(
      visit,
      { what: 'invite', ...invited },
      { type: 'InviteMember', workspaceId: workspace.id, name: null, invitedBy, ...invited },
    );
    if (seen !== 'ok') return null;
    const invitation = { ...invited, workspace: person.workspace, inviterId: invitedBy, memberId };
    people.invitations.push(invitation);
    return invitation;
  }

  /** What becomes of an invitation. */
  async #meet(fate: Fate, invitation: MailedInvitation, inviter: Visit): Promise<void> {
    const { world } = this.#options;
    const { workspace, expiresAt, invitationId } = invitation;
    if (expiresAt < world.engine.now + WEEK_MS / 2)
      await this.#caller.pause(expiresAt - world.engine.now + this.#dice.between(-AFTER_EXPIRY_MS, AFTER_EXPIRY_MS));
    switch (fate) {
      case 'accepted':
        return this.#accept(invitation);
      case 'accepted twice':
        await Promise.all([this.#accept(invitation), this.#accept(invitation)]);
        return;
      case 'for two Members':
        await Promise.all([
          this.#accept(invitation),
          this.#accept({ ...invitation, memberId: this.#freshId(workspace) }),
        ]);
        return;
      case 'by another account':
        await this.#accept({ ...invitation, memberId: this.#freshId(workspace) }, this.#options.people.newAddress());
        return this.#accept(invitation);
      case 'revoked': {
        const draft = { type: 'RevokeInvitation', workspaceId: workspace.id, invitationId } as const;
        await this.#visitor.askFor(inviter, { what: 'revoke an invitation', invitationId }, draft);
        return this.#accept(invitation);
      }
      case 'replaced': {
        const next = await this.#inviteAs(inviter, invitation.email);
        await this.#accept(invitation);
        return next === null ? undefined : this.#accept(next);
      }
      case 'the inviter goes':
        await this.#demoteOrRemove(inviter.person);
        return this.#accept(invitation);
    }
  }

  /** `email`: of the account that accepts; left out: the right one. */
  async #accept(invitation: MailedInvitation, email = invitation.email): Promise<void> {
    const { recorder, people } = this.#options;
    const { workspace, invitationId, memberId } = invitation;
    await this.#pauseShortly();
    const entry = recorder.history.add<AcceptEntry>({
      ...{ kind: 'accept', ...recorder.opened(workspace), invitationId, email, memberId },
    });
    const accept = { type: 'AcceptInvitation', workspaceId: workspace.id, invitationId, memberId, email } as const;
    recorder.close(entry, outcomeOf(await this.#caller.tell({ ...accept, name: email })));
    if (entry.seen !== 'ok') return;
    people.joined({ ...invitation, email });
    const person = people.all.find((each) => each.memberId === memberId)!;
    await this.#visitor.look(person);
  }

  /** Long after, or by a second mail of the same invitation. */
  async #acceptAgain(workspace: Workspace): Promise<void> {
    const known = this.#options.people.invitations.filter((each) => each.workspace.id === workspace.id);
    if (known.length === 0) return;
    const invitation = this.#dice.pick(known);
    const memberId = this.#dice.chance(0.5) ? invitation.memberId : this.#freshId(workspace);
    await this.#accept({ ...invitation, memberId });
  }

  async #changeOne(workspace: Workspace, asked: (of: string) => Change): Promise<void> {
    const by = this.#pick(workspace, ['owner']);
    const target = this.#pick(workspace, ['owner', 'editor', 'viewer']);
    await this.#change(await this.#visitor.enter(by), target, asked(target.memberId));
  }

  /** `visit` null: the app let them in no more. */
  async #change(visit: Visit | null, target: Person, asked: Change): Promise<SeenAnswer> {
    if (visit === null) return 'refused';
    const { recorder } = this.#options;
    const { workspace } = visit;
    const { of: memberId } = asked;
    const draft =
      asked.what === 'remove'
        ? ({ type: 'RemoveMember', workspaceId: workspace.id, memberId } as const)
        : ({ type: 'ChangeMemberRole', workspaceId: workspace.id, memberId, role: asked.role } as const);
    // The endpoints of who is removed end with them.
    const hasEndpoints = recorder.history.of('endpoint').some(({ credentialId }) => credentialId === memberId);
    const ended =
      asked.what === 'remove' && hasEndpoints
        ? recorder.history.add({ kind: 'ended', ...recorder.opened(workspace), credentialId: memberId })
        : null;
    const seen = await this.#visitor.ask(visit, asked, async () => {
      const outcome = await this.#caller.ask(workspace, draft);
      if (ended !== null) recorder.close(ended, outcome);
      return outcome;
    });
    if (seen === 'ok') await this.#visitor.look(target);
    return seen;
  }

  /** All who may be owners give it up, or take it from one another. */
  async #ownersGo(workspace: Workspace): Promise<void> {
    const owners = this.#options.people.in(workspace, ['owner']);
    const going = owners.map((target) => ({
      target,
      by: this.#dice.chance(0.7) ? target : this.#dice.pick(owners),
      asked: this.#dice.chance(0.5)
        ? ({ what: 'remove', of: target.memberId } as const)
        : ({
            what: 'change a role',
            of: target.memberId,
            role: this.#dice.pick(['editor', 'viewer'] as const),
          } as const),
      afterMs: this.#dice.chance(0.7) ? 0 : this.#dice.random() * 1_000,
    }));
    await Promise.all(
      going.map(async ({ target, by, asked, afterMs }) => {
        const visit = await this.#visitor.enter(by);
        await this.#caller.pause(afterMs);
        await this.#change(visit, target, asked);
      }),
    );
  }

  async #act(workspace: Workspace): Promise<void> {
    const visit = await this.#visitor.enter(this.#pick(workspace, ['owner', 'editor', 'viewer']));
    if (visit === null) return;
    for (let count = this.#dice.between(1, 4); count > 0; count--) {
      await this.#acts.do(visit, this.#dice);
      await this.#caller.pause(this.#dice.random() * 2_000);
    }
  }

  /** Their page was open before: what they ask for comes while their right is taken, and after that was answered. */
  async #actWhileItEnds(workspace: Workspace): Promise<void> {
    const person = this.#pick(workspace, ['owner', 'editor', 'viewer']);
    const visit = await this.#visitor.enter(person);
    if (visit === null) return;
    const pauseMs = this.#dice.random() * 400;
    await Promise.all([
      this.#demoteOrRemove(person),
      this.#caller.pause(pauseMs).then(() => this.#acts.do(visit, this.#dice)),
    ]);
    for (let count = 3; count > 0; count--) {
      await this.#pauseShortly();
      await this.#acts.do(visit, this.#dice);
    }
  }

  /** By another owner, or by themselves where there is none. */
  async #demoteOrRemove(person: Person): Promise<SeenAnswer> {
    const { memberId: of } = person;
    const asked = this.#dice.pick<Change>([
      { what: 'remove', of },
      { what: 'change a role', of, role: 'viewer' },
      { what: 'change a role', of, role: 'editor' },
    ]);
    return this.#change(await this.#visitor.enter(this.#otherOwner(person) ?? person), person, asked);
  }

  /** An app ends with the role of its Member, and does not come back with it. */
  async #appOverDemotion(workspace: Workspace): Promise<void> {
    const person = this.#pick(workspace, ['editor']);
    const [visit, owner] = [await this.#visitor.enter(person), this.#otherOwner(person)];
    if (visit === null || owner === null) return;
    await this.#acts.approveApp(visit, this.#dice);
    await this.#acts.useOne(person, person.approvalIds, this.#dice);
    for (const role of ['viewer', 'editor'] as const) {
      const asked = { what: 'change a role', of: person.memberId, role } as const;
      await this.#change(await this.#visitor.enter(owner), person, asked);
      await this.#acts.useOne(person, person.approvalIds, this.#dice);
    }
  }

  /** A key of who is removed, or looks on from then on, changes nothing. */
  async #keyOverEnd(workspace: Workspace): Promise<void> {
    const person = this.#pick(workspace, ['owner', 'editor']);
    const [visit, owner] = [await this.#visitor.enter(person), this.#otherOwner(person)];
    if (visit === null || owner === null) return;
    await this.#acts.makeKey(visit, this.#dice);
    await this.#acts.useOne(person, person.keyIds, this.#dice);
    const asked = this.#dice.pick<Change>([
      { what: 'remove', of: person.memberId },
      { what: 'change a role', of: person.memberId, role: 'viewer' },
    ]);
    await this.#change(await this.#visitor.enter(owner), person, asked);
    await this.#acts.useOne(person, person.keyIds, this.#dice);
  }

  /** What is asked at the instant of an answer may have been asked before it, as far as checks can tell. */
  #pauseShortly(): Promise<void> {
    return this.#caller.pause(1 + this.#dice.random() * 100);
  }

  #freshId({ id }: Workspace): string {
    return freshId(this.#options.world, this.#dice, id);
  }
}

type Change = Extract<Asked, { what: 'remove' | 'change a role' }>;

/** Two, so that their deeds overlap; in worlds without Members none. */
export function memberClients(
  world: World,
  history: History,
  workspaces: readonly Workspace[],
): readonly MemberClient[] {
  if (!world.parts.includes('members')) return [];
  const people = new People(history, workspaces, () => world.engine.now);
  return ['people-1', 'people-2'].map(
    (name) => new MemberClient({ world, recorder: new Recorder(world, history, name), people, name, workspaces }),
  );
}
