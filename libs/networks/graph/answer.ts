import { at, textAt, type HttpAnswer } from '../http/call.ts';

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

export function graphProblemOf(answer: HttpAnswer): GraphProblem {
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

function numberAt(value: unknown, key: string): number | null {
  const found = at(value, key);
  return typeof found === 'number' && Number.isFinite(found) ? found : null;
}
