import { escaped } from '#http-server/page.ts';
import type { Operation } from '#schemas/http/operations.ts';
import type { OperationExample } from './operation-examples.ts';

/**
 * The form that sends a request of one operation, filled with its example. The script of the site carries it out;
 * without a script it is not shown.
 */
export function tryIt({ id, method, path, query, headers }: Operation, example: OperationExample): string {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => field(id, 'path', name, example.path?.[name]));
  const inQuery = Object.keys(query?.shape ?? {}).map((name) => field(id, 'query', name, example.query?.[name]));
  const inHeaders = Object.keys(headers?.shape ?? {}).map((name) => field(id, 'header', name));
  const body =
    example.body === undefined
      ? ''
      : `<label for="try-${id}-body">Body</label><textarea id="try-${id}-body" name="body" spellcheck="false" rows="${JSON.stringify(example.body, null, 2).split('\n').length + 1}">${escaped(JSON.stringify(example.body, null, 2))}</textarea>`;
  return `<details class="try"><summary>Try it</summary><form data-try data-method="${method.toUpperCase()}" data-path="${escaped(path)}" aria-label="Try ${id}">${[...inPath, ...inQuery, ...inHeaders].join('')}${body}<button type="submit">Send</button><p class="outcome" role="status"></p><div class="result"></div></form></details>`;
}

function field(id: string, place: 'path' | 'query' | 'header', name: string, value = ''): string {
  const at = `try-${id}-${place}-${name}`;
  return `<label for="${at}"><code>${escaped(name)}</code> <small>${place}</small></label><input id="${at}" name="${escaped(name)}" data-place="${place}" value="${escaped(value)}" autocomplete="off" spellcheck="false"${place === 'path' ? ' required' : ''}>`;
}
