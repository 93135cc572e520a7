export const facebook = {
  displayName: 'Facebook',
  placements: ['feed', 'story'],
  upkeepEveryDays: 1,
  hasMetrics: false,
  hasTitle: false,
  clientIdIs: "The app's id at facebook",
} as const;
