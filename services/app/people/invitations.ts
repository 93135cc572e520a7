import type { Invitation } from '#domain/workspace/state.ts';
import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';
import { invitationLetter } from './letters.ts';
import type { MailQueue } from './mail-queue.ts';
import type { SignInLinks } from './sign-in-links.ts';

/** An invitation of a Workspace, with the words that its mail needs. */
export interface MailedInvitation extends Pick<Invitation, 'email' | 'name' | 'role' | 'expiresAt'> {
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly invitationId: string;
  /** The name of the Member who invites; null: an operator. */
  readonly invitedBy: string | null;
}

/**
 * Mails a link by which an invitation is accepted. Rejects with `PortError` when it was not mailed, or may not have
 * been; the invitation stands, and inviting again mails another link.
 */
export type MailInvitation = (invitation: MailedInvitation) => Promise<void>;

export interface InvitationsOptions {
  readonly links: SignInLinks;
  readonly mail: Pick<MailQueue, 'sendForWorkspace'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'uuid7'>;
}

/** Mails invitations at once, not after the answer: who invites is told when it fails. */
export function createMailInvitation({ links, mail, clock, ids }: InvitationsOptions): MailInvitation {
  return async (invitation) => {
    const { workspaceId, workspaceName, invitationId, email, name, role, expiresAt } = invitation;
    // The Member's id is chosen here, once: however often the link's form is sent, it makes one Member.
    const memberId = ids.uuid7(clock.now());
    const url = await links.make({
      email,
      purpose: 'invitation',
      browserHash: null,
      returnPath: '/app',
      expiresAt,
      invitation: { workspaceId, workspaceName, invitationId, memberId, role, name: name ?? email },
    });
    const letter = invitationLetter({ ...invitation, to: email, url });
    const failure = await mail.sendForWorkspace(workspaceId, letter, 'invitation');
    if (failure !== null) throw failure;
  };
}
