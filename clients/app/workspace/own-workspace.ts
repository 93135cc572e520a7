import { readText } from '../preferences/preference.ts';
import type { AppSession } from './session.ts';

/** The id of the Workspace that was shown last, as this browser keeps it. */
export const LAST_WORKSPACE = 'workspace';

/**
 * The Workspace that an address shows: the one that it names, else the last one, else the first. Undefined: the person
 * is in none, or not in the one that is named.
 */
export function ownWorkspace(
  { workspaces }: Pick<AppSession, 'workspaces'>,
  named: string | undefined,
): AppSession['workspaces'][number] | undefined {
  const wanted = named ?? readText(LAST_WORKSPACE);
  return workspaces.find(({ id }) => id === wanted) ?? (named === undefined ? workspaces[0] : undefined);
}
