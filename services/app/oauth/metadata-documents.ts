import type { PublicHttp } from '#ports/public-http.ts';
import { keptMetadataOf, refusalOf, type ClientMetadata } from './client-metadata.ts';

/** The library's own bounds; beyond them it would not read on anyway. */
const MAX_DOCUMENT_BYTES = 5 * 1024;
const TIMEOUT_MS = 2_500;

/** How the library begins its words where it could not, or was not allowed to, fetch a document. */
const UNREAD = 'client_id metadata document fetch';

/** Members that make the library refuse a document, so they have to reach it. */
const REFUSED_MEMBERS = ['client_secret', 'client_secret_expires_at'];

/**
 * Whether an error only says that the document of a client was not read. The library calls that `invalid_client`, by
 * which clients throw away their tokens, although their approval is good.
 */
export function isDocumentUnread(said: { readonly error?: unknown; readonly error_description?: unknown }): boolean {
  return said.error === 'invalid_client' && String(said.error_description).startsWith(UNREAD);
}

/**
 * Fetches a document that describes a client and whose address is the client's id, by the way out that is guarded
 * against addresses inside; no redirect is followed. In place of the library's `fetch`. Rejects when there is no
 * acceptable answer in time.
 */
export function createDocumentFetch(http: PublicHttp): typeof fetch {
  return async (address, options) => {
    const answer = await http.send({
      method: 'GET',
      url: String(address instanceof Request ? address.url : address),
      headers: { accept: 'application/json' },
      timeoutMs: TIMEOUT_MS,
      ...(options?.signal && { signal: options.signal }),
    });
    if (answer.status !== 200) return new Response(null, { status: answer.status < 200 ? 502 : answer.status });
    const headers: Record<string, string> = {};
    for (const name of ['cache-control', 'expires']) {
      const value = answer.headers[name];
      if (value !== undefined) headers[name] = value;
    }
    return new Response(documentOf(await readAll(answer.body)), { headers });
  };
}

function documentOf(text: string): string {
  const document: unknown = JSON.parse(text);
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return text;
  const metadata = document as ClientMetadata;
  const kept: Record<string, unknown> = { ...keptMetadataOf(metadata), client_id: metadata['client_id'] };
  const refusal = refusalOf(kept);
  if (refusal !== null) throw new Error(refusal.description);
  // A document can not share a secret, so a client that names no method has none.
  kept['token_endpoint_auth_method'] ??= 'none';
  for (const name of REFUSED_MEMBERS) if (name in metadata) kept[name] = metadata[name];
  return JSON.stringify(kept);
}

async function readAll(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_DOCUMENT_BYTES) throw new Error(`the document is larger than ${MAX_DOCUMENT_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
