import type { Blocker, Upgrade } from './api.ts';

/** What an answer says of a failure. Words that a later release adds are strings like any other. */
export interface CrierErrorFacts {
  /** The HTTP status; null when no answer came. */
  readonly status: number | null;
  /** For programs: a code of the API, or `no_answer`, `timeout`, `unexpected_answer` of this client. */
  readonly code: string;
  /** For people. */
  readonly message: string;
  readonly blockers?: readonly Blocker[] | undefined;
  readonly upgrade?: Upgrade | undefined;
  /** A page about the code: what it means, and what to do. */
  readonly docUrl?: string | undefined;
  /** Names the request in the logs of the server. */
  readonly requestId?: string | null | undefined;
  /** How long the server asks to wait. */
  readonly retryAfterSeconds?: number | null | undefined;
  readonly cause?: unknown;
}

/** Every failure of a call, but an abort by the caller's own signal, which rejects with that signal's reason. */
export class CrierError extends Error {
  readonly status: number | null;
  readonly code: string;
  /** Why a Post was refused, one entry for each Channel and problem. */
  readonly blockers: readonly Blocker[];
  /** The Plan that would allow it. */
  readonly upgrade: Upgrade | null;
  /** A page about the code. */
  readonly docUrl: string | null;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(facts: CrierErrorFacts) {
    super(facts.message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.name = 'CrierError';
    this.status = facts.status;
    this.code = facts.code;
    this.blockers = facts.blockers ?? [];
    this.upgrade = facts.upgrade ?? null;
    this.docUrl = facts.docUrl ?? null;
    this.requestId = facts.requestId ?? null;
    this.retryAfterSeconds = facts.retryAfterSeconds ?? null;
  }
}

/** The error that an answer of the API tells. */
export function errorOfAnswer(answer: Response, text: string): CrierError {
  const problem = problemOf(text);
  const elsewhere = answer.status < 400 ? answer.headers.get('location') : null;
  const advice =
    elsewhere === null ? 'check that the address is that of a Crier' : `the server is elsewhere now, at ${elsewhere}`;
  return new CrierError({
    status: answer.status,
    code: problem?.code ?? 'unexpected_answer',
    message: problem?.message ?? `The answer (status ${answer.status}) is not one of Crier's: ${advice}.`,
    blockers: problem?.blockers,
    upgrade: problem?.upgrade,
    docUrl: problem?.docUrl,
    requestId: answer.headers.get('x-request-id'),
    retryAfterSeconds: secondsOf(answer.headers.get('retry-after')),
  });
}

/** Crier sends seconds; a proxy before it may send a date (RFC 9110, 10.2.3). Null: nothing that can be read. */
function secondsOf(retryAfter: string | null): number | null {
  const text = retryAfter?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const at = /^[A-Z][a-z]{2},/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - Date.now()) / 1_000));
}

interface SentProblem {
  readonly code: string;
  readonly message: string;
  readonly blockers?: readonly Blocker[];
  readonly upgrade?: Upgrade;
  readonly docUrl?: string;
}

function problemOf(text: string): SentProblem | null {
  try {
    const { error } = JSON.parse(text) as { readonly error?: SentProblem };
    return typeof error?.code === 'string' && typeof error.message === 'string' ? error : null;
  } catch {
    return null;
  }
}
