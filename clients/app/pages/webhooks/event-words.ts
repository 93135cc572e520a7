export const EVENTS = ['variant.published', 'variant.failed'] as const;
export type EventType = (typeof EVENTS)[number];

export const EVENT_WORDS: Readonly<Record<EventType, string>> = {
  'variant.published': 'when a Variant is published',
  'variant.failed': 'when a Variant has failed',
};

/** How one attempt at a delivery ended, in words. */
export function outcomeWords(outcome: string, status: number | null): string {
  switch (outcome) {
    case 'succeeded':
      return `Answered ${status ?? 'well'}`;
    case 'refused':
      return `Answered ${status ?? 'no'}: not taken`;
    case 'redirected':
      return `Answered ${status ?? 'a redirect'}: redirects are not followed`;
    case 'timed_out':
      return 'Did not answer in time';
    case 'unreachable':
      return 'Could not be reached';
    case 'unsafe':
      return 'Not asked: the address leads to a private network';
    case 'stopped':
      return 'Not sent: the endpoint was stopped';
    case 'never_tried':
      return 'Not sent: there was no turn within a day';
    default:
      return outcome;
  }
}

/** The text as people read it: JSON with indents; what is no JSON stays as it is. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
