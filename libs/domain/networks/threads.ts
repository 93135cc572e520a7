export const threads = {
  displayName: 'Threads',
  placements: ['feed'],
  upkeepEveryDays: 7,
  hasMetrics: false,
  hasTitle: false,
  options: ['firstComment', 'topicTag', 'replyControl'],
  privacies: [],
  cover: null,
  clientIdIs: "The app's id at threads",
} as const;
