import { at, textAt, type Answered } from '../call.ts';

/** The error envelope of Meta's Graph API. Its code tells what happened; the HTTP status does not. */
export interface GraphProblem {
  readonly status: number;
  /** null: not the envelope, e.g. a proxy's page. */
  readonly code: number | null;
  readonly subcode: number | null;
  readonly transient: boolean;
  readonly message: string;
  /** What a person should read. */
  readonly detail: string;
}

export function graphProblemOf(answer: Answered): GraphProblem {
  const error = at(answer.json, 'error');
  const message = textAt(error, 'message') ?? '';
  return {
    status: answer.status,
    code: numberAt(error, 'code'),
    subcode: numberAt(error, 'error_subcode'),
    transient: at(error, 'is_transient') === true,
    message,
    detail: textAt(error, 'error_user_msg') ?? (message || `HTTP ${answer.status}`),
  };
}

/** Until the Network lets calls through again, as its usage header says; null when it doesn't. */
export function regainAccessMs(headers: Readonly<Record<string, string>>): number | null {
  let minutes = 0;
  for (const uses of Object.values(parsed(headers['x-business-use-case-usage']))) {
    for (const use of Array.isArray(uses) ? uses : []) minutes = Math.max(minutes, numberAt(use, 'estimated_time_to_regain_access') ?? 0);
  }
  if (minutes > 0) return minutes * 60_000;
  const retryAfter = Number(headers['retry-after']);
  return Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter * 1000 : null;
}

function numberAt(value: unknown, key: string): number | null {
  const found = at(value, key);
  return typeof found === 'number' && Number.isFinite(found) ? found : null;
}

function parsed(header: string | undefined): object {
  try {
    const value: unknown = JSON.parse(header ?? '{}');
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
