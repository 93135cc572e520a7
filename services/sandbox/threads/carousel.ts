import { isRecord, type SandboxAnswer, type Incoming } from '../exchange.ts';
import { statusOf } from '../graph/container-status.ts';
import type { Containers } from './containers.ts';
import { mediaNotFound, parameterError } from './graph-errors.ts';

const MIN_ITEMS = 2;
const MAX_ITEMS = 20;

/** The items that a carousel names: a comma list, or a JSON array, in the form or in a JSON body. */
export function childIds(request: Incoming, parameters: URLSearchParams): readonly string[] {
  const body = request.json();
  if (isRecord(body) && Array.isArray(body['children'])) return body['children'].map(String);
  return (parameters.get('children') ?? '')
    .replace(/[[\]"\s]/g, '')
    .split(',')
    .filter((id) => id !== '');
}

/** Why these can't be a carousel of the account; null when they can: each is an item and finished its processing. */
export function refuseChildren(
  ids: readonly string[],
  accountId: string,
  now: number,
  containers: Containers,
): SandboxAnswer | null {
  if (ids.length < MIN_ITEMS || ids.length > MAX_ITEMS || new Set(ids).size < ids.length) {
    return parameterError(`(#100) Param children must name ${MIN_ITEMS} to ${MAX_ITEMS} different items.`);
  }
  for (const id of ids) {
    const child = containers.get(id);
    if (child === null || child.accountId !== accountId || !child.isChild)
      return parameterError(`(#100) Param children names ${id.slice(0, 60)}, which is no item of a carousel.`);
    if (statusOf(child, now) !== 'FINISHED') return mediaNotFound(id);
  }
  return null;
}
