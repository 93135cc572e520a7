import { escaped } from '#http-server/page.ts';
import { ERROR_CODES } from './error-pages.ts';
import { RESOURCES, titleOf } from './resources.ts';

export interface NavLink {
  readonly href: string;
  readonly title: string;
  /** More words by which the filter finds it. */
  readonly words?: string;
}

export interface LayoutOptions {
  /** The path of the site. */
  readonly root: string;
  /** Pages of the guide. */
  readonly guide: readonly NavLink[];
}

export interface SitePage {
  /** The path of the page. */
  readonly path: string;
  readonly title: string;
  /** HTML. */
  readonly content: string;
  readonly wide?: boolean;
}

/** A whole page: head, navigation with its filter, content. It loads one style sheet and one script of the site. */
export function layoutOf({ path, title, content, wide = false }: SitePage, { root, guide }: LayoutOptions): string {
  const groups = [
    group('Guide', guide, path),
    ...RESOURCES.map(({ name, operations }) =>
      group(
        name,
        operations.map((operation) => ({
          href: `${root}/reference#${operation.id}`,
          title: titleOf(operation),
          words: `${operation.method} ${operation.path} ${operation.summary}`,
        })),
        path,
      ),
    ),
    group(
      'More',
      [
        { href: `${root}/reference#events`, title: 'Events', words: 'webhook payload body' },
        { href: `${root}/reference#objects`, title: 'Objects', words: 'schemas fields types' },
        { href: `${root}/openapi.json`, title: 'openapi.json', words: 'OpenAPI specification' },
      ],
      path,
    ),
  ];
  const codes = ERROR_CODES.map((code) => item({ href: `${root}/errors/${code}`, title: code }, path)).join('');
  const isError = path.startsWith(`${root}/errors/`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} · Crier for developers</title>
<link rel="icon" href="${root}/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${root}/site.css">
<script src="${root}/site.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="bar"><a class="home" href="${root}">Crier <span>for developers</span></a><button type="button" class="menu" aria-expanded="false" aria-controls="nav">Menu</button></header>
<div class="columns">
<nav id="nav" aria-label="Developers">
<div class="filter"><label for="filter">Filter pages and operations</label><input id="filter" type="search" autocomplete="off" spellcheck="false" placeholder="Press / to filter" aria-keyshortcuts="/"></div>
<p id="found" role="status"></p>
${groups.join('\n')}
<details class="group"${isError ? ' open' : ''}><summary>Error codes</summary><ul>${codes}</ul></details>
</nav>
<main id="content" tabindex="-1"${wide ? ' class="wide"' : ''}>
<h1>${escaped(title)}</h1>
${content}
</main>
</div>
</body>
</html>
`;
}

function group(title: string, links: readonly NavLink[], path: string): string {
  return `<section class="group"><h2>${escaped(title)}</h2><ul>${links.map((link) => item(link, path)).join('')}</ul></section>`;
}

function item({ href, title, words = '' }: NavLink, path: string): string {
  const current = href === path ? ' aria-current="page"' : '';
  return `<li><a href="${escaped(href)}"${current} data-words="${escaped(`${title} ${words}`.toLowerCase())}">${escaped(title)}</a></li>`;
}
