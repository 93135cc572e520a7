import { escapeHtml } from './exchange.ts';
import { STYLE } from './page-style.ts';

/** A whole page around `body`, which the caller has escaped. */
export function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body>${body}</body></html>`;
}
