import { parallelMap } from '#concurrency/parallel-map.ts';
import type { HttpClient } from '#ports/http-client.ts';
import type { AuthAnswer, NetworkEndpoints } from '../contract/adapter.ts';
import { at, listAt, summaryOf, textAt, type CallResult } from '../http/call.ts';
import { isTrustedAddress } from '../http/trusted-address.ts';
import { graphGet, type GraphCaller } from './calls.ts';
import type { FacebookLogin } from './facebook-login.ts';
import { withoutValue } from './token-answer.ts';
import { versioned } from './version.ts';

/** A Facebook Page that the person lets us publish to. */
export interface FacebookPage {
  readonly id: string;
  readonly name: string;
  readonly username: string | null;
  readonly pictureUrl: string | null;
  readonly accessToken: string;
  /** Who signed in, by the id that Facebook gives them towards this app. */
  readonly personId: string;
  /** The professional Instagram account that belongs to it. */
  readonly instagram: {
    readonly id: string;
    readonly username: string;
    readonly name: string | null;
    readonly pictureUrl: string | null;
  } | null;
}

const INSTAGRAM = 'instagram_business_account{id,username,name,profile_picture_url}';
/** Of a Page in the list, and of one that is asked for by its id. */
const LISTED_FIELDS = 'id,name,username,access_token,tasks,picture.type(large){url}';
const PAGE_FIELDS = 'id,name,username,access_token,picture{url}';
const PUBLISHING_TASKS = ['CREATE_CONTENT', 'PROFILE_PLUS_CREATE_CONTENT'];
const MAX_ANSWERS = 50;
const MAX_TARGETS = 200;
/** A browser waits for the last of them. */
const PAGES_AT_ONCE = 10;
const DOMAINS = ['.facebook.com'];

export interface PagesRequest {
  readonly login: FacebookLogin;
  /** The scope that a Page must have given. */
  readonly scope: string;
  /** Whether their Instagram accounts are read, which takes the permission `instagram_basic`. */
  readonly withInstagram: boolean;
}

/**
 * The Pages behind a person's token, once they have granted what publishing needs. The list of Pages leaves out those
 * of a business portfolio, however much was granted; so the token itself is asked, too, which Pages `scope` was granted
 * for.
 */
export async function pagesOf(
  http: HttpClient,
  accessToken: string,
  api: NetworkEndpoints['api'],
  { login, scope, withInstagram }: PagesRequest,
): Promise<AuthAnswer<readonly FacebookPage[]>> {
  const allGranted = await login.allGranted(http, accessToken);
  if (allGranted.kind !== 'ok') return allGranted;
  const caller = { http, accessToken };
  const instagram = withInstagram ? `,${INSTAGRAM}` : '';
  const listed = await listedPages(caller, api, `${LISTED_FIELDS}${instagram}`);
  if (listed.kind !== 'ok') return listed;
  const inspected = await login.inspect(http, accessToken);
  const granted = grantedIn(inspected, [accessToken, login.appSecret], scope);
  if (listed.value.length === 0) {
    if (granted.kind !== 'ok') return granted;
    if (granted.value.length === 0) return { kind: 'ok', value: [] };
  }
  const person = await personOf(caller, inspected, login);
  if (person.kind !== 'ok') return person;
  const personId = person.value;
  const pages = listed.value.filter(mayPublish).flatMap((page) => pageOf(page, personId));
  // What is listed can be connected, whatever the token says of others.
  if (granted.kind !== 'ok') return { kind: 'ok', value: pages };
  const known = new Set(listed.value.map((page) => textAt(page, 'id')));
  const others = [...new Set(granted.value)].filter((id) => !known.has(id)).slice(0, MAX_TARGETS);
  const query = new URLSearchParams({ fields: `${PAGE_FIELDS}${instagram}` });
  const answers: (CallResult | undefined)[] = [];
  await parallelMap(PAGES_AT_ONCE, others.entries(), async ([index, id]) => {
    if (answers.some((each) => each?.kind === 'lost')) return;
    answers[index] = await graphGet(caller, `${versioned(api)}/${encodeURIComponent(id)}?${query}`);
  });
  for (const called of answers) {
    if (called?.kind === 'lost') return withoutValue(called, [accessToken]);
    // One Page that can't be read is not in the way of the others.
    if (called?.status === 200) pages.push(...pageOf(called.json, personId));
  }
  return { kind: 'ok', value: pages };
}

/**
 * The id by which Facebook names the person when they take our access away, or have their data deleted. Pages without
 * it would not be found then, so a sign-in waits for it.
 */
async function personOf(
  { http, accessToken }: GraphCaller,
  inspected: CallResult,
  login: FacebookLogin,
): Promise<AuthAnswer<string>> {
  const told =
    inspected.kind === 'answered' && inspected.status === 200 ? textAt(inspected.json, 'data', 'user_id') : null;
  if (told !== null) return { kind: 'ok', value: told };
  const asked = await login.ownerOf(http, accessToken);
  const id = asked.kind === 'answered' && asked.status === 200 ? textAt(asked.json, 'id') : null;
  return id === null ? withoutValue(asked, [accessToken]) : { kind: 'ok', value: id };
}

/** What /me/accounts lists, as it is. */
async function listedPages(
  caller: GraphCaller,
  api: NetworkEndpoints['api'],
  fields: string,
): Promise<AuthAnswer<readonly unknown[]>> {
  const found: unknown[] = [];
  let url: string | null = `${versioned(api)}/me/accounts?${new URLSearchParams({ fields, limit: '100' })}`;
  for (let answers = 0; url !== null && answers < MAX_ANSWERS; answers++) {
    const called: CallResult = await graphGet(caller, url);
    if (called.kind === 'lost' || called.status !== 200) return withoutValue(called, [caller.accessToken]);
    found.push(...listAt(called.json, 'data'));
    const next = textAt(called.json, 'paging', 'next');
    url = next !== null && isTrustedAddress(next, [api], DOMAINS) ? next : null;
  }
  return { kind: 'ok', value: found };
}

/**
 * Ids that `scope` was granted for, as the token's inspection says. A scope that is there without ids was granted for
 * whatever there is, which the list has.
 */
function grantedIn(called: CallResult, secrets: readonly string[], scope: string): AuthAnswer<readonly string[]> {
  if (called.kind === 'lost' || called.status !== 200) return withoutValue(called, secrets);
  const granular = listAt(called.json, 'data', 'granular_scopes').find((each) => textAt(each, 'scope') === scope);
  if (granular === undefined)
    return { kind: 'refused', summary: summaryOf(called, `this permission was not given: ${scope}`) };
  return { kind: 'ok', value: listAt(granular, 'target_ids').flatMap((id) => textAt({ id }, 'id') ?? []) };
}

function mayPublish(page: unknown): boolean {
  const tasks = listAt(page, 'tasks');
  return at(page, 'tasks') === undefined || PUBLISHING_TASKS.some((task) => tasks.includes(task));
}

/** None, where there is no token for the Page: the person has no role there. */
function pageOf(page: unknown, personId: string): readonly FacebookPage[] {
  const [id, accessToken] = [textAt(page, 'id'), textAt(page, 'access_token')];
  if (id === null || accessToken === null) return [];
  const linked = at(page, 'instagram_business_account');
  const [instagramId, username] = [textAt(linked, 'id'), textAt(linked, 'username')];
  const instagram =
    instagramId === null
      ? null
      : {
          id: instagramId,
          username: username ?? instagramId,
          name: textAt(linked, 'name'),
          pictureUrl: textAt(linked, 'profile_picture_url'),
        };
  const pictureUrl = textAt(page, 'picture', 'data', 'url') ?? textAt(page, 'picture', 'url');
  const name = textAt(page, 'name') ?? id;
  return [{ id, name, username: textAt(page, 'username'), pictureUrl, accessToken, personId, instagram }];
}
