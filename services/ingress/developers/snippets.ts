import type { Operation } from '#schemas/http/operations.ts';
import { EXAMPLE } from './example-values.ts';
import type { OperationExample } from './operation-examples.ts';

export interface Snippet {
  /** As fenced blocks of Markdown name it. */
  readonly language: 'bash' | 'typescript' | 'python';
  readonly code: string;
}

interface Call {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly hasAnswer: boolean;
}

/** The example of an operation in each language. The key comes from the environment: CRIER_KEY. */
export function snippetsOf(operation: Operation, example: OperationExample): readonly Snippet[] {
  const call: Call = {
    method: operation.method.toUpperCase(),
    url: EXAMPLE.publicUrl + addressOf(operation, example),
    headers: { ...(example.body !== undefined && { 'Content-Type': 'application/json' }), ...example.headers },
    body: example.body,
    hasAnswer: operation.answer !== undefined,
  };
  return [
    { language: 'bash', code: asCurl(call) },
    { language: 'typescript', code: asTypeScript(call) },
    { language: 'python', code: asPython(call) },
  ];
}

/** Path and query. */
export function addressOf({ path }: Pick<Operation, 'path'>, example: OperationExample): string {
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => example.path?.[name] ?? `{${name}}`);
  const query = new URLSearchParams(example.query).toString();
  return query === '' ? filled : `${filled}?${query}`;
}

const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const json = (value: unknown): string => JSON.stringify(value, null, 2);
const indented = (text: string, by: number): string => text.replaceAll('\n', `\n${' '.repeat(by)}`);

function asCurl({ method, url, headers, body }: Call): string {
  const verb = method === 'GET' ? '' : `-X ${method} `;
  const parts = [
    `curl --fail-with-body ${verb}${shellQuoted(url)}`,
    '-H "Authorization: Bearer $CRIER_KEY"',
    ...Object.entries(headers).map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${shellQuoted(json(body))}`]),
  ];
  return parts.join(' \\\n  ');
}

/** A value as an object literal of TypeScript, its texts in single quotes. */
function typescriptValue(value: unknown): string {
  return json(value)
    .replace(/^(\s*)"(\w+)":/gm, '$1$2:')
    .replace(/"((?:[^"\\]|\\.)*)"/g, (_all, text: string) => `'${text.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`)
    .replace(/([^,[{\n])\n/g, '$1,\n');
}

function asTypeScript({ method, url, headers, body, hasAnswer }: Call): string {
  const all = [
    '    Authorization: `Bearer ${process.env.CRIER_KEY}`,',
    ...Object.entries(headers).map(([name, value]) => `    '${name}': '${value}',`),
  ];
  const lines = [
    `const response = await fetch('${url}', {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    '  headers: {',
    ...all,
    '  },',
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(typescriptValue(body), 2)}),`]),
    '});',
    'if (!response.ok) throw new Error(await response.text());',
    hasAnswer ? 'console.log(await response.json());' : 'console.log(response.status);',
  ];
  return lines.join('\n');
}

/** A value as a literal of Python. */
function pythonValue(value: unknown): string {
  return json(value).replace(/("(?:[^"\\]|\\.)*")|\b(true|false|null)\b/g, (all, text?: string) =>
    text === undefined ? ({ true: 'True', false: 'False' }[all] ?? 'None') : text,
  );
}

function asPython({ method, url, headers, body, hasAnswer }: Call): string {
  const lines = [
    'import json, os, urllib.request',
    '',
    'request = urllib.request.Request(',
    `    "${url}",`,
    ...(method === 'GET' ? [] : [`    method="${method}",`]),
    '    headers={',
    `        "Authorization": f"Bearer {os.environ['CRIER_KEY']}",`,
    ...Object.entries(headers).map(([name, value]) => `        "${name}": "${value}",`),
    '    },',
    ...(body === undefined ? [] : [`    data=json.dumps(${indented(pythonValue(body), 4)}).encode(),`]),
    ')',
    'with urllib.request.urlopen(request) as response:',
    hasAnswer ? '    print(json.load(response))' : '    print(response.status)',
  ];
  return lines.join('\n');
}
