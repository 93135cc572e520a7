import { escapeHtml } from './exchange.ts';

const STYLE = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #66707c; --line: #d9dee4; --paper: #fff; --back: #f3f5f7; --accent: #1f6feb }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --soft: #98a2ae; --line: #333b45; --paper: #1a1f26; --back: #11151a; --accent: #6ba4ff } }
* { box-sizing: border-box } body { margin: 0; font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--back) }
header, main { max-width: 72rem; margin: 0 auto; padding: 1.5rem } main { padding-top: 0 } .narrow { max-width: 34rem; padding-top: 3rem }
h1 { font-size: 1.4rem; margin: 0 } h2 { font-size: 1.1rem; margin: 2rem 0 .75rem } small, .soft { color: var(--soft); font-weight: normal }
a { color: var(--accent) } .grid { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)); align-items: start }
.card { background: var(--paper); border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.1rem }
.who { display: flex; gap: .7rem; align-items: center } .who img { width: 2.5rem; height: 2.5rem; border-radius: 50% } .who strong { display: block; line-height: 1.2 }
article { border-top: 1px solid var(--line); margin-top: .8rem; padding-top: .8rem } article p { margin: 0 0 .3rem; white-space: pre-wrap; overflow-wrap: anywhere }
label { display: block; margin: .8rem 0 } input, select { display: block; width: 100%; padding: .45rem; font: inherit }
button { padding: .5rem 1.1rem; font: inherit; border-radius: 6px }
.primary { background: var(--accent); color: #fff; border: 0 }`;

/** A whole page around `body`, which its maker has escaped. */
export function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body>${body}</body></html>`;
}
