import { CLOCK_SKEW_MS } from '#domain/workspace/clock-skew.ts';
import { LINKS_BY_CLIENT } from '#services/app/people/link-requests.ts';
import { signIn } from '../signed-in.ts';
import { inPool, requests, timed, type AttackedPool, type RequestsOf, type Scene } from './duel.ts';
import { openLinkForm } from './link-form.ts';
import { reached, type Tenant } from './tenant.ts';

// Pools of what Crier sends to others.

/** Statuses of Variants. */
const ENDED: ReadonlySet<string> = new Set(['published', 'failed', 'cancelled']);
const ARRIVES_WITHIN_MS = 60_000;

export const DELIVERIES: AttackedPool = {
  pool: 'webhook deliveries',
  attack: 'four Posts a second to ten Channels, heard by ten endpoints that answer after 8 s',
  ordinary: 'a test event, until it arrives',
  aSecond: 10,
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
      attack: requests(scene, { ...now(attacker.channelIds.slice(0, 10)), aSecond: 4 }),
    };
  },
};

function now(channelIds: readonly string[]): RequestsOf {
  return { method: 'POST', path: '/api/posts', body: JSON.stringify({ text: 'attack {n}', channelIds }) };
}

/** A Post to one Channel, until it is published. */
async function publish(tenant: Tenant, index: number): Promise<void> {
  const post = { text: `ordinary ${index}`, channelIds: [tenant.channelIds[index % tenant.channelIds.length]] };
  const { id } = await tenant.call('POST', '/api/posts', post);
  await reached(
    () => tenant.call('GET', `/api/posts/${id}`),
    ({ variants }) => variants.every(({ status }: Variant) => status === 'published'),
  );
}

interface Variant {
  readonly status: string;
}

export const PUBLISHING: AttackedPool = {
  pool: 'publishing',
  attack: 'a Post to all Channels of the Workspace at once, every two seconds',
  ordinary: 'a Post to one Channel, until it is published',
  aSecond: 5,
  held: ['crier_publish_in_flight', 'network="x"'],
  begin: async (scene) => {
    const { victim, attacker } = scene;
    return {
      victim: (index) => timed(() => publish(victim, index)),
      attack: requests(scene, { ...now(attacker.channelIds), aSecond: 0.5 }),
    };
  },
};

/** Of our app at x. Half of it is twelve uses a second: more than the victim needs, and less than the attack. */
const WINDOW_SECONDS = 10;
const ALLOWANCE = `240/${WINDOW_SECONDS}s`;
/** A use counts for the window, for what clocks may differ by, and for what a block of uses lasts. */
const USES_COUNT_MS = 1_000 * WINDOW_SECONDS + CLOCK_SKEW_MS + 1_000;
/** More than the victim sends to one Channel in all rounds, so that it waits for the app's allowance alone. */
const ALLOWANCE_OF_ACCOUNT = '10000/15m';

export const APP_ALLOWANCE: AttackedPool = {
  pool: 'allowance of the app',
  attack: `a Post to all Channels of the Workspace at once, every two seconds, while x allows the app ${ALLOWANCE}`,
  settings: () => ({ CRIER_NETWORK_BUDGETS: `x.app=${ALLOWANCE},x.account=${ALLOWANCE_OF_ACCOUNT}` }),
  ordinary: 'a Post to one Channel, until it is published',
  aSecond: 3,
  held: ['crier_network_wait_seconds_count', 'why="allowance"'],
  isCounted: true,
  begin: async (scene) => {
    const { victim, attacker } = scene;
    const from = new Date().toISOString();
    let freeAt = 0;
    // Alone, the attacker may have all uses: those that it had amid the attack are nothing that the victim waits for.
    const left = async (): Promise<number> => {
      const count = await unfinished();
      if (count > 0) freeAt = performance.now() + USES_COUNT_MS;
      return performance.now() < freeAt ? 1 : 0;
    };
    const unfinished = async (): Promise<number> => {
      const posts: { readonly variants: readonly Variant[] }[] = await attacker.call(
        'GET',
        `/api/posts?limit=500&from=${from}`,
      );
      return posts.flatMap(({ variants }) => variants).filter(({ status }) => !ENDED.has(status)).length;
    };
    return {
      victim: (index) => timed(() => publish(victim, index)),
      attack: requests(scene, { ...now(attacker.channelIds), aSecond: 0.5 }),
      left,
    };
  },
};

export const SIGN_IN_MAILS: AttackedPool = {
  pool: 'sign-in mails',
  attack: 'six links a second, by a mail server that takes a second for each',
  attacker: `clients without a key, one after the other, of which each asks for ${LINKS_BY_CLIENT.limit} links`,
  settings: ({ mailSettings }) => mailSettings,
  ordinary: 'asking for a link, until the mail server has it',
  // With the attack, fewer than the eight that the mail server takes: a wait is the pool's, and not for want of places.
  aSecond: 1,
  held: inPool('sign-in-mails'),
  begin: async ({ server: { baseUrl }, hosts }) => ({
    victim: async (index) => {
      const form = await openLinkForm(baseUrl, `127.0.2.${1 + Math.floor(index / LINKS_BY_CLIENT.limit)}`);
      const email = `ordinary${index}@tenants.test`;
      try {
        return await timed(async () => {
          const status = await form.ask(email);
          if (status !== 200) throw new Error(`a link was answered ${status}`);
          await hosts.arrived(email, ARRIVES_WITHIN_MS);
        });
      } finally {
        await form.close();
      }
    },
    attack: { kind: 'links', url: baseUrl, aSecond: 6, linksAClient: LINKS_BY_CLIENT.limit },
  }),
};

const INVITE = '/app/trpc/members.invite';

export const LETTERS: AttackedPool = {
  pool: 'letters',
  attack: 'three invitations a second, by a mail server that takes a second for each',
  attacker: 'an owner of one Workspace, in the app',
  settings: ({ mailSettings }) => mailSettings,
  ordinary: 'inviting a Member, until the mail server has the letter',
  // A Workspace invites a hundred in an hour.
  aSecond: 1,
  held: inPool('letters'),
  begin: async (scene) => {
    const { server, hosts, victim, attacker } = scene;
    const [own, attacking] = [await inTheApp(scene, victim), await inTheApp(scene, attacker)];
    const body = (tenant: Tenant, email: string): string => JSON.stringify({ workspaceId: tenant.workspaceId, email });
    return {
      victim: async (index) => {
        const email = `guest${index}@tenants.test`;
        const arrived = timed(() => hosts.arrived(email, ARRIVES_WITHIN_MS));
        // The answer comes when the mail server has taken the letter, a second after it had it.
        const answered = fetch(server.baseUrl + INVITE, { method: 'POST', headers: own, body: body(victim, email) });
        const invited = answered.then((answer) => {
          if (answer.status !== 200) throw new Error(`an invitation was answered ${answer.status}`);
        });
        await Promise.all([invited, arrived]);
        return arrived;
      },
      attack: requests(scene, {
        ...{ method: 'POST', path: INVITE, headers: attacking, aSecond: 3 },
        body: body(attacker, 'guest{n}@attack.test'),
      }),
    };
  },
};

/** Headers of the owner's browser. */
async function inTheApp({ server, hosts }: Scene, { ownerEmail }: Tenant): Promise<Readonly<Record<string, string>>> {
  const { cookieHeader } = await signIn(server, ownerEmail, hosts.mailsTo);
  return { cookie: cookieHeader, 'content-type': 'application/json', 'x-crier-app': '1' };
}
