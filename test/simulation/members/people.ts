import type { MemberRole } from '#domain/workspace/state.ts';
import type { Workspace } from '../caller.ts';
import type { Dice } from '../dice.ts';
import type { History } from '../history.ts';
import { standingChanges, standingsWithin, type Standing } from './standings.ts';

/** Somebody who founded a Workspace, or whose acceptance was answered. */
export interface Person {
  readonly workspace: Workspace;
  readonly memberId: string;
  readonly email: string;
  readonly keyIds: string[];
  readonly approvalIds: string[];
}

/** An invitation that was answered, with the Member that its mail makes of whoever accepts it. */
export interface MailedInvitation {
  readonly workspace: Workspace;
  readonly invitationId: string;
  readonly inviterId: string;
  readonly email: string;
  readonly role: MemberRole;
  readonly expiresAt: number;
  readonly memberId: string;
}

const ADDRESSES = '@people.test';

/** Whether the address is of somebody whom an invitation of a world may make a Member. */
export function isOfPeople(email: string): boolean {
  return email.endsWith(ADDRESSES);
}

/** What all who act in a world as Members know of each other. */
export class People {
  readonly all: Person[];
  readonly invitations: MailedInvitation[] = [];
  readonly #history: History;
  readonly #now: () => number;
  #addresses = 0;

  constructor(history: History, workspaces: readonly Workspace[], now: () => number) {
    this.#history = history;
    this.#now = now;
    this.all = workspaces.map((workspace) => ({
      ...{ workspace, memberId: workspace.ownerId, email: workspace.ownerEmail },
      ...{ keyIds: [], approvalIds: [] },
    }));
  }

  newAddress(): string {
    return `guest-${++this.#addresses}${ADDRESSES}`;
  }

  /** How the person may stand now. */
  standingsOf({ workspace, memberId }: Person): ReadonlySet<Standing> {
    const now = this.#now();
    return standingsWithin(standingChanges(this.#history, workspace, memberId), now, now);
  }

  /** Those of a Workspace who may stand so now. */
  in({ id }: Workspace, standings: readonly Standing[]): readonly Person[] {
    return this.all.filter((person) => {
      if (person.workspace.id !== id) return false;
      const possible = this.standingsOf(person);
      return standings.some((standing) => possible.has(standing));
    });
  }

  /** Mostly somebody who may stand so; now and then anybody, or where there is nobody. */
  pick(dice: Dice, workspace: Workspace, standings: readonly Standing[], anybodyShare = 0): Person {
    const some = dice.chance(anybodyShare) ? [] : this.in(workspace, standings);
    return dice.pick(some.length > 0 ? some : this.all.filter((person) => person.workspace.id === workspace.id));
  }

  /** Once an acceptance is answered. */
  joined({ workspace, memberId, email }: MailedInvitation): void {
    if (this.all.some((person) => person.memberId === memberId)) return;
    this.all.push({ workspace, memberId, email, keyIds: [], approvalIds: [] });
  }
}
