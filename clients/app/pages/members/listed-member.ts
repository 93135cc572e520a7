import type { MemberRole } from '#domain/workspace/state.ts';

/** A Member as the server tells of them. */
export interface ListedMember {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly role: MemberRole;
}

/** What a question about a Member needs. */
export interface MemberDialogProps {
  readonly member: ListedMember;
  readonly isLastOwner: boolean;
  readonly onClose: () => void;
}
