export const youtube = {
  displayName: 'YouTube',
  placements: ['feed'],
  upkeepEveryDays: 28,
  hasMetrics: true,
  hasTitle: true,
  clientIdIs: "The OAuth client's id at Google, for youtube",
} as const;
