import type { SendOperatorCommand } from '#commands/operator-command.ts';
import type { Membership } from '#tables/repositories/memberships.ts';

export interface MailboxProofOptions {
  readonly sendCommand: SendOperatorCommand;
}

type Unverified = Pick<Membership, 'workspaceId' | 'memberId' | 'emailVerified' | 'removed'>;

/**
 * Verifies the address of who is signed in where a Workspace does not know it yet: an operator may have added them
 * after they signed in. A session was begun by a link that was mailed to the address, so it proves as much as the link.
 */
export class MailboxProof {
  readonly #options: MailboxProofOptions;
  /** What is on its way, by Member: a page asks for several things at once. */
  readonly #underWay = new Map<string, Promise<boolean>>();

  constructor(options: MailboxProofOptions) {
    this.#options = options;
  }

  /**
   * Whether the Workspace knows the address as verified now. A Workspace that does not answer keeps nobody from the
   * others, and is asked again by the next request. Never rejects.
   */
  async of({ workspaceId, memberId, emailVerified, removed }: Unverified, address: string | null): Promise<boolean> {
    if (emailVerified || removed) return emailVerified;
    const key = `${workspaceId} ${memberId}`;
    const underWay = this.#underWay.get(key) ?? this.#verify({ workspaceId, memberId }, address);
    this.#underWay.set(key, underWay);
    try {
      return await underWay;
    } finally {
      this.#underWay.delete(key);
    }
  }

  async #verify(
    { workspaceId, memberId }: Pick<Unverified, 'workspaceId' | 'memberId'>,
    address: string | null,
  ): Promise<boolean> {
    try {
      const { ok } = await this.#options.sendCommand(workspaceId, { type: 'VerifyEmail', memberId }, { address });
      return ok;
    } catch {
      return false;
    }
  }
}
