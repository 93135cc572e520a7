import type { FailureReason, VariantStatus } from '#domain/post/post.ts';

/** What a person can do about a failure. */
export type FailureRemedy = 'retry' | 'reconnect' | 'write-again';

export interface FailureWords {
  /** One sentence, in our words. */
  readonly what: string;
  readonly advice: string;
  /** The best one first. */
  readonly remedies: readonly FailureRemedy[];
}

/** Of a Variant that failed for sure. `network` and `channel` are names. */
export function failureWords(
  reason: Exclude<FailureReason, 'unconfirmed'>,
  { network, channel }: { readonly network: string; readonly channel: string },
): FailureWords {
  return WORDS[reason](network, channel);
}

const WORDS: Readonly<
  Record<Exclude<FailureReason, 'unconfirmed'>, (network: string, channel: string) => FailureWords>
> = {
  needs_reconnect: (network, channel) => ({
    what: `${network} no longer lets Crier publish to ${channel}, so nothing was published.`,
    advice: 'Reconnect the Channel, then retry.',
    remedies: ['reconnect', 'retry'],
  }),
  rejected_by_platform: (network) => ({
    what: `${network} refused this Post as it was written.`,
    advice: 'Read what it said, change that, and write the Post again.',
    remedies: ['write-again', 'retry'],
  }),
  media_problem: (network) => ({
    what: `${network} can not show a file of this Post, so nothing was published.`,
    advice: 'Write the Post again with another file.',
    remedies: ['write-again', 'retry'],
  }),
  rate_limited: (network, channel) => ({
    what: `${network} takes no more Posts from ${channel} for now.`,
    advice: 'Retry later: the limit is of the Network, and passes by itself.',
    remedies: ['retry'],
  }),
  missed_window: () => ({
    what: 'It could not be published in time, and Crier publishes nothing long after its time unasked.',
    advice: 'Retry publishes it now. To choose another time, write it again.',
    remedies: ['retry', 'write-again'],
  }),
  platform_problem: (network) => ({
    what: `${network} was not working as it should, and took nothing after several tries.`,
    advice: 'Retry when it works again.',
    remedies: ['retry'],
  }),
};

/** Why a Variant was cancelled; null: it was not. */
export function cancelWords({
  status,
  cancelledByDisconnect,
}: {
  readonly status: VariantStatus;
  readonly cancelledByDisconnect: { readonly by: string | null } | null;
}): string | null {
  if (status !== 'cancelled') return null;
  if (cancelledByDisconnect === null) return 'A person cancelled it, or its Post was replaced.';
  const { by } = cancelledByDisconnect;
  return by === null
    ? 'It was cancelled when the Workspace’s Plan came to allow fewer Channels.'
    : `It was cancelled when ${by} disconnected the Channel.`;
}
