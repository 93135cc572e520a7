import { createHash } from 'node:crypto';
import type { Express, Request, Response } from 'express';
import { openApiDocument } from '#schemas/http/openapi.ts';
import type { Clock } from '#ports/clock.ts';
import { pageValuesOf, type PageValues } from './example-values.ts';
import { MISSING, siteFilesOf, type SiteFile } from './site.ts';

// Everything is loaded from this origin, nothing is inline, no form is sent by the browser itself.
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** One route for all pages: more would be compared with each request to the API. */
export const DEVELOPERS_PATH = '/developers{/*page}';

export interface DeveloperPagesOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** Called at each request: in tests the port is chosen when the service listens. */
  readonly publicUrl: () => string;
  readonly requestId: () => string;
}

/**
 * GET /developers and what is below it: guide, reference, errors, openapi.json. No page needs a key. Each is made at
 * its first request of a day, since examples name an instant that a Post may be scheduled for.
 */
export function addDeveloperPages(app: Express, { clock, publicUrl, requestId }: DeveloperPagesOptions): void {
  let document: ReturnType<typeof openApiDocument> | null = null;
  const theDocument = () => (document ??= openApiDocument(publicUrl()));
  let site: Site | null = null;
  const find = (path: string): TaggedFile | null => {
    const values = pageValuesOf(publicUrl(), clock.now());
    if (site?.values.soon !== values.soon) site = { values, files: siteFilesOf(values, theDocument), made: new Map() };
    const make = site.files.get(path);
    if (make === undefined) return null;
    let file = site.made.get(path);
    if (file === undefined) {
      file = tagged(make());
      site.made.set(path, file);
    }
    return file;
  };
  app.get(DEVELOPERS_PATH, (request: Request, response: Response) => {
    const file = find(request.path.slice('/developers'.length).replace(/\/$/, ''));
    const { type, body, tag } = file ?? find(MISSING)!;
    const isKnown = file !== null && request.headers['if-none-match'] === tag;
    response.writeHead(file === null ? 404 : isKnown ? 304 : 200, {
      'Content-Type': type,
      'Cache-Control': 'no-cache',
      ETag: tag,
      'Content-Security-Policy': POLICY,
      'Referrer-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'DENY',
      'X-Request-Id': requestId(),
    });
    response.end(isKnown ? undefined : body);
  });
}

interface TaggedFile extends SiteFile {
  /** The value of ETag. */
  readonly tag: string;
}

interface Site {
  readonly values: PageValues;
  readonly files: ReadonlyMap<string, () => SiteFile>;
  readonly made: Map<string, TaggedFile>;
}

function tagged(file: SiteFile): TaggedFile {
  return { ...file, tag: `"${createHash('sha256').update(file.body).digest('base64url')}"` };
}
