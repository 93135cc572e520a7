import { expect } from 'vitest';
import { outcomeIdOf, type OutcomeBody } from '#domain/workspace/events.ts';
import { OUTCOME_TYPES } from '#domain/webhook/outcome-type.ts';
import type { Tenant } from '#testing/crier-cluster.ts';
import type { ApiClient, PostJson } from '#testing/crier-clients.ts';
import { startTrustedReceiver } from '#testing/trusted-receiver.ts';
import { until } from '#testing/until.ts';

/** An endpoint of each tenant, at one receiver without faults. */
export interface EventReceivers extends AsyncDisposable {
  /** Settings for processes that are to reach it. */
  readonly settings: Readonly<Record<string, string>>;
  register(api: ApiClient, tenant: Tenant): Promise<void>;
  /**
   * Waits until the tenant has an event for the end of every Variant of these Posts; then expects every event to have
   * the one id that belongs to it. Returns their number.
   */
  all(tenant: Tenant, posts: readonly PostJson[]): Promise<number>;
}

const WITHIN_MS = 180_000;

export async function startEventReceivers(): Promise<EventReceivers> {
  const trusted = await startTrustedReceiver();
  const { receiver, settings } = trusted;
  const eventsOf = ({ workspaceId }: Tenant): readonly OutcomeBody[] =>
    receiver.requests
      .filter(({ method, path }) => method === 'POST' && path === `/${workspaceId}`)
      .map(({ body }) => JSON.parse(body.toString('utf8')) as OutcomeBody);
  return {
    settings,
    async register(api, { workspaceId }) {
      const { status, body } = await api.send('POST', '/api/webhooks', {
        url: `${receiver.url}${workspaceId}`,
        events: [...OUTCOME_TYPES],
      });
      expect(status, JSON.stringify(body)).toBe(201);
    },
    async all(tenant, posts) {
      const ended = posts
        .flatMap(({ variants }) => variants)
        .filter(({ status }) => status === 'published' || status === 'failed');
      const due = ended.map(({ id, status }) =>
        outcomeIdOf({ id, attempt: 1 }, status === 'published' ? 'variant.published' : 'variant.failed'),
      );
      const isTold = (): boolean => {
        const ids = new Set(eventsOf(tenant).map(({ id }) => id));
        return due.every((id) => ids.has(id));
      };
      await until(isTold, {
        what: `${tenant.workspaceId} has events of ${due.length} ends`,
        withinMs: WITHIN_MS,
        everyMs: 250,
      });
      for (const { id, type, data } of eventsOf(tenant))
        expect(id, `${data.variant.id} ${type}`).toBe(outcomeIdOf({ id: data.variant.id, attempt: 1 }, type));
      return due.length;
    },
    [Symbol.asyncDispose]: () => trusted[Symbol.asyncDispose](),
  };
}
