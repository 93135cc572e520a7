import { readFileSync } from 'node:fs';
import type { openApiDocument } from '#schemas/http/openapi.ts';
import { errorPageHtml, errorSections, errorTable, ERROR_CODES } from './error-pages.ts';
import { withValues, type PageValues } from './example-values.ts';
import { GUIDE, guideTitleOf, renderGuidePage } from './guide.ts';
import { layoutOf, type LayoutOptions, type SitePage } from './layout.ts';
import { referenceHtml } from './reference.ts';

export interface SiteFile {
  readonly type: string;
  readonly body: string;
}

const HTML = 'text/html; charset=utf-8';
const ASSETS: Readonly<Record<string, string>> = {
  'site.css': 'text/css; charset=utf-8',
  'site.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};

/** The page for an address that has none. */
export const MISSING = '/missing';

/**
 * What makes each file of the developers' pages, by its path below /developers, '' for the first. One page takes up to a
 * tenth of a second, so each is made when it is asked for.
 */
export function siteFilesOf(
  values: PageValues,
  document: () => ReturnType<typeof openApiDocument>,
): ReadonlyMap<string, () => SiteFile> {
  const root = `${new URL(values.publicUrl).pathname.replace(/\/$/, '')}/developers`;
  const guide = GUIDE.map((page) => ({ href: pathOf(root, page.name), title: guideTitleOf(page) }));
  return new Map([
    ...pagesOf(values, root, document).map(([path, page]): [string, () => SiteFile] => [
      path.slice(root.length),
      () => htmlFile(page(), { root, guide }),
    ]),
    ...Object.entries(ASSETS).map(([name, type]): [string, () => SiteFile] => [
      `/${name}`,
      () => ({ type, body: assetOf(name) }),
    ]),
    ['/openapi.json', () => ({ type: 'application/json; charset=utf-8', body: JSON.stringify(document()) })],
    [MISSING, () => htmlFile({ path: '', title: 'Nothing here', content: NOTHING }, { root, guide })],
  ]);
}

const NOTHING = '<p>There is no such page. The list of pages has all of them.</p>';

function pagesOf(
  values: PageValues,
  root: string,
  document: () => ReturnType<typeof openApiDocument>,
): readonly [path: string, page: () => SitePage][] {
  const reference = `${root}/reference`;
  return [
    ...GUIDE.map((page): [string, () => SitePage] => {
      const path = pathOf(root, page.name);
      const more = page.name === 'errors' ? errorTable(root) : '';
      return [
        path,
        () => {
          const { title, html } = renderGuidePage(page, values, root);
          return { path, title, content: html + more };
        },
      ];
    }),
    [
      reference,
      () => ({
        path: reference,
        title: 'Reference',
        content: withValues(referenceHtml(document(), root), values),
        wide: true,
      }),
    ],
    ...ERROR_CODES.map((code): [string, () => SitePage] => {
      const path = `${root}/errors/${code}`;
      const content = () => errorPageHtml(code, errorSections().get(code)!, { values, root });
      return [path, () => ({ path, title: code, content: content() })];
    }),
  ];
}

function htmlFile(page: SitePage, options: LayoutOptions): SiteFile {
  return { type: HTML, body: layoutOf(page, options) };
}

function pathOf(root: string, name: string): string {
  return name === '' ? root : `${root}/${name}`;
}

function assetOf(name: string): string {
  return readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8');
}
