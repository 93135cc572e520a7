import { MEDIA_JOBS, PUBLISH, WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import { isoOf } from '../fields.ts';
import { commentWords, attemptWords } from './attempt-words.ts';
import { logWords } from './log-words.ts';
import type { VariantFacts } from './variant-facts.ts';
import { timerWords } from './timer-words.ts';
import type { Whereabouts } from './whereabouts.ts';
import { countWords, instantWords, spanWords } from './words.ts';

/** Where one Variant is, for a person who has nothing but its id. */
export function whereaboutsOf(facts: VariantFacts): Whereabouts {
  const { variant } = facts;
  switch (variant.status) {
    case 'draft':
      return { waitsFor: 'a person', words: ['It is a draft: somebody has to schedule or publish it.'] };
    case 'cancelled':
      return { waitsFor: 'nothing', words: [cancelWords(facts)] };
    case 'published':
      return { waitsFor: 'nothing', words: [publishedWords(facts), ...commentWords(facts)] };
    case 'failed':
      return { waitsFor: 'a person', words: failedWords(facts) };
    case 'scheduled':
    case 'publishing': {
      const parked = parkedWords(facts);
      const { waitsFor, words } = variant.status === 'scheduled' ? scheduled(facts) : attemptWords(facts);
      return parked.length === 0 ? { waitsFor, words } : { waitsFor: 'a parked key', words: [...parked, ...words] };
    }
  }
}

function scheduled(facts: VariantFacts): Whereabouts {
  const { variant, now, holds } = facts;
  const due = `due at ${instantWords(variant.dueAt, now)}`;
  if (variant.hold?.waiting === true)
    return { waitsFor: 'a hold', words: [`It is scheduled and was ${due}.`, ...held(facts)] };
  if (variant.dueAt > now) {
    const words = [
      `It is scheduled: ${due}, attempt ${variant.attempt}.`,
      ...timerWords(facts),
      ...troubleAhead(facts),
    ];
    return { waitsFor: 'its time', words };
  }
  if (!variant.mediaReady)
    return { waitsFor: 'its media', words: [`It was ${due}.`, ...mediaWords(facts), ...timerWords(facts)] };
  const stopped = holds.length === 0 ? [] : holdsWords(facts, 'It will wait when its turn comes');
  const turn = `It was ${due}, and the turn that begins it has not been taken.`;
  return {
    waitsFor: 'its turn',
    words: [turn, ...timerWords(facts), ...logWords(facts, WORKSPACE_COMMANDS), ...stopped],
  };
}

function held(facts: VariantFacts): readonly string[] {
  const { holds, variant } = facts;
  if (holds.length === 0)
    return [
      'No hold covers it any more: it is released in the order of due times, as its Channel has room.',
      ...logWords(facts, WORKSPACE_COMMANDS),
    ];
  return [
    ...holdsWords(facts, 'It is held'),
    `After the release it is published in the order of due times of its Channel; until then it can be cancelled${variant.mediaReady ? '' : ', and its files are still being prepared'}. Its missed window stands still.`,
  ];
}

function holdsWords({ holds, now }: VariantFacts, what: string): readonly string[] {
  return holds.map(
    ({ network, workspaceId, since, by, reason }) =>
      `${what}: ${scopeWords(network, workspaceId)} is held since ${instantWords(since, now)}, by ${by}: ${reason}.`,
  );
}

function scopeWords(network: string | null, workspaceId: string | null): string {
  if (network === null) return workspaceId === null ? 'everything' : 'the Workspace';
  return workspaceId === null ? `${network}` : `${network} in the Workspace`;
}

/** What would keep it from being published at its time, as things are now. */
function troubleAhead(facts: VariantFacts): readonly string[] {
  const { variant, channel } = facts;
  return [
    ...holdsWords(facts, 'It will wait when it is due'),
    ...(channel !== null && channel.state !== 'connected'
      ? ['Its Channel needs a reconnect: if that is so when it is due, it fails with needs_reconnect.']
      : []),
    ...(variant.mediaReady ? [] : mediaWords(facts)),
  ];
}

function mediaWords(facts: VariantFacts): readonly string[] {
  const missing = facts.post.media.filter(({ stored }) => stored === null).length;
  const files = `Its files are being prepared${missing > 0 ? `; ${missing} of ${facts.post.media.length} have not come yet` : ''}.`;
  const end = 'It proceeds as soon as they are ready, and fails with media_problem when its missed window ends.';
  return [files, ...logWords(facts, MEDIA_JOBS), end];
}

function parkedWords({ parked, now, variant }: VariantFacts): readonly string[] {
  const what = (topic: string): string => {
    if (topic === WORKSPACE_COMMANDS.name) return 'Everything of its Workspace';
    return topic === PUBLISH[variant.network].name ? 'Every attempt of its Channel' : 'The preparation of its files';
  };
  return parked.map(
    ({ topic, key, parkedAt, held: count, error, wish }) =>
      `${what(topic)} is held back: the key ${key} of ${topic} is parked since ${instantWords(parkedAt, now)} with ${countWords(count, 'record')}, because of: ${error}. ` +
      (wish === 'none'
        ? `After the cause is removed: crier admin parked.retry '${JSON.stringify({ topic, key })}'.`
        : `An operator asked for ${wish}, which is under way.`),
  );
}

function cancelWords({ variant, now }: VariantFacts): string {
  const { cancelledAt, cancelledByDisconnect } = variant;
  const when = cancelledAt === null ? '' : ` at ${instantWords(cancelledAt, now)}`;
  return cancelledByDisconnect === null
    ? `It was cancelled${when}.`
    : `It was cancelled${when}, because its Channel was disconnected by ${cancelledByDisconnect.by ?? 'a change of Plan'}.`;
}

function publishedWords({ variant, ledger, now }: VariantFacts): string {
  const proof = ledger.evidence.findLast(({ outcome }) => outcome === 'published');
  const when = proof === undefined ? '' : ` at ${instantWords(proof.finishedAt, now)}`;
  const late = proof === undefined ? '' : `, ${spanWords(proof.finishedAt - variant.dueAt)} after it was due`;
  return `It is published${when}${late}${variant.permalink === null ? '' : `: ${variant.permalink}`}.`;
}

function failedWords({ variant, ledger }: VariantFacts): readonly string[] {
  const last = ledger.evidence.at(-1);
  const attempted =
    last === undefined ? 'No publisher ever began it.' : `Its last step ended at ${isoOf(last.finishedAt)}.`;
  const next =
    variant.failureReason === 'unconfirmed'
      ? 'It may be live: a person has to look at the account before it is retried. A retry asks the Network first.'
      : 'Nothing more happens until somebody retries it.';
  return [`It failed with ${variant.failureReason}: ${variant.failureDetail ?? ''}`, attempted, next];
}
