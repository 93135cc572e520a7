export const instagram = {
  displayName: 'Instagram',
  placements: ['feed', 'story'],
  upkeepEveryDays: 7,
  hasMetrics: false,
  hasTitle: false,
  clientIdIs: "The app's id at instagram",
} as const;
