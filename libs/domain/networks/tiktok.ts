export const tiktok = {
  displayName: 'TikTok',
  placements: ['feed'],
  upkeepEveryDays: 28,
  hasMetrics: false,
  hasTitle: false,
  clientIdIs: "The app's client key at tiktok",
} as const;
