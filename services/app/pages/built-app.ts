import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

export type ContentEncoding = 'br' | 'gzip';

/** One file of the built app with its compressed forms, all in memory: a new build changes nothing under a tab. */
export interface BuiltFile {
  readonly contentType: string;
  readonly content: Buffer;
  readonly encoded: Readonly<Partial<Record<ContentEncoding, Buffer>>>;
  /** Of `content`, without quotes. */
  readonly etag: string;
  /** Whether its name changes with its content. */
  readonly isImmutable: boolean;
}

export interface BuiltApp {
  /** The page that every address of the app gets, around what the server has to tell it. */
  readonly page: readonly [before: string, after: string];
  /** By name below /app, such as `assets/index-B0vX2a.js`. */
  readonly files: ReadonlyMap<string, BuiltFile>;
}

const PAGE = 'index.html';
/** Where the page has room for what the server tells it. */
const TOLD = '<!--session-->';
/** What the build writes; a file of another kind is not served. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
/** The name that the build gives: eight characters of a hash before the ending. */
const HASHED = /^assets\/.+-[\w-]{8}\.\w+$/;
/** In the page the build writes addresses relative to it; pages of the app are at several depths. */
const RELATIVE = /(?<=(?:src|href)=")\.\//g;

/**
 * Reads what `make app` wrote. Null: it was not built. `base`: the path of the app on the public address, with a slash
 * at the end.
 */
export async function readBuiltApp(folder: string, base: string): Promise<BuiltApp | null> {
  const html = await readFile(join(folder, PAGE), 'utf8').catch(() => null);
  if (html === null) return null;
  const [before, after = ''] = html.replace(RELATIVE, base).split(TOLD);
  const names = await readdir(folder, { recursive: true, encoding: 'utf8' });
  const served = names.filter((name) => name !== PAGE && CONTENT_TYPES[extname(name)] !== undefined);
  const files = await Promise.all(served.map(async (name) => [name, await readBuiltFile(folder, name)] as const));
  return { page: [before!, after], files: new Map(files) };
}

async function readBuiltFile(folder: string, name: string): Promise<BuiltFile> {
  const path = join(folder, name);
  const [content, br, gzip] = await Promise.all([readFile(path), readEncoded(`${path}.br`), readEncoded(`${path}.gz`)]);
  return {
    contentType: CONTENT_TYPES[extname(name)]!,
    content,
    encoded: { ...(br !== null && { br }), ...(gzip !== null && { gzip }) },
    etag: etagOf(content),
    isImmutable: HASHED.test(name),
  };
}

/** Null: the build left it as it is. */
function readEncoded(path: string): Promise<Buffer | null> {
  return readFile(path).catch(() => null);
}

function etagOf(content: Buffer): string {
  return hash('sha256', content, 'base64url').slice(0, 22);
}
