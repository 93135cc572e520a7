import { readFileSync } from 'node:fs';
import { escaped } from '#http-server/page.ts';
import { ERRORS, statusOf, type ErrorCode } from '#schemas/http/errors.ts';
import { ALWAYS, OPERATIONS } from '#schemas/http/operations.ts';
import { withValues, type PageValues } from './example-values.ts';
import { renderMarkdown } from './markdown.ts';
import { titleOf } from './resources.ts';
import { inlineCode } from './schema-fields.ts';

const SOURCE = new URL('../../../docs/developers/error-codes.md', import.meta.url);

export const ERROR_CODES = Object.keys(ERRORS) as readonly ErrorCode[];

/** The Markdown about each code: its section in docs/developers/error-codes.md. */
export function errorSections(): ReadonlyMap<string, string> {
  const sections = readFileSync(SOURCE, 'utf8').split(/^## /m).slice(1);
  return new Map(
    sections.map((section) => {
      const end = section.indexOf('\n');
      return [section.slice(0, end).trim(), section.slice(end + 1)];
    }),
  );
}

/** The page of a code, as HTML. `root`: the path of the site. */
export function errorPageHtml(
  code: ErrorCode,
  section: string,
  { values, root }: { readonly values: PageValues; readonly root: string },
): string {
  const { html } = renderMarkdown(withValues(section.replace(/^### /gm, '## '), values), (href) => href);
  const always = ALWAYS.includes(code);
  const links = OPERATIONS.filter(({ errors }) => (errors as readonly string[]).includes(code)).map(
    (operation) => `<li><a href="${root}/reference#${operation.id}">${titleOf(operation)}</a></li>`,
  );
  const where = always
    ? '<p>Every operation may answer with it.</p>'
    : links.length === 0
      ? ''
      : `<ul>${links.join('')}</ul>`;
  return `<p class="lead">Status ${statusOf(code)}. ${inlineCode(ERRORS[code].doc)}.</p>${html}${where === '' ? '' : `<h2 id="operations">Operations</h2>${where}`}`;
}

/** All codes as a table, as HTML. */
export function errorTable(root: string): string {
  const rows = ERROR_CODES.map(
    (code) =>
      `<tr><td><a href="${root}/errors/${code}"><code>${escaped(code)}</code></a></td><td>${statusOf(code)}</td><td>${inlineCode(ERRORS[code].doc)}</td></tr>`,
  );
  return `<h2 id="codes"><a class="anchor" href="#codes">All codes</a></h2><div class="table" role="group" aria-label="All codes" tabindex="0"><table><thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Means</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}
