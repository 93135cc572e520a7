import { hash } from 'node:crypto';
import { postIdOf } from './ids.ts';

/** The twelve bits of a UUIDv7 between its version and its variant. */
const [FROM, TO] = [15, 18] as const;

/**
 * A Post's id: a fresh UUIDv7 whose last byte is cleared, since its Variants count up from it, and whose first twelve
 * random bits are a hash of the Workspace's id. The hash names no Workspace, and leaves out all but one in 4,096: who
 * has nothing but the id need not look into each (`findWorkspaceOf`). Ids of earlier releases have chance there.
 */
export function newPostId(uuid7: string, workspaceId: string): string {
  return postIdOf(uuid7.slice(0, FROM) + hashOf(workspaceId) + uuid7.slice(TO));
}

/** Whether the id of a Post, or of a Variant, has the hash of this Workspace. */
export function carriesHashOf(id: string, workspaceId: string): boolean {
  return id.slice(FROM, TO) === hashOf(workspaceId);
}

function hashOf(workspaceId: string): string {
  return hash('sha256', workspaceId, 'hex').slice(0, TO - FROM);
}
