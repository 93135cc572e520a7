import type { Network } from '#domain/network.ts';
import type { Failure } from '#domain/variant/failure.ts';
import type { NetworkAdapter, NetworkComments } from './adapter.ts';
import { askAgainMs, mayGiveUp, PUBLISH_TIMEOUT_MS } from './waits.ts';

/**
 * The adapter of a Network that this process has no app for, though Variants come due there: the app was removed, or a
 * release that brings one does not run everywhere yet. A Variant that was not sent is retried until it is too late, and
 * then fails with the reason; one that may have been sent becomes unconfirmed after the usual number of questions.
 */
export function closedNetwork(network: Network): NetworkAdapter {
  const detail = `Nothing can be published on ${network}: this installation has no app there. Ask its operator to set one up, then retry.`;
  const summary = { status: 0, detail, isUncalled: true } as const;
  const failure: Failure = { reason: 'platform_problem', detail, retry: 'later' };
  const refuse = async () => ({ kind: 'failed', failure, summary }) as const;
  return {
    network,
    publishTimeoutMs: PUBLISH_TIMEOUT_MS,
    prepare: refuse,
    publish: refuse,
    reconcile: async ({ now }, armed) => ({
      kind: 'unknown',
      delayMs: mayGiveUp(armed, now) ? null : askAgainMs(armed.asked),
      summary,
    }),
  };
}

/** Of a Network that this process can send no comments to: it has no app there, or no way to. */
export function closedComments(network: Network): NetworkComments {
  const detail = `No comment can be sent on ${network}: this installation has no app there, or the Network takes none.`;
  const summary = { status: 0, detail, isUncalled: true } as const;
  const failure: Failure = { reason: 'platform_problem', detail, retry: 'never' };
  const refuse = async () => ({ kind: 'failed', failure, summary }) as const;
  return {
    network,
    publishTimeoutMs: PUBLISH_TIMEOUT_MS,
    isUse: false,
    prepare: refuse,
    publish: refuse,
    reconcile: async () => ({ kind: 'unknown', delayMs: null, summary }),
  };
}
