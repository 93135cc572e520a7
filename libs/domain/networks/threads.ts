export const threads = {
  displayName: 'Threads',
  placements: ['feed'],
  upkeepEveryDays: 7,
  hasMetrics: false,
  hasTitle: false,
  clientIdIs: "The app's id at threads",
} as const;
