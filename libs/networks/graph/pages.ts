import type { HttpClient } from '#ports/http-client.ts';
import type { AuthAnswer, NetworkEndpoints } from '../contract/adapter.ts';
import { at, listAt, summaryOf, textAt, type CallResult } from '../http/call.ts';
import { isTrustedAddress } from '../http/trusted-address.ts';
import { graphGet } from './calls.ts';
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
  /** The professional Instagram account that belongs to it. */
  readonly instagram: {
    readonly id: string;
    readonly username: string;
    readonly name: string | null;
    readonly pictureUrl: string | null;
  } | null;
}

const INSTAGRAM = 'instagram_business_account{id,username,name,profile_picture_url}';
const LISTED_FIELDS = `id,name,username,access_token,tasks,picture.type(large){url},${INSTAGRAM}`;
const MAX_ANSWERS = 50;
const MAX_TARGETS = 200;
const DOMAINS = ['.facebook.com'];

/**
 * The Pages behind a person's token, once they have granted everything. The list of Pages comes out empty for those of
 * a business portfolio, however much was granted; then the token itself is asked which Pages `scope` was granted for.
 * `withInstagram`: with their Instagram accounts then, too.
 */
export async function pagesOf(
  http: HttpClient,
  accessToken: string,
  api: NetworkEndpoints['api'],
  {
    login,
    scope,
    withInstagram,
  }: { readonly login: FacebookLogin; readonly scope: string; readonly withInstagram: boolean },
): Promise<AuthAnswer<readonly FacebookPage[]>> {
  const allGranted = await login.allGranted(http, accessToken);
  if (allGranted.kind !== 'ok') return allGranted;
  const graph = versioned(api);
  const found: unknown[] = [];
  let url: string | null = `${graph}/me/accounts?${new URLSearchParams({ fields: LISTED_FIELDS, limit: '100' })}`;
  for (let answers = 0; url !== null && answers < MAX_ANSWERS; answers++) {
    const called: CallResult = await graphGet({ http, accessToken }, url);
    if (called.kind === 'lost' || called.status !== 200) return withoutValue(called, [accessToken]);
    found.push(...listAt(called.json, 'data'));
    const next = textAt(called.json, 'paging', 'next');
    url = next !== null && isTrustedAddress(next, [api], DOMAINS) ? next : null;
  }
  if (found.length > 0) return { kind: 'ok', value: found.filter(mayPublish).flatMap(pageOf) };
  const fields = `id,name,username,access_token,picture{url}${withInstagram ? `,${INSTAGRAM}` : ''}`;
  const granted = await grantedFor(http, accessToken, login, scope);
  if (granted.kind !== 'ok') return granted;
  const pages: FacebookPage[] = [];
  for (const id of granted.value.slice(0, MAX_TARGETS)) {
    const called = await graphGet(
      { http, accessToken },
      `${graph}/${encodeURIComponent(id)}?${new URLSearchParams({ fields })}`,
    );
    if (called.kind === 'lost') return withoutValue(called, [accessToken]);
    // One Page that can't be read is not in the way of the others.
    if (called.status === 200) pages.push(...pageOf(called.json));
  }
  return { kind: 'ok', value: pages };
}

/**
 * Ids that `scope` was granted for. A scope that is there without ids was granted for whatever there is, which the list
 * would have had.
 */
async function grantedFor(
  http: HttpClient,
  accessToken: string,
  login: FacebookLogin,
  scope: string,
): Promise<AuthAnswer<readonly string[]>> {
  const called = await login.inspect(http, accessToken);
  if (called.kind === 'lost' || called.status !== 200) return withoutValue(called, [accessToken]);
  const granular = listAt(called.json, 'data', 'granular_scopes').find((each) => textAt(each, 'scope') === scope);
  if (granular === undefined)
    return { kind: 'refused', summary: summaryOf(called, `this permission was not given: ${scope}`) };
  return { kind: 'ok', value: listAt(granular, 'target_ids').flatMap((id) => textAt({ id }, 'id') ?? []) };
}

function mayPublish(page: unknown): boolean {
  return at(page, 'tasks') === undefined || listAt(page, 'tasks').includes('CREATE_CONTENT');
}

/** None, where there is no token for the Page: the person has no role there. */
function pageOf(page: unknown): readonly FacebookPage[] {
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
  return [
    { id, name: textAt(page, 'name') ?? id, username: textAt(page, 'username'), pictureUrl, accessToken, instagram },
  ];
}
