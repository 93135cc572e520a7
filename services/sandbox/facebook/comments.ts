import { json, type SandboxAnswer } from '../exchange.ts';
import { graphTime, type Fields } from '../graph/fields.ts';
import { bearer } from '../graph/parameters.ts';
import type { CommentedItem, LiveItem } from '../items.ts';
import { LISTED_AFTER_MS } from '../timing.ts';
import { parameterError, unsupported } from './graph-errors.ts';
import { listed } from './lists.ts';
import { wholeOf, type FacebookOptions, type PageRequest } from './page-request.ts';
import { stageOf } from './video-status.ts';

const MAX_COMMENT = 8_000;
const ORDERS = ['chronological', 'reverse_chronological', 'ranked'];

/** The live item that a post or a video is shown as; null: it has no comments. */
function commentable(id: string, { pageId, now }: PageRequest, { records, items }: FacebookOptions): LiveItem | null {
  const post = records.posts.get(id);
  const video = records.videos.get(post === null ? id : (post.videoId ?? ''));
  if ((post ?? video)?.pageId !== pageId || video?.kind === 'story') return null;
  const isSeen = video === null || video.kind === 'feed' || stageOf(video, now) === 'ready';
  return isSeen ? items.get('facebook', pageId, video?.id ?? id) : null;
}

/** POST /{object}/comments: each call makes one more. */
export function createComment(id: string, call: PageRequest, options: FacebookOptions): SandboxAnswer {
  const item = commentable(id, call, options);
  if (item === null) return unsupported('post', id);
  const text = call.parameters.get('message') ?? '';
  if (text.trim() === '') return parameterError('(#100) Missing message or attachment');
  if (text.length > MAX_COMMENT)
    return parameterError(`(#100) Param message must be at most ${MAX_COMMENT} characters long.`);
  const number = options.remoteIds.next();
  const remoteId = `${id.replace(/^.*_/, '')}_${number}`;
  options.items.comment(item, { remoteId, text, publishedAt: call.now, path: `${item.path}?comment_id=${number}` });
  return json(200, { id: remoteId });
}

const COMMENT_KIND = 'Comment';
const USUAL_FIELDS = ['created_time', 'from', 'message'];

function commentFields({ comment }: CommentedItem, { holder, pageId, fault }: PageRequest, baseUrl: string): Fields {
  return {
    id: comment.remoteId,
    message: comment.text,
    created_time: graphTime(comment.publishedAt),
    permalink_url: fault?.fault === 'permalink_missing' ? undefined : baseUrl + comment.path,
    from: { id: pageId, name: holder.account.name },
    ...{ comment_count: 0, like_count: 0, is_hidden: false, can_remove: true },
    ...{ parent: undefined, attachment: undefined, message_tags: undefined, object: undefined },
  };
}

/** What GET /{comment} shows of a comment of the Page; null: there is none of that id. */
export function shownComment(
  id: string,
  call: PageRequest,
  { items, baseUrl }: FacebookOptions,
): { readonly fields: Fields; readonly kind: string; readonly usual: readonly string[] } | null {
  const found = items.commentOf('facebook', call.pageId, id);
  return found === null
    ? null
    : { fields: commentFields(found, call, baseUrl()), kind: COMMENT_KIND, usual: USUAL_FIELDS };
}

/** GET /{object}/comments, oldest first unless another order is named. */
export function listComments(id: string, call: PageRequest, options: FacebookOptions): SandboxAnswer {
  const { parameters, request, now } = call;
  const item = commentable(id, call, options);
  if (item === null) return unsupported('get', id);
  const order = parameters.get('order') ?? ORDERS[0]!;
  if (!ORDERS.includes(order)) return parameterError(`(#100) Param order must be one of {${ORDERS.join(', ')}}`);
  const since = parameters.has('since') ? wholeOf(parameters.get('since')) * 1000 : 0;
  if (since < 0) return parameterError('(#100) Param since must be a unix timestamp.');
  const until = now - options.timing.scaled('facebook', LISTED_AFTER_MS);
  const seen = (item.comments ?? []).filter(({ publishedAt }) => publishedAt >= since && publishedAt <= until);
  const entries = seen.map((comment) => ({
    key: comment.remoteId,
    all: () => commentFields({ item, comment }, call, options.baseUrl()),
  }));
  if (order === 'reverse_chronological') entries.reverse();
  const rules = {
    kind: COMMENT_KIND,
    usual: USUAL_FIELDS,
    baseUrl: options.baseUrl(),
    token: bearer(request, parameters),
  };
  return listed(entries, request, parameters, rules);
}
