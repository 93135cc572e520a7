export const facebook = {
  displayName: 'Facebook',
  placements: ['feed', 'story'],
  upkeepEveryDays: 1,
  hasMetrics: false,
  hasTitle: false,
  options: ['firstComment', 'cover', 'link'],
  privacies: [],
  cover: { picture: true, moment: 'picture' },
  clientIdIs: "The app's id at facebook",
} as const;
