import type { OutcomeType } from '#domain/webhook/outcome-type.ts';
import type { Aftermath } from '../aftermath.ts';

/** An endpoint, as far as clients know: those whose registration was answered. */
export interface EndpointLife {
  readonly id: string;
  readonly workspaceId: string;
  readonly url: string;
  readonly events: readonly OutcomeType[];
  /** Every secret that it ever had, the first one first. */
  readonly secrets: readonly string[];
  /** A rotation whose outcome is unknown may have made another one. */
  readonly knowsAllSecrets: boolean;
  readonly registeredAt: number;
  /** When its end may have begun: it was deleted, its key was revoked, its Member left. Null: it goes on. */
  readonly mayHaveEndedAt: number | null;
  /** When its end was answered; null: it was not. */
  readonly endedAt: number | null;
}

export function endpointLives({ history }: Pick<Aftermath, 'history'>): readonly EndpointLife[] {
  return history.of('endpoint').flatMap((entry) => {
    const { endpointId, secret, url, events, workspaceId, credentialId } = entry;
    if (endpointId === null || secret === null) return [];
    const ends = [
      ...history.of('endpoint deleted').filter((end) => end.endpointId === endpointId),
      ...history.of('ended').filter((end) => end.credentialId === credentialId),
    ].filter(({ seen }) => seen !== 'refused');
    const rotated = history.of('secret rotated').filter((each) => each.endpointId === endpointId);
    const answered = ends.filter(({ seen }) => seen === 'ok');
    const life: EndpointLife = {
      ...{ id: endpointId, workspaceId, url, events },
      secrets: [secret, ...rotated.flatMap((each) => (each.secret === null ? [] : [each.secret]))],
      knowsAllSecrets: rotated.every(({ seen }) => seen !== 'unknown'),
      registeredAt: entry.completedAt!,
      mayHaveEndedAt: ends.length === 0 ? null : Math.min(...ends.map(({ invokedAt }) => invokedAt)),
      endedAt: answered.length === 0 ? null : Math.min(...answered.map(({ completedAt }) => completedAt!)),
    };
    return [life];
  });
}
