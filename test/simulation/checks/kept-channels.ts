import type { Check } from '../aftermath.ts';
import { OTHER_ACCOUNT } from '../found-workspaces.ts';

/**
 * A Downgrade disconnects the Channels that were connected last: those that came first fit every Plan, and stay. They
 * have no tokens, and need a reconnect once these should have been renewed.
 */
export const firstChannelsAreKept: Check = ({ heads }) =>
  [...heads].flatMap(([id, { state }]) =>
    Object.values(state.channels).flatMap(({ accountId, state: now }) => {
      if (!accountId.startsWith(OTHER_ACCOUNT) || now !== 'not_connected') return [];
      const detail = `account ${accountId} of workspace ${id} is ${now}, and nothing disconnected it`;
      return [{ check: 'the first Channels are kept', detail, about: [id] }];
    }),
  );
