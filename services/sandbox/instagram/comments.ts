import { json, type SandboxAnswer } from '../exchange.ts';
import { prune, readFieldTree } from '../graph/field-tree.ts';
import { graphTime, selectFields } from '../graph/fields.ts';
import type { CommentedItem, LiveItem } from '../items.ts';
import { LISTED_AFTER_MS } from '../timing.ts';
import type { ContainerRequest, InstagramOptions } from './container-request.ts';
import { parameterError, unsupported } from './graph-errors.ts';
import { noField } from './read.ts';

const MAX_COMMENT = 2_200;

/** The account's own medium of that id; null: there is none, or it is a Story, which has no comments. */
function commentable(id: string, { account }: ContainerRequest, { items }: InstagramOptions): LiveItem | null {
  const item = items.get('instagram', account.accountId, id);
  return item === null || item.placement === 'story' ? null : item;
}

/** POST /{media}/comments: each call makes one more. */
export function createComment(id: string, call: ContainerRequest, options: InstagramOptions): SandboxAnswer {
  const item = commentable(id, call, options);
  if (item === null) return unsupported('post', id);
  const text = call.parameters.get('message') ?? '';
  if (text.trim() === '') return parameterError('(#100) The parameter message is required');
  if (text.length > MAX_COMMENT)
    return parameterError(`(#100) Param message must be at most ${MAX_COMMENT} characters long.`);
  const remoteId = options.remoteIds.next();
  options.items.comment(item, { remoteId, text, publishedAt: call.now, path: `${item.path}c/${remoteId}/` });
  return json(200, { id: remoteId });
}

/** A comment with the requested fields; it has no permalink among them. */
function selectComment(
  { item, comment }: CommentedItem,
  { parameters, account }: ContainerRequest,
): ReturnType<typeof selectFields> {
  const tree = readFieldTree(parameters.get('fields') ?? '');
  if (tree === null) return { refused: parameterError('Syntax error in the parameter fields.') };
  const all = {
    id: comment.remoteId,
    text: comment.text,
    timestamp: graphTime(comment.publishedAt),
    username: account.username,
    from: { id: account.accountId, username: account.username },
    media: { id: item.remoteId },
    ...{ like_count: 0, hidden: false, parent_id: undefined, replies: undefined, user: undefined },
  };
  const asked = tree.size === 0 ? ['timestamp', 'text'] : [...tree.keys()];
  const selected = selectFields(asked, all, noField('IGComment'));
  if ('refused' in selected) return selected;
  const fields = Object.entries(selected.fields).map(([name, value]) => [
    name,
    prune(value, tree.get(name) ?? new Map()),
  ]);
  return { fields: Object.fromEntries(fields) };
}

/** GET /{media}/comments, oldest first. */
export function listComments(id: string, call: ContainerRequest, options: InstagramOptions): SandboxAnswer {
  const item = commentable(id, call, options);
  if (item === null) return unsupported('get', id);
  const until = call.now - options.timing.scaled('instagram', LISTED_AFTER_MS);
  const data: object[] = [];
  for (const comment of item.comments ?? []) {
    if (comment.publishedAt > until) continue;
    const selected = selectComment({ item, comment }, call);
    if ('refused' in selected) return selected.refused;
    data.push(selected.fields);
  }
  return json(200, { data });
}

/** GET /{comment} */
export function readComment(found: CommentedItem, call: ContainerRequest): SandboxAnswer {
  const selected = selectComment(found, call);
  return 'refused' in selected ? selected.refused : json(200, selected.fields);
}
