import type { Verb } from './verb.ts';
import { CHANNELS } from './verbs/channels.ts';
import { COMPLETION } from './verbs/completion.ts';
import { IMPORT } from './verbs/import.ts';
import { LOGIN, LOGOUT } from './verbs/login.ts';
import { MEDIA_UPLOAD } from './verbs/media.ts';
import { POST } from './verbs/post.ts';
import { CANCEL, POST_GET, POSTS, RETRY } from './verbs/posts.ts';
import { USAGE } from './verbs/usage.ts';
import { WEBHOOKS } from './verbs/webhooks.ts';

/** The verbs of users, in the order of the help. */
export const VERBS: readonly Verb[] = [
  LOGIN,
  CHANNELS,
  POST,
  POSTS,
  POST_GET,
  CANCEL,
  RETRY,
  MEDIA_UPLOAD,
  IMPORT,
  ...WEBHOOKS,
  USAGE,
  COMPLETION,
  LOGOUT,
];
