import type { KoaContextWithOIDC } from 'oidc-provider';
import type { ShownError } from './error-page.ts';

/** Shows a person an error. `appUrl`: where the app wants to be told of it. */
export type RenderError = (ctx: KoaContextWithOIDC, out: ShownError, appUrl: string) => void;

/**
 * An error is told to an app by sending the browser to its redirect address. Anybody can register one, and make a
 * request that fails at once, for example one that asks for no consent: a link to this installation would then lead
 * wherever its maker likes (RFC 9700, section 4.11). So a person who has decided about nothing yet is shown the error,
 * and where a link would lead. Addresses of programs on the person's own device lead to no page of a stranger.
 */
export function showErrorsFirst(publicUrl: string, render: RenderError) {
  const ownOrigin = new URL(publicUrl).origin;
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next();
    // Whoever resumes a request has decided about it on a page that names the address.
    if (ctx.oidc?.route !== 'authorization') return;
    const told = toldTo(ctx);
    if (told === null || told.protocol !== 'https:' || told.origin === ownOrigin) return;
    const out = errorIn(told);
    ctx.remove('Location');
    ctx.body = null;
    render(ctx, out, told.href);
  };
}

/** The address that the answer leads to, by itself or by a form that sends itself; null: it leads nowhere. */
function toldTo({ res, body, oidc }: KoaContextWithOIDC): URL | null {
  const location = res.getHeader('location');
  if (typeof location === 'string') return URL.parse(location);
  return oidc.params?.['response_mode'] === 'form_post' && typeof body === 'string'
    ? URL.parse(String(oidc.params['redirect_uri']))
    : null;
}

function errorIn({ search, hash }: URL): ShownError {
  const parameters = new URLSearchParams(hash === '' ? search : hash.slice(1));
  const error = parameters.get('error') ?? 'invalid_request';
  return { error, error_description: parameters.get('error_description') ?? undefined };
}
