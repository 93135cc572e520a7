import { avatarPath } from '../avatar.ts';
import { json, type SandboxAnswer } from '../exchange.ts';
import { filePath } from '../files/serve-file.ts';
import { answerFields, graphTime, selectFields, type Fields } from '../graph/fields.ts';
import { fieldsOf } from '../graph/parameters.ts';
import type { LiveItem } from '../items.ts';
import { idFloor } from '../remote-ids.ts';
import { LISTED_AFTER_MS } from '../timing.ts';
import type { ContainerRequest, InstagramOptions } from './container-request.ts';
import { statusOf } from '../graph/container-status.ts';
import type { Container } from './containers.ts';
import { parameterError } from './graph-errors.ts';
import { CREATOR, PERSONAL } from './oauth.ts';
import { shortcodeOf } from './publish.ts';

const DEFAULT_LIMIT = 25;
const MAX_RESULTS = 100;
/** The values of `account_kind` at the consent, in the profile's words. The last can sign in, but not publish. */
const ACCOUNT_TYPES: Readonly<Record<string, string>> = {
  '': 'BUSINESS',
  [CREATOR]: 'MEDIA_CREATOR',
  [PERSONAL]: 'PERSONAL',
};
const DAY_MS = 24 * 3_600_000;

export const noField =
  (kind: string) =>
  (field: string): SandboxAnswer =>
    parameterError(`(#100) Tried accessing nonexisting field (${field}) on node type (${kind})`);

/** GET /me */
export function readProfile({ parameters, account }: ContainerRequest, { baseUrl }: InstagramOptions): SandboxAnswer {
  const all = {
    // An id scoped to the app, which can not be used for publishing.
    id: `2${account.accountId}`,
    user_id: account.accountId,
    username: account.username,
    name: account.name,
    account_type: ACCOUNT_TYPES[account.kind],
    profile_picture_url: baseUrl() + avatarPath(account),
    followers_count: 0,
    media_count: undefined,
  };
  return answerFields(fieldsOf(parameters), all, noField('User'));
}

/** GET /{container} */
export function readContainer(container: Container, { parameters, now }: ContainerRequest): SandboxAnswer {
  const code = statusOf(container, now);
  const words: Readonly<Record<string, string>> = {
    FINISHED: 'Finished: Media has been uploaded and it is ready to be published.',
    IN_PROGRESS: 'In Progress: Media is still being processed.',
    PUBLISHED: 'Published: Media has been successfully published.',
    EXPIRED: 'Expired: Media has not been published within 24 hours and it has expired.',
  };
  const all = {
    id: container.id,
    status_code: code,
    status: code === 'ERROR' ? container.failure : words[code],
    copyright_check_status: undefined,
  };
  return answerFields(fieldsOf(parameters), all, noField('InstagramContentPublishContainer'));
}

function mediaFields(item: LiveItem, { account, fault }: ContainerRequest, options: InstagramOptions): Fields {
  const container = options.containers.ofMedia(item.remoteId);
  const kind = container?.kind ?? 'image';
  const video = item.media[0]?.contentType.startsWith('video/') ?? false;
  const link = fault?.fault === 'permalink_missing' ? undefined : options.baseUrl() + item.path;
  return {
    id: item.remoteId,
    caption: item.text === '' ? undefined : item.text,
    timestamp: graphTime(item.publishedAt),
    permalink: link,
    shortcode: shortcodeOf(item.remoteId),
    media_type: kind === 'carousel' ? 'CAROUSEL_ALBUM' : video ? 'VIDEO' : 'IMAGE',
    media_product_type: kind === 'story' ? 'STORY' : kind === 'reel' ? 'REELS' : 'FEED',
    media_url:
      kind === 'carousel' || item.media[0] === undefined
        ? undefined
        : options.baseUrl() + filePath(item.media[0].sha256),
    alt_text: item.altTexts[0] ?? undefined,
    username: account.username,
    owner: { id: account.accountId },
    children: undefined,
    like_count: 0,
    comments_count: item.comments?.length ?? 0,
    is_shared_to_feed: item.options?.shareToFeed,
  };
}

/** GET /{media} */
export function readMedia(item: LiveItem, call: ContainerRequest, options: InstagramOptions): SandboxAnswer {
  return answerFields(fieldsOf(call.parameters), mediaFields(item, call, options), noField('Media'));
}

/** GET /{ig}/media and /{ig}/stories, newest first. */
export function listMedia(
  placement: LiveItem['placement'],
  call: ContainerRequest,
  options: InstagramOptions,
): SandboxAnswer {
  const { parameters, account, version, now } = call;
  const limit = parameters.get('limit') ?? String(DEFAULT_LIMIT);
  if (!/^\d{1,4}$/.test(limit) || Number(limit) < 1)
    return parameterError('(#100) Param limit must be a positive integer.');
  const after = parameters.get('after');
  if (after !== null && !/^\d{19}$/.test(after)) return parameterError('(#100) Param after is not a cursor.');
  const from = placement === 'story' ? now - DAY_MS : 0;
  const until = now - options.timing.scaled('instagram', LISTED_AFTER_MS);
  const matching = options.items
    .ofAccount('instagram', account.accountId, {
      descending: true,
      above: idFloor(from),
      ...(after === null ? {} : { below: after }),
    })
    .filter((item) => item.placement === placement && item.publishedAt <= until);
  const found = matching.slice(0, Math.min(Number(limit), MAX_RESULTS));
  const asksFor = fieldsOf(parameters);
  const selected = found.map((item) => selectFields(asksFor, mediaFields(item, call, options), noField('Media')));
  const wrong = selected.find((one) => 'refused' in one);
  if (wrong !== undefined) return wrong.refused;
  const data = selected.map((one) => ('fields' in one ? one.fields : null));
  if (found.length === 0) return json(200, { data });
  const last = found.at(-1)!.remoteId;
  const edge = placement === 'story' ? 'stories' : 'media';
  const next = `${options.baseUrl()}/sim/instagram/${version}/${account.accountId}/${edge}?fields=${encodeURIComponent(asksFor.join(','))}&limit=${limit}&after=${last}`;
  return json(200, {
    data,
    paging: {
      cursors: { before: found[0]!.remoteId, after: last },
      ...(matching.length > found.length ? { next } : {}),
    },
  });
}

/** GET /{ig}/content_publishing_limit */
export function readLimit(
  { parameters, account, fault, now }: ContainerRequest,
  options: InstagramOptions,
): SandboxAnswer {
  const total = options.limits.get('postsPerDay');
  const used = fault?.fault === 'quota_exhausted' ? total : options.posts.of(account.accountId, now);
  const all = { id: undefined, quota_usage: used, config: { quota_total: total, quota_duration: DAY_MS / 1_000 } };
  const selected = selectFields(fieldsOf(parameters), all, noField('ContentPublishingLimit'));
  if ('refused' in selected) return selected.refused;
  return json(200, {
    data: [Object.keys(selected.fields).length === 0 ? { quota_usage: all.quota_usage } : selected.fields],
  });
}
