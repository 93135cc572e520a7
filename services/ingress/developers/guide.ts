import { readFileSync } from 'node:fs';
import { renderMarkdown, type RenderedMarkdown } from './markdown.ts';
import { withValues, type PageValues } from './example-values.ts';

const FOLDER = new URL('../../../docs/developers/', import.meta.url);

export interface GuidePage {
  /** Below /developers; '' is /developers itself. */
  readonly name: string;
  readonly source: URL;
}

/** The pages of the guide, in the order of reading. */
export const GUIDE: readonly GuidePage[] = [
  { name: '', source: new URL('first-post.md', FOLDER) },
  ...['keys', 'idempotency', 'files', 'webhooks'].map((name) => ({ name, source: new URL(`${name}.md`, FOLDER) })),
  { name: 'client', source: new URL('../../clients/typescript/README.md', FOLDER) },
  { name: 'assistants', source: new URL('../assistants.md', FOLDER) },
  ...['limits', 'errors', 'changelog'].map((name) => ({ name, source: new URL(`${name}.md`, FOLDER) })),
];

/** As its first heading says. */
export function guideTitleOf({ source }: GuidePage): string {
  return /^# (.+)$/m.exec(readFileSync(source, 'utf8'))![1]!;
}

/** The page as HTML. Links to pages that are not on the site become plain text. `root`: the path of the site. */
export function renderGuidePage({ source }: GuidePage, values: PageValues, root: string): RenderedMarkdown {
  const text = withValues(readFileSync(source, 'utf8'), values);
  return renderMarkdown(text, (href) => siteAddressOf(href, root));
}

function siteAddressOf(href: string, root: string): string | null {
  if (/^(https?:|#)/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  if (path.endsWith('clients/typescript/README.md')) return `${root}/client`;
  const name = path.replace(/^.*\//, '').replace(/\.md$/, '');
  if (name === 'error-codes' && anchor !== undefined) return `${root}/errors/${anchor}`;
  const known = { 'first-post': '', 'openapi.json': '/reference' }[name];
  const page = known ?? (GUIDE.some((one) => one.name === name && name !== '') ? `/${name}` : null);
  return page === null ? null : `${root}${page}${anchor === undefined ? '' : `#${anchor}`}`;
}
