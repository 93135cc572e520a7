import { hash } from 'node:crypto';
import type { ChannelOptions } from './channel-options.ts';
import type { MediaReference } from './media-reference.ts';

/** What makes two Posts of one Workspace the same. */
export interface PostIdentity {
  readonly text: string;
  readonly channelIds: readonly string[];
  readonly scheduledAt: number | null;
  readonly media: readonly MediaReference[];
  readonly channelOptions: Readonly<Record<string, ChannelOptions>>;
}

function optionsInput(channelId: string, options: ChannelOptions): readonly unknown[] | null {
  const { placement = 'feed', youtube, title: ownTitle, cover, ...others } = options;
  const title = youtube?.title ?? ownTitle ?? null;
  // What was found out about a cover's address is no part of what the Member sent.
  const further = sorted({ ...others, ...(cover && { cover: { ...cover, inspected: undefined } }) });
  if (placement === 'feed' && title === null && further.length === 0) return null;
  return [channelId, placement, title, ...(further.length === 0 ? [] : [further])];
}

/** Names and values in the order of the names, at every depth: the order in which they were sent says nothing. */
function sorted(value: object): readonly (readonly [string, unknown])[] {
  return Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, each]) => [name, normalForm(each)]);
}

function normalForm(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalForm);
  return typeof value === 'object' && value !== null ? sorted(value) : value;
}

/**
 * One text for each distinct Post: Channels are a set, options have one form (a default that is written out equals
 * one left out), and media count in their order. JSON keeps the parts apart, whatever they contain.
 */
export function digestInput(post: PostIdentity): string {
  const options = Object.keys(post.channelOptions)
    .toSorted()
    .map((id) => optionsInput(id, post.channelOptions[id]!))
    .filter((each) => each !== null);
  const media = post.media.map(({ assetId, url, altText }) => [assetId ?? null, url ?? null, altText ?? null]);
  return JSON.stringify([post.text, [...new Set(post.channelIds)].toSorted(), post.scheduledAt, media, options]);
}

/** SHA-256 of `digestInput`, lower-case hex. */
export function digestOf(post: PostIdentity): string {
  return hash('sha256', digestInput(post), 'hex');
}
