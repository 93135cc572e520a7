import { createHash } from 'node:crypto';
import type { Credential } from '#domain/workspace/request-envelope.ts';
import type { Draft, Workspace } from './caller.ts';
import type { Dice } from './dice.ts';
import { freshId } from './fresh-id.ts';
import type { World } from './world.ts';

/** How a credential of a Member comes to be, and how it ends. */
export interface CredentialLife {
  readonly credential: Credential;
  readonly begin: readonly Draft[];
  /** A key or an approval is revoked, or its Member removed. */
  readonly end: Draft;
}

/** A further Member with a verified e-mail, who has a key or approves an app. */
export function drawCredentialLife(world: World, dice: Dice, { id }: Workspace): CredentialLife {
  const fresh = (): string => freshId(world, dice, id);
  const [memberId, credentialId] = [fresh(), fresh()];
  const isKey = dice.chance(0.5);
  const permissions = ['posts:schedule', 'posts:publish', 'webhooks:manage'] as const;
  const member: readonly Draft[] = [
    { type: 'AddMember', workspaceId: id, memberId, name: 'Bo', email: `${memberId}@example.com` },
    { type: 'VerifyEmail', workspaceId: id, memberId },
  ];
  const key: Draft = {
    type: 'CreateKey',
    workspaceId: id,
    keyId: credentialId,
    memberId,
    name: 'key',
    permissions,
    tokenHash: createHash('sha256').update(credentialId).digest('hex'),
  };
  const approval: Draft = {
    type: 'ApproveApp',
    workspaceId: id,
    approvalId: credentialId,
    clientId: 'an app',
    name: 'an app',
    registered: 'itself',
    redirectHost: 'app.test',
    memberId,
    permissions,
    forget: [],
  };
  const revoked: Draft = isKey
    ? { type: 'RevokeKey', workspaceId: id, keyId: credentialId }
    : { type: 'RevokeApproval', workspaceId: id, approvalId: credentialId };
  const removed: Draft = { type: 'RemoveMember', workspaceId: id, memberId };
  return {
    credential: isKey ? { kind: 'key', keyId: credentialId } : { kind: 'app', approvalId: credentialId },
    begin: [...member, isKey ? key : approval],
    end: dice.chance(0.5) ? revoked : removed,
  };
}
