import type { SandboxAnswer } from '../exchange.ts';
import { graphError } from './graph-errors.ts';

/**
 * The usage in the headers of every answer: percentages, and minutes. `pageId`: the Page whose usage is included beside
 * the app's.
 */
export function usageHeaders(
  pageId: string | null,
  callPercent: number,
  minutesToRegain = 0,
): Readonly<Record<string, string>> {
  const shares = { call_count: callPercent, total_cputime: 1, total_time: 1 };
  const app = { 'x-app-usage': JSON.stringify(pageId === null ? shares : { ...shares, call_count: 2 }) };
  if (pageId === null) return app;
  const page = [{ type: 'pages', ...shares, estimated_time_to_regain_access: minutesToRegain }];
  return { ...app, 'x-business-use-case-usage': JSON.stringify({ [pageId]: page }) };
}

/** By code, the last by its subcode. The first is the default reason. */
const MESSAGES: ReadonlyMap<string, string> = new Map([
  ['32', '(#32) Page request limit reached'],
  ['4', '(#4) Application request limit reached'],
  ['17', '(#17) User request limit reached'],
  ['341', '(#341) Feed action request limit reached'],
  ['613', '(#613) Calls to this api have exceeded the rate limit.'],
  ['80001', '(#80001) There have been too many calls to this Page account. Wait a bit and try again.'],
  [
    '1390008',
    'It looks like you were misusing this feature by going too fast. You have been temporarily blocked from using it.',
  ],
]);
export const RATE_LIMIT_REASONS: readonly string[] = [...MESSAGES.keys()];

/** Too many calls, by what is counted: the Page's, the app's, the person's, or the uses of a feature. */
export function rateLimited(reason: string | null, pageId: string, minutes: number): SandboxAnswer {
  const chosen = reason ?? RATE_LIMIT_REASONS[0]!;
  const message = MESSAGES.get(chosen)!;
  if (chosen === '1390008') return graphError({ code: 368, subcode: 1_390_008, message, userMessage: message });
  const ofApp = chosen === '4';
  return graphError({
    code: Number(chosen),
    message,
    headers: usageHeaders(ofApp ? null : pageId, 100, minutes),
    ...(ofApp ? { transient: true } : {}),
  });
}
