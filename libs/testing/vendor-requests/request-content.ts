/** A request as a test has it. */
export interface VendorRequest {
  readonly method: string;
  /** With a host or without. */
  readonly url: string;
  /** Names in any case. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | Uint8Array;
}

/** The bytes of a file, which stand for themselves. */
export const FILE = Symbol('file');

export interface RequestContent {
  readonly segments: readonly string[];
  readonly query: Values;
  /** By names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** Without what follows a semicolon; '' where there is no body. */
  readonly contentType: string;
  /** null: no body, or one whose content is the bytes of a file. */
  readonly body: Values | null;
  readonly hasBody: boolean;
}

/** A name that came several times has a list. */
export type Values = Readonly<Record<string, unknown>>;

/** Reads a request. Throws where its body is not what its content type says. */
export function contentOf(request: VendorRequest): RequestContent {
  const url = new URL(request.url, 'http://any.test');
  const headers = new Map(
    Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value ?? '']),
  );
  const bytes = typeof request.body === 'string' ? Buffer.from(request.body) : (request.body ?? new Uint8Array());
  const type = headers.get('content-type') ?? '';
  const contentType = type.split(';')[0]!.trim().toLowerCase();
  return {
    segments: url.pathname.split('/').filter((segment) => segment !== ''),
    query: valuesOf(url.searchParams),
    headers,
    contentType: bytes.length === 0 ? '' : contentType,
    body: bytes.length === 0 ? null : bodyOf(bytes, type, contentType),
    hasBody: bytes.length > 0,
  };
}

function bodyOf(bytes: Uint8Array, type: string, contentType: string): Values | null {
  const text = (): string => new TextDecoder().decode(bytes);
  if (contentType === 'application/x-www-form-urlencoded') return valuesOf(new URLSearchParams(text()));
  if (contentType === 'application/json') return JSON.parse(text()) as Values;
  const boundary = /boundary="?([^";]+)"?/.exec(type)?.[1];
  if (contentType !== 'multipart/form-data' || boundary === undefined) return null;
  return valuesOf(partsOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), boundary));
}

function valuesOf(entries: Iterable<readonly [string, unknown]>): Values {
  const grouped = Map.groupBy(entries, ([name]) => name);
  return Object.fromEntries(
    [...grouped].map(([name, found]) => [name, found.length === 1 ? found[0]![1] : found.map(([, value]) => value)]),
  );
}

/** The fields of a multipart body. The bytes of a file are not read: some are as large as a part of a video. */
function partsOf(bytes: Buffer, boundary: string): readonly (readonly [string, unknown])[] {
  const mark = `--${boundary}`;
  const parts: (readonly [string, unknown])[] = [];
  for (let at = bytes.indexOf(mark); at >= 0;) {
    const head = at + mark.length + 2;
    const end = bytes.indexOf('\r\n\r\n', head);
    const next = bytes.indexOf(mark, head);
    if (end < 0 || next < 0) break;
    const header = bytes.toString('utf8', head, end);
    const name = /\bname="([^"]*)"/i.exec(header)?.[1] ?? '';
    parts.push([name, /\bfilename=/i.test(header) ? FILE : bytes.toString('utf8', end + 4, next - 2)]);
    at = next;
  }
  return parts;
}
