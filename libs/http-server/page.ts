import type { Request, Response } from 'express';
import { smallBodyOf } from './body.ts';

// The page runs no script, loads nothing and can not be framed; its form can only be sent here.
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'";
const STYLE = `
:root{color-scheme:light dark;--ink:#1c2430;--soft:#5a6472;--line:#8a94a3;--paper:#fff;--accent:#1d5fd1;--on-accent:#fff;--alarm:#b3261e}
@media (prefers-color-scheme:dark){:root{--ink:#e6e9ed;--soft:#a5afbb;--line:#6d7884;--paper:#14181d;--accent:#7fb0ff;--on-accent:#10151b;--alarm:#ff8a80}}
body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:12vh auto;padding:0 1rem;color:var(--ink);background:var(--paper);overflow-wrap:anywhere}
h1{line-height:1.2}
a{color:var(--accent)}
label{display:block;padding:.4rem 0}
input:is([type=text],[type=email]){display:block;width:100%;box-sizing:border-box;font:inherit;padding:.5rem;margin-top:.2rem;color:inherit;background:transparent;border:1px solid var(--line);border-radius:6px}
button{font:inherit;padding:.4rem 1.2rem;margin-top:.8rem;border:1px solid var(--accent);border-radius:6px;background:var(--accent);color:var(--on-accent);cursor:pointer}
button.quiet{background:transparent;color:var(--accent)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.soft{color:var(--soft)}
.alarm{color:var(--alarm)}
li form{display:inline}
li button{margin:0 0 0 .6rem;padding:.1rem .7rem}`;

export interface Page {
  readonly status: number;
  readonly title: string;
  /** HTML. */
  readonly body: string;
  readonly requestId: string;
  /** Where else its form may lead: browsers hold redirects after a form to the policy too. */
  readonly formLeadsTo?: string;
}

/** A page for a person. */
export function sendPage(response: Response, { status, title, body, requestId, formLeadsTo }: Page): void {
  response.writeHead(status, {
    ...guardsOf(requestId),
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': formLeadsTo === undefined ? POLICY : `${POLICY} ${formLeadsTo}`,
  });
  response.end(
    `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(title)}</title><style>${STYLE}</style></head><body><main><h1>${escaped(title)}</h1>${body}</main></body></html>\n`,
  );
}

/** The address may hold a code, so it is neither cached nor sent on as a referrer. */
export function guardsOf(requestId: string): Readonly<Record<string, string>> {
  return {
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'X-Request-Id': requestId,
  };
}

/** Null: the body is larger than any form of these pages. */
export async function formOf(request: Request): Promise<URLSearchParams | null> {
  const body = await smallBodyOf(request);
  return body === null ? null : new URLSearchParams(body.toString('utf8'));
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text as HTML, in an element or in an attribute with quotes. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}
