export const x = {
  displayName: 'X',
  placements: ['feed'],
  upkeepEveryDays: 28,
  hasMetrics: false,
  hasTitle: false,
  options: ['firstComment', 'replySettings', 'madeWithAi'],
  privacies: [],
  cover: null,
  clientIdIs: "The app's OAuth 2.0 client id at x",
} as const;
