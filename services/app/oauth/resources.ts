import { PERMISSIONS, type Permission } from '#domain/workspace/state.ts';

/** Clients ask for it to be given refresh tokens; everybody gets them, so it opens nothing. */
export const OFFLINE_ACCESS = 'offline_access';

/** What a client that names no scope asks for. */
export const DEFAULT_PERMISSION: Permission = 'posts:schedule';

/** The two things that tokens are for, by their addresses (RFC 8707). */
export interface Resources {
  readonly mcp: string;
  readonly api: string;
}

/** `publicUrl`: without a slash at the end. */
export function resourcesOf(publicUrl: string): Resources {
  return { mcp: `${publicUrl}/mcp`, api: `${publicUrl}/api` };
}

/** The resource that a client means, however many slashes are at the end; null: it is none of ours. */
export function resourceOf({ mcp, api }: Resources, named: string): string | null {
  const bare = named.replace(/\/$/, '');
  return bare === mcp || bare === api ? bare : null;
}

/** Whether a scope is one that means something here. */
export function isPermission(scope: string): scope is Permission {
  return PERMISSIONS.some((permission) => permission === scope);
}

/** The permissions in a list of scopes, with spaces between; none where it is no text. */
export function permissionsOf(scope: unknown): readonly Permission[] {
  return typeof scope === 'string' ? scope.split(' ').filter(isPermission) : [];
}
