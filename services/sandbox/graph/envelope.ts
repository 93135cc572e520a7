import { json, type SandboxAnswer } from '../exchange.ts';

/** What an error of the Graph family carries. */
export interface GraphError {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly type: string;
  readonly subcode?: number;
  readonly transient?: boolean;
  readonly title?: string;
  readonly userMessage?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function graphError({
  status,
  code,
  message,
  type,
  subcode,
  transient,
  title,
  userMessage,
  headers = {},
}: GraphError): SandboxAnswer {
  const error = {
    message,
    type,
    code,
    ...(subcode === undefined ? {} : { error_subcode: subcode }),
    ...(transient === undefined ? {} : { is_transient: transient }),
    ...(title === undefined ? {} : { error_user_title: title }),
    ...(userMessage === undefined ? {} : { error_user_msg: userMessage }),
    fbtrace_id: 'Asandbox0000000000000',
  };
  return json(status, { error }, headers);
}
