import type { Request } from 'express';

export interface Origins {
  /** Null where the request may go on. */
  refusalOf(request: Request): 'host' | 'origin' | null;
  /** What a browser has to read to let the page at this origin have the answer. */
  headersFor(request: Request): Readonly<Record<string, string>>;
  /** The same for the question that a browser asks before it sends the request itself. */
  preflightHeadersFor(request: Request): Readonly<Record<string, string>>;
}

export interface OriginsOptions {
  readonly publicUrl: () => string;
  /** Origins, e.g. https://inspector.example.com, besides that of the public address. */
  readonly allowedOrigins: readonly string[];
}

const EXPOSED =
  'WWW-Authenticate, Mcp-Session-Id, Mcp-Protocol-Version, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Request-Id';
const ASKED = 'Authorization, Content-Type, Accept, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id';
const HEADER_NAMES = /^[\w-]+( *, *[\w-]+)*$/;
const DAY_SECONDS = 86_400;

/**
 * Which pages of browsers may use the MCP server. A page of a stranger whose host name was made to point here (DNS
 * rebinding) sends that name as Host, or its own origin: both are refused. Clients that are no browsers send no Origin.
 */
export function createOrigins({ publicUrl, allowedOrigins }: OriginsOptions): Origins {
  const own = (): URL => new URL(publicUrl());
  const isAllowed = (origin: string): boolean => origin === own().origin || allowedOrigins.includes(origin);
  const headersFor = ({ headers: { origin } }: Request): Readonly<Record<string, string>> =>
    origin !== undefined && isAllowed(origin)
      ? { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': EXPOSED, Vary: 'Origin' }
      : { Vary: 'Origin' };
  return {
    refusalOf: (request) => {
      const { origin } = request.headers;
      if (!isHostOf(own(), request.host)) return 'host';
      return origin === undefined || isAllowed(origin) ? null : 'origin';
    },
    headersFor,
    preflightHeadersFor: (request) => {
      const asked = request.headers['access-control-request-headers'] ?? '';
      return {
        ...headersFor(request),
        'Access-Control-Allow-Methods': 'POST',
        'Access-Control-Allow-Headers': HEADER_NAMES.test(asked) ? asked : ASKED,
        'Access-Control-Max-Age': String(DAY_SECONDS),
      };
    },
  };
}

/** `host`: with a port, where it is not that of the scheme. A client may name that one too. */
function isHostOf(own: URL, host: string | undefined): boolean {
  const address = `${own.protocol}//${host ?? ''}`;
  return host !== undefined && /^[^/?#@\\]+$/.test(host) && URL.canParse(address) && new URL(address).host === own.host;
}
