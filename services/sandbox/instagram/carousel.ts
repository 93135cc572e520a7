import { isRecord, type SandboxAnswer, type Incoming } from '../exchange.ts';
import type { ContainerRequest, InstagramOptions } from './container-request.ts';
import type { ItemOptions } from '../items.ts';
import { statusOf } from '../graph/container-status.ts';
import { badCarousel, notReady } from './graph-errors.ts';
import { keepContainer, processingOf } from './keep-container.ts';

const MIN_ITEMS = 2;
const MAX_ITEMS = 10;

/** A comma list, or a JSON array. */
function childIds(request: Incoming, parameters: URLSearchParams): readonly string[] {
  const body = request.json();
  if (isRecord(body) && Array.isArray(body['children'])) return body['children'].map(String);
  const text = parameters.get('children') ?? '';
  return text
    .replace(/[[\]"\s]/g, '')
    .split(',')
    .filter((id) => id !== '');
}

/** POST /{ig}/media of an album: its items were made before, and are ready. */
export function createCarousel(call: ContainerRequest, given: ItemOptions, options: InstagramOptions): SandboxAnswer {
  const { request, parameters, account, fault, now } = call;
  const children = childIds(request, parameters);
  if (children.length < MIN_ITEMS || children.length > MAX_ITEMS)
    return badCarousel(`A carousel needs ${MIN_ITEMS} to ${MAX_ITEMS} items.`);
  if (new Set(children).size < children.length) return badCarousel('A carousel takes an item once.');
  for (const id of children) {
    const child = options.containers.get(id);
    const shown = id.slice(0, 60);
    if (child === null || child.accountId !== account.accountId || child.kind !== 'child')
      return badCarousel(`The item ${shown} is not one for a carousel.`);
    const status = statusOf(child, now);
    if (status !== 'FINISHED')
      return status === 'IN_PROGRESS' ? notReady() : badCarousel(`The item ${shown} is ${status}.`);
  }
  return keepContainer(call, options, {
    kind: 'carousel',
    file: null,
    uploadId: null,
    children,
    thumbOffsetMs: 0,
    options: given,
    ...processingOf({ isVideo: false, fault, wrong: null, now }, options),
  });
}
