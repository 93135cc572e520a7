import type { SandboxAnswer } from '../exchange.ts';
import type { ItemOptions } from '../items.ts';
import type { Container } from './containers.ts';
import { parameterError } from './graph-errors.ts';
import { linksOf } from './text-rules.ts';

const MAX_TOPIC = 50;

/** The values of `reply_control`, in our names; null: it has none. */
const REPLY_CONTROLS: Readonly<Record<string, ItemOptions['replyControl'] | null>> = {
  everyone: 'everyone',
  accounts_you_follow: 'followed',
  mentioned_only: 'mentioned',
  parent_post_author_only: null,
  followers_only: null,
};

/** The problem with the options of a new container; null: none. */
export function refuseOptions(parameters: URLSearchParams): SandboxAnswer | null {
  const topic = parameters.get('topic_tag');
  if (topic !== null && (topic === '' || [...topic].length > MAX_TOPIC))
    return parameterError(`(#100) Param topic_tag must be 1 to ${MAX_TOPIC} characters long.`);
  if (topic !== null && /[.&]/.test(topic))
    return parameterError('(#100) Param topic_tag must not contain periods or ampersands.');
  const control = parameters.get('reply_control');
  return control === null || Object.hasOwn(REPLY_CONTROLS, control)
    ? null
    : parameterError(`(#100) Param reply_control must be one of {${Object.keys(REPLY_CONTROLS).join(', ')}}.`);
}

/** What a container keeps of its options. */
export function optionsOf(
  parameters: URLSearchParams,
): Pick<Container, 'topicTag' | 'replyControl' | 'linkAttachment'> {
  const [topicTag, replyControl, linkAttachment] = ['topic_tag', 'reply_control', 'link_attachment'].map(
    (name) => parameters.get(name) || undefined,
  );
  return {
    ...(topicTag === undefined ? {} : { topicTag }),
    ...(replyControl === undefined ? {} : { replyControl }),
    ...(linkAttachment === undefined ? {} : { linkAttachment }),
  };
}

/** The same in our names. */
export function itemOptionsOf({ topicTag, replyControl = '' }: Container): ItemOptions {
  const control = REPLY_CONTROLS[replyControl] ?? null;
  return {
    ...(topicTag === undefined ? {} : { topicTag }),
    ...(control === null ? {} : { replyControl: control }),
  };
}

/** A text alone has a card: of the attachment, else of its first address. */
export function cardOf({ kind, text, linkAttachment }: Container): { readonly url: string } | null {
  const url = kind === 'TEXT' ? (linkAttachment ?? linksOf(text)[0]) : undefined;
  return url === undefined ? null : { url };
}
