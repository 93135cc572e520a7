import type { Failure } from '../contract/adapter.ts';
import { REJECTED, RECONNECT, TOKEN_REFUSED } from '../contract/verdicts.ts';
import { TROUBLE_DELAY_MS } from '../contract/waits.ts';
import { isClientError } from '../http/call.ts';
import type { GraphProblem } from './answer.ts';
import { regainAccessMs } from './usage.ts';

export type GraphVerdict = Pick<Failure, 'reason' | 'retry' | 'duplicate'> & { readonly delayMs?: number };

/** One kind of refusal. Everything that is given must fit; `code` may be several or the ends of a range. */
export interface GraphRow<Step extends string> {
  readonly steps?: readonly Step[];
  readonly codes?: readonly number[];
  readonly codesFrom?: readonly [number, number];
  readonly subcodes?: readonly number[];
  /** As the code or as the subcode: some come as either. */
  readonly anyCodes?: readonly number[];
  readonly message?: RegExp;
  readonly transient?: true;
  readonly says: GraphVerdict;
}

export const TROUBLE = { reason: 'platform_problem', retry: 'later' } as const;
export const LIMITED = { reason: 'rate_limited', retry: 'later' } as const;

const LIMIT_DELAY_MS = 10 * 60_000;
const SLOW_LIMIT_DELAY_MS = 30 * 60_000;

/** By these Facebook, Instagram and Threads say that they no longer take a token, whatever the subcode. */
const TOKEN_CODES = [190, 102, 463, 467];

/**
 * What Meta says, by code 200 as of a permission, where it has restricted the app, or wants its yearly checkup. Only
 * the operator can mend that, and to connect a Channel again would change nothing.
 */
const APP_REFUSED = /\bAPI access (blocked|deactivated)\b/i;

/** Whether the refusal is of the app, whoever's token the call had. */
export function isAppRefused({ message }: GraphProblem): boolean {
  return APP_REFUSED.test(message);
}

/** What Facebook, Instagram and Threads share. A Network's own rows come before these; the first that fits decides. */
const COMMON_ROWS: readonly GraphRow<string>[] = [
  { codes: TOKEN_CODES, says: TOKEN_REFUSED },
  { codes: [4, 17, 32, 613, 80001, 80002], says: { ...LIMITED, delayMs: LIMIT_DELAY_MS } },
  { codes: [341], says: { ...LIMITED, delayMs: SLOW_LIMIT_DELAY_MS } },
  { codes: [368], says: REJECTED },
  { codes: [506], says: { ...REJECTED, duplicate: true } },
  { transient: true, says: TROUBLE },
  { codes: [1, 2], says: TROUBLE },
  { message: APP_REFUSED, says: REJECTED },
  { codes: [3, 10], says: RECONNECT },
  { codesFrom: [200, 299], says: RECONNECT },
  { codes: [100], says: REJECTED },
];

/**
 * Whether the Network refused the token of a call, by HTTP 4xx and in the Graph API's own words. The token is checked
 * before anything else, so a call that is refused in this way published nothing.
 */
export function isTokenRefusal({ status, code }: GraphProblem): boolean {
  return status >= 400 && status < 500 && code !== null && TOKEN_CODES.includes(code);
}

/**
 * Rates an answer that isn't the wanted one. What no row knows: the HTTP status decides between refusal and trouble.
 */
export function judgeGraph<Step extends string>(
  rows: readonly GraphRow<Step>[],
  step: Step,
  problem: GraphProblem,
  headers: Readonly<Record<string, string>>,
): Failure {
  const row = [...rows, ...COMMON_ROWS].find((candidate) => fits(candidate, step, problem));
  const says: GraphVerdict = row?.says ?? unlisted(problem);
  if (says.retry !== 'later') return { ...says, detail: problem.detail };
  const regainMs = says.reason === 'rate_limited' ? regainAccessMs(headers) : null;
  return { ...says, detail: problem.detail, delayMs: regainMs ?? says.delayMs ?? TROUBLE_DELAY_MS };
}

function unlisted(problem: GraphProblem): GraphVerdict {
  if (problem.status === 429) return { ...LIMITED, delayMs: LIMIT_DELAY_MS };
  if (problem.status === 401) return TOKEN_REFUSED;
  return isClientError(problem) ? REJECTED : TROUBLE;
}

function fits<Step extends string>(row: GraphRow<Step> | GraphRow<string>, step: Step, problem: GraphProblem): boolean {
  const { code, subcode } = problem;
  return (
    (row.steps === undefined || (row.steps as readonly string[]).includes(step)) &&
    (row.codes === undefined || (code !== null && row.codes.includes(code))) &&
    (row.codesFrom === undefined || (code !== null && code >= row.codesFrom[0] && code <= row.codesFrom[1])) &&
    (row.subcodes === undefined || (subcode !== null && row.subcodes.includes(subcode))) &&
    (row.anyCodes === undefined || row.anyCodes.some((each) => each === code || each === subcode)) &&
    (row.message?.test(problem.message) ?? true) &&
    (row.transient === undefined || problem.transient)
  );
}
