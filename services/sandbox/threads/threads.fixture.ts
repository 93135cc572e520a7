import { createMemoryDownload } from '#adapters/memory/download.ts';
import { MEDIA_FIXTURES, type FixtureName } from '#testing/media-fixtures.ts';
import { createHarness, signInThreads, type SandboxHarness, type SeenItem, type SignedIn } from '../sandbox.fixture.ts';

/** Longer than any processing takes in tests. */
export const PROCESSED_MS = 1_000;

const MEDIA = 'https://media.test';
export const fileUrl = (name: string): string => `${MEDIA}/${name}`;

/** With the fixtures at `fileUrl` of their names, and other files at theirs. */
export function threadsHarness(more: Readonly<Record<string, Uint8Array>> = {}): SandboxHarness {
  const fixtures = Object.entries(MEDIA_FIXTURES).map(
    ([name, { bytes, contentType }]) => [fileUrl(name), { bytes, contentType }] as const,
  );
  const others = Object.entries(more).map(
    ([name, bytes]) => [fileUrl(name), { bytes, contentType: 'application/octet-stream' }] as const,
  );
  return createHarness({ download: createMemoryDownload(new Map([...fixtures, ...others])) });
}

export async function threads(
  more: Readonly<Record<string, Uint8Array>> = {},
): Promise<{ readonly harness: SandboxHarness; readonly who: SignedIn }> {
  const harness = threadsHarness(more);
  return { harness, who: await signInThreads(harness) };
}

/** The parameters of a post of a fixture. */
export function media(
  name: FixtureName,
  more: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  return MEDIA_FIXTURES[name].kind === 'image'
    ? { media_type: 'IMAGE', image_url: fileUrl(name), ...more }
    : { media_type: 'VIDEO', video_url: fileUrl(name), ...more };
}

export function create(
  harness: SandboxHarness,
  who: SignedIn,
  form: Readonly<Record<string, string>>,
): Promise<SeenItem> {
  return harness.ask('POST', `/sim/threads/v1.0/${who.accountId}/threads`, { token: who.token, form });
}

export function publish(harness: SandboxHarness, who: SignedIn, creationId: string): Promise<SeenItem> {
  return harness.ask('POST', `/sim/threads/v1.0/${who.accountId}/threads_publish`, {
    token: who.token,
    form: { creation_id: creationId },
  });
}

export function read(harness: SandboxHarness, who: SignedIn, id: string, fields: string): Promise<SeenItem> {
  return harness.ask('GET', `/sim/threads/v1.0/${id}?fields=${fields}`, { token: who.token });
}

/** A container after its processing, whatever its outcome; fails when it was refused. */
export async function processed(
  harness: SandboxHarness,
  who: SignedIn,
  form: Readonly<Record<string, string>>,
): Promise<string> {
  const { status, text, body } = await create(harness, who, form);
  if (status !== 200) throw new Error(text);
  await harness.clock.advance(PROCESSED_MS);
  return body.id;
}

export const item = (name: FixtureName, more: Readonly<Record<string, string>> = {}) =>
  media(name, { is_carousel_item: 'true', ...more });
