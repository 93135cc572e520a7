import type { SendOperatorCommand } from '#commands/operator-command.ts';
import { derivedId } from '#domain/derived-id.ts';
import type { Result } from '#domain/workspace/results.ts';
import type { SignedIn } from './signed-in.ts';

export interface SignUp {
  /** Of the Workspace. */
  readonly name: string;
  /** Of its first owner; left out: the e-mail address. */
  readonly ownName?: string | undefined;
  /** IANA name, of the browser; left out: not known. */
  readonly timeZone?: string | undefined;
  /** Of the page: sent twice, it makes one Workspace. */
  readonly nonce: string;
  /** The caller's IP address. */
  readonly address: string | null | undefined;
}

/** Makes a Workspace whose owner is who is signed in. Rejects with `PortError` when the command was not appended. */
export async function makeWorkspace(
  { accountId, email }: Pick<SignedIn, 'accountId' | 'email'>,
  { name, ownName, timeZone, nonce, address }: SignUp,
  sendCommand: SendOperatorCommand,
): Promise<{ readonly workspaceId: string; readonly result: Result }> {
  const idOf = (what: string): string => derivedId(['sign-up', what, accountId, nonce].join('\0'));
  const workspaceId = idOf('workspace');
  const owner = { memberId: idOf('member'), name: ownName ?? email, email, emailVerified: true };
  const result = await sendCommand(
    workspaceId,
    { type: 'CreateWorkspace', name, plan: 'free', owner, ...(timeZone !== undefined && { timeZone }) },
    { address },
  );
  return { workspaceId, result };
}
