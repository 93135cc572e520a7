import { isRecord, type Incoming } from '../exchange.ts';

/** Parameters may be in the query, in a form or in a JSON body; the body wins. */
export function readParameters(request: Incoming): URLSearchParams {
  const parameters = new URLSearchParams(request.query);
  for (const [name, value] of request.form()) parameters.set(name, value);
  if (/^application\/json\b/i.test(request.header('content-type'))) {
    const body = request.json();
    for (const [name, value] of Object.entries(isRecord(body) ? body : {})) {
      if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
        parameters.set(name, String(value));
    }
  }
  return parameters;
}

/** The access token: from the header, else the parameter; '' when there is none. */
export function bearer(request: Incoming, parameters: URLSearchParams): string {
  return /^Bearer (\S+)$/i.exec(request.header('authorization'))?.[1] ?? parameters.get('access_token') ?? '';
}

export function fieldsOf(parameters: URLSearchParams): readonly string[] {
  return (parameters.get('fields') ?? '')
    .split(',')
    .map((field) => field.trim())
    .filter((field) => field !== '');
}
