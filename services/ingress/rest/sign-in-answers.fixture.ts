/** What a link that is good answers when it is opened. */
export const ASKED = {
  kind: 'asked',
  network: 'x',
  workspaceId: 'w-1',
  isReconnect: false,
  leadsTo: 'https://x.com',
} as const;
