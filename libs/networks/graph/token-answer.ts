import type { AuthAnswer, Failure, Tokens } from '../contract/adapter.ts';
import { at, summaryOf, textAt, type HttpAnswer, type CallResult } from '../http/call.ts';
import { graphProblemOf } from './answer.ts';
import { isAppRefused, judgeGraph } from './errors.ts';

/** Tokens of a Page live until a person revokes them. */
export const NEVER_EXPIRES_AT = Date.UTC(2100, 0, 1);

const DAY_MS = 86_400_000;
const YOUNGEST_MS = DAY_MS;
const WEEK_MS = 7 * DAY_MS;

/**
 * When to prolong a token of 60 days: weekly, with a week to spare, and never before it is a day old, when that is
 * refused.
 */
export function weeklyRefreshDueAt({ expiresAt }: Tokens, issuedAt: number): number {
  return Math.max(Math.min(issuedAt + WEEK_MS, expiresAt - WEEK_MS), issuedAt + YOUNGEST_MS);
}

interface TokenRequest {
  readonly secrets: readonly string[];
  readonly now: number;
  /** Of a token whose answer doesn't say how long it lives. */
  readonly defaultLifeMs: number;
  readonly judge?: Judge;
}

/** `{"access_token", "expires_in"}` */
export function tokenIn(called: CallResult, { secrets, now, defaultLifeMs, judge }: TokenRequest): AuthAnswer<Tokens> {
  const accessToken = called.kind === 'answered' && called.status === 200 ? textAt(called.json, 'access_token') : null;
  if (called.kind === 'lost' || accessToken === null) return withoutValue(called, secrets, judge);
  const seconds = at(called.json, 'expires_in');
  const lifeMs = typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : defaultLifeMs;
  return { kind: 'ok', value: { accessToken, refreshToken: null, expiresAt: now + lifeMs } };
}

/** What an answer that isn't the wanted one means, by the rows of the Graph API or a Network's own beside them. */
type Judge = (answer: HttpAnswer) => Failure;

/** A call on the way to tokens or accounts that did not give any. */
export function withoutValue(
  called: CallResult,
  secrets: readonly string[],
  judge: Judge = judgeByGraph,
): AuthAnswer<never> {
  if (called.kind === 'lost')
    return { kind: 'unavailable', sent: called.sent, summary: summaryOf(called, '', secrets) };
  const summary = summaryOf(called, detailOf(called), secrets);
  if (called.status === 200 || !isSaid(called)) return { kind: 'unavailable', sent: true, summary };
  return judge(called).retry === 'later' || isAboutOurApp(called)
    ? { kind: 'unavailable', sent: true, summary }
    : { kind: 'refused', summary };
}

/** By the Network in either of its shapes: a proxy, which knows nothing of tokens, has other words. */
function isSaid(called: HttpAnswer): boolean {
  return graphProblemOf(called).code !== null || textAt(called.json, 'error_message') !== null;
}

function judgeByGraph(called: HttpAnswer): Failure {
  return judgeGraph([], 'any', graphProblemOf(called), called.headers);
}

/** Code 101: our app id or secret is wrong. No person at the account can mend that, nor what Meta did to the app. */
function isAboutOurApp(called: HttpAnswer): boolean {
  const problem = graphProblemOf(called);
  const message = textAt(called.json, 'error_message') ?? problem.message;
  return problem.code === 101 || isAppRefused(problem) || /client_(id|secret)|client secret/i.test(message);
}

/** The exchanges of codes at Instagram and Threads answer errors in a flat shape of their own. */
function detailOf(called: HttpAnswer): string {
  return (
    textAt(called.json, 'error_message') ??
    (called.status === 200 ? 'an answer without what was asked for' : graphProblemOf(called).detail)
  );
}
