export const instagram = {
  displayName: 'Instagram',
  placements: ['feed', 'story'],
  upkeepEveryDays: 7,
  hasMetrics: false,
  hasTitle: false,
  options: ['firstComment', 'cover', 'collaborators', 'shareToFeed', 'userTags'],
  privacies: [],
  cover: { picture: true, moment: 'instant' },
  clientIdIs: "The app's id at instagram",
} as const;
