import { createHmac } from 'node:crypto';
import type { SandboxAnswer, Incoming } from '../exchange.ts';
import type { Fault, NetworkFault } from '../faults.ts';
import type { GrantHolder } from '../grants.ts';
import { bearer, readParameters } from '../graph/parameters.ts';
import type { SimulatorCall } from '../simulator.ts';
import { type AdmittedCall, type FacebookOptions, type PageRequest, isAnswer } from './page-request.ts';
import { rateLimited, usageHeaders } from './call-limits.ts';
import { COMMENT_SCOPE, PUBLISH_SCOPE, READ_SCOPE, scopeOf, type PageCall, type PersonCall } from './calls.ts';
import { playFault } from './faults.ts';
import {
  badProof,
  expiredToken,
  noCommentPermission,
  noPermission,
  noToken,
  noVideoPermission,
  pageTokenNeeded,
  revokedToken,
  unknownToken,
  unsupported,
} from './graph-errors.ts';
import { ANALYST } from './oauth.ts';

const DAY_MS = 24 * 3_600_000;
const MINUTES_TO_REGAIN = 60;
/** An app with so few users is far from its own limit. */
const PERSON_CALL_PERCENT = 2;

/** `Authorization: OAuth <token>`, as the upload hosts expect it. */
export const oauthToken = (request: Incoming): string =>
  /^OAuth (\S+)$/i.exec(request.header('authorization'))?.[1] ?? '';

/** The caller and its token; or why the call is refused. */
async function admit(
  request: Incoming,
  fault: Fault<NetworkFault> | null,
  { grants, clock, app }: FacebookOptions,
): Promise<AdmittedCall | SandboxAnswer> {
  const parts = await request.parts();
  const parameters = readParameters(request);
  for (const [name, value] of parts ?? []) if (typeof value === 'string') parameters.set(name, value);
  const token = oauthToken(request) || bearer(request, parameters);
  if (token === '') return noToken();
  const now = clock.now();
  const holder = grants.look('facebook', token, now);
  if (holder.state === 'expired') return expiredToken();
  if (holder.state !== 'live') return holder.state === 'revoked' ? revokedToken() : unknownToken();
  const proof = parameters.get('appsecret_proof');
  if (proof !== null && proof !== createHmac('sha256', app.clientSecret).update(token).digest('hex')) return badProof();
  return { request, holder, parameters, parts, fault, now };
}

const headed = (answer: SandboxAnswer, headers: Readonly<Record<string, string>>): SandboxAnswer => ({
  ...answer,
  headers: { ...headers, ...answer.headers },
});

/** A call with any token. */
export function personCall(
  request: Incoming,
  name: PersonCall,
  options: FacebookOptions,
  work: (call: AdmittedCall) => SandboxAnswer,
): SimulatorCall {
  return {
    name,
    async perform(fault) {
      const call = await admit(request, fault, options);
      if (isAnswer(call)) return call;
      const played = fault === null ? null : playFault(fault, call.holder, options);
      return played ?? headed(work(call), usageHeaders(null, PERSON_CALL_PERCENT));
    },
  };
}

export const mayDo = (scope: string, { grant, account }: GrantHolder): boolean =>
  grant.scopes.includes(scope) && (scope === READ_SCOPE || account.kind !== ANALYST);

function lacksScope(name: PageCall): SandboxAnswer {
  if (scopeOf(name) === COMMENT_SCOPE) return noCommentPermission();
  return name.startsWith('video') && scopeOf(name) === PUBLISH_SCOPE ? noVideoPermission() : noPermission();
}

/** The object of a call with a Page's token. `pageId`: as in the address; null where it names an object of the Page. */
export interface About {
  readonly name: PageCall;
  readonly pageId: string | null;
  readonly version: string;
}

/**
 * A call in the name of a Page: checks that the token is the Page's, that the object is the Page's own, that the token
 * is alive, and that it has the scope.
 */
export function pageCall(
  request: Incoming,
  { name, pageId, version }: About,
  options: FacebookOptions,
  work: (call: PageRequest) => SandboxAnswer | Promise<SandboxAnswer>,
): SimulatorCall {
  return {
    name,
    async perform(fault) {
      const call = await admit(request, fault, options);
      if (isAnswer(call)) return call;
      const { holder, now } = call;
      const played = fault === null ? null : playFault(fault, holder, options);
      if (played !== null) return played;
      const own = holder.account.accountId;
      if (name === 'page.read' && holder.token.subject === 'person') return work({ ...call, pageId: pageId!, version });
      if (holder.token.subject !== 'page') return pageTokenNeeded();
      if (pageId !== null && pageId !== 'me' && pageId !== own)
        return unsupported(request.method === 'GET' ? 'get' : 'post', pageId);
      const most = options.limits.get('callsPerDay');
      const use = { what: 'calls', accountId: own, windowMs: DAY_MS };
      if (!options.uses.admit(use, most, now)) return rateLimited('80001', own, MINUTES_TO_REGAIN);
      if (!mayDo(scopeOf(name), holder)) return lacksScope(name);
      const percent = Math.floor((options.uses.count(use, now) / most) * 100);
      return headed(await work({ ...call, pageId: own, version }), usageHeaders(own, percent));
    },
  };
}
