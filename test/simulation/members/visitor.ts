import type { Credential } from '#domain/workspace/request-envelope.ts';
import { PERMISSIONS } from '#domain/workspace/state.ts';
import type { CallerAnswer, Draft, SimulatedCaller, Workspace } from '../caller.ts';
import type { Asked, MemberEntry, MembershipEntry, MembersListedEntry, SeenAnswer } from '../history.ts';
import type { Recorder } from '../recorder.ts';
import type { Person } from './people.ts';

/** A Member whom the app has let in: what they ask for comes later, and they may be none by then. */
export interface Visit {
  readonly person: Person;
  /** With the Member, a key or an app of theirs as the credential. */
  readonly workspace: Workspace;
  readonly by: Credential;
  /** When the row was read that let them in. */
  readonly since: number;
}

/** Reads and asks as the app does for people, and writes down what they saw. */
export class Visitor {
  readonly #recorder: Recorder;
  readonly #caller: SimulatedCaller;

  constructor(recorder: Recorder, caller: SimulatedCaller) {
    this.#recorder = recorder;
    this.#caller = caller;
  }

  /** As the app's procedures begin. Null: it let nobody in as this Member. */
  async enter(person: Person): Promise<Visit | null> {
    const { workspace, memberId } = person;
    const { membership, invokedAt: since } = await this.#membershipOf(person);
    if (membership?.memberId !== memberId) return null;
    const permissions = membership.role === 'viewer' ? [] : PERMISSIONS;
    const by: Credential = { kind: 'member', memberId };
    return { person, workspace: { ...workspace, credential: by, permissions }, by, since };
  }

  /** What was answered is visible from then on: to everybody in the list, to the account in its row. */
  async look(person: Person): Promise<void> {
    const { workspace } = person;
    const entry = this.#recorder.history.add<MembersListedEntry>({
      ...{ kind: 'members listed', ...this.#recorder.opened(workspace), members: null },
    });
    const listed = await this.#caller.members(workspace);
    if (listed?.ok) entry.members = listed.value.map(({ id, email, role }) => ({ id, email, role }));
    this.#recorder.close(entry, listed);
    await this.#membershipOf(person);
  }

  /** Sends it as a command of who visits. */
  askFor(visit: Visit, asked: Asked, draft: Draft): Promise<SeenAnswer> {
    return this.ask(visit, asked, () => this.#caller.ask(visit.workspace, draft));
  }

  /** The same, by a use case of its own. */
  async ask(visit: Visit, asked: Asked, send: () => Promise<CallerAnswer<unknown>>): Promise<SeenAnswer> {
    const { person, by, since, workspace } = visit;
    const { memberId } = person;
    const entry = this.#recorder.history.add<MemberEntry>({
      ...{ kind: 'member', ...this.#recorder.opened(workspace), memberId, by, since, asked },
    });
    this.#recorder.close(entry, await send());
    return entry.seen;
  }

  async #membershipOf({ workspace, email }: Person): Promise<MembershipEntry> {
    const entry = this.#recorder.history.add<MembershipEntry>({
      ...{ kind: 'membership', ...this.#recorder.opened(workspace), email, membership: null },
    });
    const found = await this.#caller.membership(workspace, email);
    if (found?.ok && found.value !== null) {
      const { memberId, role } = found.value;
      entry.membership = { memberId, role };
    }
    this.#recorder.close(entry, found);
    return entry;
  }
}
