import { done, failed, type UseCaseResult } from '#use-cases/outcome.ts';

// The rest of "+02:00" when the plus was not written as %2B: in a query a plus is a space.
const BARE_PLUS = /^(\d{4}-\d\d-\d\dT[\d:.]+) (\d\d:\d\d)$/i;

/** The query parameters. One that is given twice is a problem; unknown names are checked by the schema. */
export function readQuery(url: string): UseCaseResult<Readonly<Record<string, string>>> {
  const start = url.indexOf('?');
  if (start === -1) return done({});
  const query: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of new URLSearchParams(url.slice(start + 1))) {
    if (name in query) return failed('invalid_request', `${name.slice(0, 100)} is given twice.`);
    query[name] = value.replace(BARE_PLUS, '$1+$2');
  }
  return done({ ...query });
}
