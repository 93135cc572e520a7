import type { Accounts } from '../accounts.ts';
import { isRecord, type SandboxAnswer } from '../exchange.ts';
import type { ItemOptions } from '../items.ts';
import type { ContainerRequest } from './container-request.ts';
import type { ContainerKind } from './containers.ts';
import { parameterError, tooManyTags, unreachableUsers } from './graph-errors.ts';
import { PERSONAL } from './oauth.ts';

const MAX_COLLABORATORS = 3;
const MAX_TAGS = 20;
const USERNAME = /^[\w.]{1,30}$/;

export interface RequestedContainer {
  readonly kind: ContainerKind;
  readonly video: boolean;
}

type GivenOption<Name extends keyof ItemOptions> = Pick<ItemOptions, Name>;

/** A list in a JSON body, or as JSON in a parameter. Null: it is no list; undefined: it was left out. */
function listOf({ request, parameters }: ContainerRequest, name: string): readonly unknown[] | null | undefined {
  const body = /^application\/json\b/i.test(request.header('content-type')) ? request.json() : undefined;
  const inBody = isRecord(body) ? body[name] : undefined;
  if (Array.isArray(inBody)) return inBody;
  const text = parameters.get(name);
  if (text === null) return inBody === undefined ? undefined : null;
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : null;
  } catch {
    return null;
  }
}

/** The names that Instagram can't load: no account has such a name, or only its followers see the account. */
function unreachable(names: readonly string[], accounts: Accounts): SandboxAnswer | null {
  const hidden = names.filter(
    (name) => !USERNAME.test(name) || accounts.byUsername('instagram', name)?.kind === PERSONAL,
  );
  return hidden.length === 0 ? null : unreachableUsers(hidden);
}

function readCollaborators(
  call: ContainerRequest,
  { kind }: RequestedContainer,
  accounts: Accounts,
): GivenOption<'collaborators'> | SandboxAnswer {
  const list = listOf(call, 'collaborators');
  if (list === undefined) return {};
  if (kind === 'story' || kind === 'child') return parameterError('(#100) Param collaborators is not allowed here.');
  if (list === null || !list.every((name) => typeof name === 'string'))
    return parameterError('(#100) Param collaborators must be an array of strings.');
  if (list.length > MAX_COLLABORATORS)
    return parameterError(`(#100) Param collaborators must have at most ${MAX_COLLABORATORS} usernames.`);
  return unreachable(list, accounts) ?? (list.length === 0 ? {} : { collaborators: list });
}

interface NewTag {
  readonly username: string;
  readonly x?: number;
  readonly y?: number;
}

/** Null: it is no tag. A picture needs the place, a Story may have it, and a video's has none. */
function readTag(value: unknown, { kind, video }: RequestedContainer): NewTag | null {
  if (!isRecord(value) || typeof value['username'] !== 'string' || value['username'] === '') return null;
  const { username, x, y } = value;
  if (video && kind !== 'story') return { username };
  if (x === undefined && y === undefined) return kind === 'story' ? { username } : null;
  const isPlace = (part: unknown): part is number => typeof part === 'number' && part >= 0 && part <= 1;
  return isPlace(x) && isPlace(y) ? { username, x, y } : null;
}

function readTags(
  call: ContainerRequest,
  wanted: RequestedContainer,
  accounts: Accounts,
): GivenOption<'userTags'> | SandboxAnswer {
  const list = listOf(call, 'user_tags');
  if (list === undefined) return {};
  if (wanted.kind === 'carousel') return parameterError('(#100) Param user_tags is not allowed here.');
  if (list !== null && list.length > MAX_TAGS) return tooManyTags();
  const userTags = (list ?? [null]).map((tag) => readTag(tag, wanted));
  if (!userTags.every((tag) => tag !== null))
    return parameterError('(#100) Param user_tags must be an array of {username, x, y}, x and y from 0.0 to 1.0.');
  const names = userTags.map(({ username }) => username);
  return unreachable(names, accounts) ?? (userTags.length === 0 ? {} : { userTags });
}

/** Only reels are shared to the feed, or not; elsewhere the parameter is not read. */
function readShareToFeed(
  { parameters }: ContainerRequest,
  { kind }: RequestedContainer,
): GivenOption<'shareToFeed'> | SandboxAnswer {
  const value = kind === 'reel' ? parameters.get('share_to_feed') : null;
  if (value === null) return {};
  return ['true', '1', 'false', '0'].includes(value)
    ? { shareToFeed: value === 'true' || value === '1' }
    : parameterError('(#100) Param share_to_feed must be a boolean.');
}

/** What the call says beside the file, in our names; an answer where Instagram refuses it. */
export function readOptions(
  call: ContainerRequest,
  wanted: RequestedContainer,
  accounts: Accounts,
): ItemOptions | SandboxAnswer {
  let given: ItemOptions = {};
  for (const part of [
    readCollaborators(call, wanted, accounts),
    readTags(call, wanted, accounts),
    readShareToFeed(call, wanted),
  ]) {
    if ('status' in part) return part;
    given = { ...given, ...part };
  }
  return given;
}
