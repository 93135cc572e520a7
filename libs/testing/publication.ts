import type { NetworkAdapter, Publication } from '#networks/contract/adapter.ts';
import type { Rendition, RenditionSource } from '#ports/rendition-source.ts';

/** A publication of a text, for tests of adapters; `more` sets the fields that matter. */
export function publicationOf(more: Partial<Publication> & Pick<Publication, 'http'>): Publication {
  const account = { accessToken: 'token-1', accountId: '77', username: 'ada', accountFacts: {} };
  return {
    ...account,
    placement: 'feed',
    text: 'Hello',
    title: null,
    options: {},
    media: [],
    cover: null,
    now: 0,
    ...more,
  };
}

/** A rendition source for Posts without files. */
export const noRenditions: RenditionSource = { filesOf: async () => ({ kind: 'ready', files: [] }) };

/** A finished file of `bytes`, as a rendition source returns it. */
export function renditionOf(
  bytes: Uint8Array,
  about: Omit<Partial<Rendition>, 'bytes' | 'read'> & Pick<Rendition, 'kind' | 'contentType' | 'sha256'>,
): Rendition {
  return {
    width: 1080,
    height: 1080,
    durationMs: about.kind === 'video' ? 10_000 : null,
    altText: '',
    url: `https://media.test/${about.sha256}`,
    ...about,
    bytes: bytes.length,
    read: async (from, to) => bytes.slice(from, to),
  };
}

/**
 * Runs prepare with every checkpoint stored and resumed at once, as the publisher does; `handles` are the checkpoints.
 */
export async function prepareOn(
  adapter: Pick<NetworkAdapter, 'prepare'>,
  publication: Publication,
  from: string | null,
  most: number,
) {
  const handles: string[] = [];
  for (let handle = from; handles.length < most;) {
    const answer = await adapter.prepare(publication, handle);
    if (answer.kind !== 'wait' || answer.delayMs > 0) return { answer, handles };
    handle = answer.handle;
    handles.push(handle);
  }
  throw new Error('prepare never ends');
}
