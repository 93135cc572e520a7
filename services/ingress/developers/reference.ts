import { escaped } from '#http-server/page.ts';
import { ERRORS, statusOf, type ErrorCode } from '#schemas/http/errors.ts';
import { ALWAYS, type Operation, type OperationId } from '#schemas/http/operations.ts';
import type { openApiDocument } from '#schemas/http/openapi.ts';
import answersJson from './answers.json' with { type: 'json' };
import { codeBlock, languageTabs } from './code-blocks.ts';
import { OPERATION_EXAMPLES } from './operation-examples.ts';
import { RESOURCES, titleOf } from './resources.ts';
import { fieldsOf, inlineCode, typeOf, type Schema } from './schema-fields.ts';
import { snippetsOf } from './snippets.ts';
import { tryIt } from './try-it.ts';

type Document = ReturnType<typeof openApiDocument>;

/** What is read of an operation in the OpenAPI document. */
interface Described {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}
type Schemas = Readonly<Record<string, Schema>>;
type Content = Readonly<Record<'application/json', { readonly schema: Schema }>>;

/** An answer to each example, as a server gave it; the tests compare its fields with those of a server of today. */
const ANSWERS: Readonly<Partial<Record<OperationId, unknown>>> = answersJson;

const PLACES = [
  ['path', 'Path'],
  ['query', 'Query'],
  ['header', 'Headers'],
] as const;

/** The page of all operations, events and objects, as HTML, made from the OpenAPI document. */
export function referenceHtml(document: Document, root: string): string {
  const paths = document.paths as unknown as Readonly<Record<string, Readonly<Record<string, Described>>>>;
  const resources = RESOURCES.map(({ name, operations }) => {
    const about = operations.map((operation) =>
      ofOperation(operation, paths[operation.path]![operation.method]!, { schemas: schemasOf(document), root }),
    );
    return `<section><h2 id="${name.toLowerCase()}"><a class="anchor" href="#${name.toLowerCase()}">${name}</a></h2>${about.join('')}</section>`;
  });
  return `${introduction(root)}${resources.join('')}${events(document)}${objects(document)}`;
}

const introduction = (
  root: string,
): string => `<p class="lead">Each request needs the header <code>Authorization: Bearer</code> with an API key, or with an app's token for this API. Bodies are JSON in UTF-8. Instants are ISO 8601 with a zone. The same as a machine reads it: <a href="${root}/openapi.json">openapi.json</a>.</p>
<div class="key"><label for="key">API key for trying requests</label> <input id="key" type="password" autocomplete="off" spellcheck="false" placeholder="crier_…" aria-describedby="key-about"> <p id="key-about">This page keeps it in its memory only: it is gone when you leave or reload the page. Requests are real: what you create here is published.</p></div>`;

function ofOperation(
  operation: Operation & { readonly id: OperationId },
  described: Described,
  { schemas, root }: { readonly schemas: Schemas; readonly root: string },
): string {
  const { id, method, path, summary, permission } = operation;
  const example = OPERATION_EXAMPLES[id];
  const body = described.requestBody?.content['application/json'].schema;
  const about = [
    `<p>${inlineCode(summary)}.</p><p>Permission: ${inlineCode(permission.replace(/posts:\w+|webhooks:\w+/g, '`$&`'))}.</p>`,
    ...PLACES.map(([place, title]) =>
      parameters(
        title,
        (described.parameters ?? []).filter((one) => one.in === place),
      ),
    ),
    body === undefined
      ? ''
      : `<h4>Body</h4>${fieldsOf(schemas[body.$ref?.split('/').at(-1) ?? ''] ?? body, 'request')}`,
    ofAnswer(operation, described),
    `<h4>Errors</h4>${errorList([...ALWAYS, ...operation.errors], root)}`,
  ];
  const answer = ANSWERS[id];
  const examples = [
    languageTabs(snippetsOf(operation, example), `example-${id}`, 'Request'),
    answer === undefined
      ? ''
      : `<p class="caption">Answer: ${operation.status}</p>${codeBlock({ language: 'json', code: JSON.stringify(answer, null, 2) }, 'Answer')}`,
    tryIt(operation, example),
  ];
  return `<article class="operation" id="${id}"><div class="about"><h3><a class="anchor" href="#${id}">${titleOf(operation)}</a></h3><p class="endpoint"><span class="method ${method}">${method.toUpperCase()}</span> <code>${escaped(path)}</code></p>${about.join('')}</div><div class="examples">${examples.join('')}</div></article>`;
}

function parameters(title: string, listed: readonly Parameter[]): string {
  if (listed.length === 0) return '';
  const properties = Object.fromEntries(
    listed.map(({ name, schema, description }) => [
      name,
      { ...schema, ...(description !== undefined && { description }) },
    ]),
  );
  const required = listed.filter((one) => one.required === true).map(({ name }) => name);
  return `<h4>${title}</h4>${fieldsOf({ properties, required }, 'request')}`;
}

function ofAnswer({ status }: Operation, { responses }: Described): string {
  const schema = responses[status]?.content?.['application/json'].schema;
  return schema === undefined
    ? `<h4>Answer: ${status}</h4><p>It has no body.</p>`
    : `<h4>Answer: ${status}</h4>${fieldsOf(schema, 'answer')}`;
}

function errorList(codes: readonly ErrorCode[], root: string): string {
  const rows = codes
    .toSorted((one, other) => statusOf(one) - statusOf(other))
    .map(
      (code) =>
        `<li>${statusOf(code)} <a href="${root}/errors/${code}"><code>${code}</code></a> ${inlineCode(ERRORS[code].doc)}</li>`,
    );
  return `<details class="errors"><summary>${rows.length} codes</summary><ul>${rows.join('')}</ul></details>`;
}

function events({ webhooks = {} }: Document): string {
  const types = Object.entries(webhooks as Readonly<Record<string, { readonly post: { readonly summary: string } }>>);
  const rows = types.map(([type, { post }]) => `<li><code>${type}</code>: ${escaped(post.summary)}</li>`);
  return `<section><h2 id="events"><a class="anchor" href="#events">Events</a></h2><p>What webhook endpoints receive, as a <code>POST</code> with the body <a href="#object-WebhookEvent">WebhookEvent</a>:</p><ul>${rows.join('')}</ul></section>`;
}

function objects(document: Document): string {
  const all = Object.entries(schemasOf(document))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, schema]) => {
      const side = /Request$|^(Cover|MediaReference|ChannelOptions)$/.test(name) ? 'request' : 'answer';
      const words = schema.description === undefined ? '' : `<p>${inlineCode(schema.description)}.</p>`;
      const content = schema.properties === undefined ? `<p>${typeOf(schema)}</p>` : fieldsOf(schema, side);
      return `<article class="object" id="object-${name}"><h3><a class="anchor" href="#object-${name}">${name}</a></h3>${words}${content}</article>`;
    });
  return `<section><h2 id="objects"><a class="anchor" href="#objects">Objects</a></h2>${all.join('')}</section>`;
}

function schemasOf({ components }: Document): Schemas {
  return (components?.schemas ?? {}) as unknown as Schemas;
}
