import type { AttackJob } from './attack-job.ts';
import { requests, timed, type AttackedPool, type RequestsOf } from './duel.ts';
import { reached } from './tenant.ts';

// Pools of what Crier sends to others.

const ARRIVES_WITHIN_MS = 60_000;

export const DELIVERIES: AttackedPool = {
  pool: 'webhook deliveries',
  attack: 'four Posts a second to ten Channels, heard by ten endpoints that answer after 8 s',
  ordinary: 'a test event, until it arrives',
  aSecond: 2,
  held: ['crier_webhook_attempts_in_flight', ''],
  begin: async (scene) => {
    const { victim, attacker, hosts } = scene;
    const events = ['variant.published'];
    const { id } = await victim.call('POST', '/api/webhooks', { url: hosts.urlOf('hook', 0), events });
    for (let index = 0; index < 10; index++)
      await attacker.call('POST', '/api/webhooks', { url: hosts.urlOf('late', index), events });
    return {
      victim: () =>
        timed(async () => {
          const { eventId } = await victim.call('POST', `/api/webhooks/${id}/test`);
          await hosts.arrived(eventId, ARRIVES_WITHIN_MS);
        }),
      attack: { ...requests(scene, now(attacker.channelIds.slice(0, 10))), aSecond: 4 } as AttackJob,
    };
  },
};

function now(channelIds: readonly string[]): RequestsOf {
  return { method: 'POST', path: '/api/posts', body: JSON.stringify({ text: 'attack {n}', channelIds }) };
}

export const PUBLISHING: AttackedPool = {
  pool: 'publishing',
  attack: 'a Post to all Channels of the Workspace at once, every two seconds',
  ordinary: 'a Post to one Channel, until it is published',
  aSecond: 2,
  held: ['crier_publish_in_flight', 'network="x"'],
  begin: async (scene) => {
    const { victim, attacker } = scene;
    const publish = async (index: number): Promise<void> => {
      const post = { text: `ordinary ${index}`, channelIds: [victim.channelIds[index % victim.channelIds.length]] };
      const { id } = await victim.call('POST', '/api/posts', post);
      await reached(
        () => victim.call('GET', `/api/posts/${id}`),
        ({ variants }) => variants.every(({ status }: { readonly status: string }) => status === 'published'),
      );
    };
    return {
      victim: (index) => timed(() => publish(index)),
      attack: { ...requests(scene, now(attacker.channelIds)), aSecond: 0.5 } as AttackJob,
    };
  },
};
