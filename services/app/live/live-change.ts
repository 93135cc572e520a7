/** What a page that is open hears. */
export type LiveChange =
  /** These Posts changed, or (`all`) too many to name; `channels`: the Workspace's Channels did. */
  | {
      readonly kind: 'changed';
      readonly postIds: readonly string[];
      readonly channels: boolean;
      readonly all: boolean;
    }
  /** Changes may have been missed: whatever is shown has to be read again. */
  | { readonly kind: 'stale' };
