import type { Delivery, Endpoint, NewEndpoint } from '#clients/typescript/client.ts';
import { machineZone, shownTime } from '../chosen-time.ts';
import { pairsOf, tableOf } from '../table.ts';
import { CommandRefusal } from '../usage-error.ts';
import type { Invocation, Verb } from '../verb.ts';

const EVENTS = ['variant.published', 'variant.failed'];
const NONE = { minWords: 0, maxWords: 0, takes: '', flags: [] };
const ONE_ID = { minWords: 1, maxWords: 1, takes: 'ID', flags: [] };

export const WEBHOOKS: readonly Verb[] = [
  {
    ...NONE,
    name: 'webhooks',
    summary: 'List webhook endpoints with their latest deliveries',
    examples: ['crier webhooks', 'crier webhooks --json'],
    run: async ({ crier, terminal, json }) => {
      const endpoints = await crier().webhooks.list({ signal: terminal.interrupted });
      if (json) terminal.out(`${JSON.stringify(endpoints)}\n`);
      else if (endpoints.length === 0) terminal.out('No webhook. crier webhooks add URL makes one.\n');
      else terminal.out(endpoints.map((endpoint) => shownEndpoint(endpoint, terminal.columns)).join('\n'));
      return 0;
    },
  },
  {
    ...ONE_ID,
    name: 'webhooks add',
    summary: 'Have events told to an https address; prints its secret, this once',
    takes: 'URL',
    flags: [{ name: 'event', value: 'EVENT', doc: `${EVENTS.join(' or ')} [both]`, multiple: true, completes: EVENTS }],
    examples: [
      'crier webhooks add https://hooks.example.com/crier',
      'crier webhooks add https://hooks.example.com/crier --event variant.failed',
    ],
    run: async (invocation) => {
      const { crier, terminal, words } = invocation;
      const given = invocation.values('event');
      const endpoint = { url: words[0]!, events: given.length === 0 ? EVENTS : given };
      return showSecret(await crier().webhooks.create(endpoint, { signal: terminal.interrupted }), invocation);
    },
  },
  {
    ...ONE_ID,
    name: 'webhooks remove',
    summary: 'Stop sending to an endpoint',
    examples: ['crier webhooks remove 0198c1f2-...'],
    run: async ({ crier, terminal, json, words }) => {
      await crier().webhooks.remove(words[0]!, { signal: terminal.interrupted });
      terminal.out(json ? '{}\n' : 'Removed.\n');
      return 0;
    },
  },
  {
    ...ONE_ID,
    name: 'webhooks test',
    summary: 'Tell an endpoint of something that never happened',
    examples: ['crier webhooks test 0198c1f2-...'],
    run: async ({ crier, terminal, json, words }) => {
      const delivery = await crier().webhooks.test(words[0]!, { signal: terminal.interrupted });
      terminal.out(json ? `${JSON.stringify(delivery)}\n` : 'On its way. crier webhooks shows what became of it.\n');
      return 0;
    },
  },
  {
    ...ONE_ID,
    name: 'webhooks rotate',
    summary: 'Give an endpoint another secret; the old one signs beside it for 24 hours',
    examples: ['crier webhooks rotate 0198c1f2-...'],
    run: async (invocation) => {
      const { crier, terminal, words } = invocation;
      return showSecret(await crier().webhooks.rotateSecret(words[0]!, { signal: terminal.interrupted }), invocation);
    },
  },
  {
    ...ONE_ID,
    name: 'webhooks replay',
    summary: 'Deliver an event again, with the same event id',
    takes: 'DELIVERY',
    notes: ['The ids of deliveries are in crier webhooks.'],
    examples: ['crier webhooks replay 0198c1f2-...'],
    run: async (invocation) => {
      const { crier, terminal, json, words } = invocation;
      const endpointId = await endpointOf(words[0]!, invocation);
      const delivery = await crier().webhooks.replay(endpointId, words[0]!, { signal: terminal.interrupted });
      terminal.out(json ? `${JSON.stringify(delivery)}\n` : 'On its way again.\n');
      return 0;
    },
  },
];

/** The endpoint whose latest deliveries have this one. */
async function endpointOf(deliveryId: string, { crier, terminal }: Invocation): Promise<string> {
  const endpoints = await crier().webhooks.list({ signal: terminal.interrupted });
  const found = endpoints.find(({ deliveries }) => deliveries.some(({ id }) => id === deliveryId.toLowerCase()));
  if (found === undefined)
    throw new CommandRefusal(`no endpoint has a delivery ${deliveryId} among its latest 20. See crier webhooks`);
  return found.id;
}

function showSecret(endpoint: NewEndpoint, { terminal, json }: Invocation): number {
  if (json) terminal.out(`${JSON.stringify(endpoint)}\n`);
  else
    terminal.out(
      `${pairsOf([
        ['id', endpoint.id],
        ['url', endpoint.url],
        ['events', endpoint.events.join(', ')],
        ['secret', endpoint.secret],
      ])}\n\nKeep the secret: it is shown this once.\n`,
    );
  return 0;
}

function shownEndpoint({ id, url, events, state, deliveries }: Endpoint, columns: number): string {
  const zone = machineZone();
  const head = `${id}  ${url}  ${state}  ${events.join(', ')}\n`;
  if (deliveries.length === 0) return `${head}  nothing delivered yet\n`;
  const table = tableOf(
    deliveries,
    [
      { head: 'DELIVERY', cell: (delivery: Delivery) => delivery.id },
      { head: 'EVENT', cell: ({ type }: Delivery) => type },
      { head: 'STATE', cell: ({ state: of, attempts }: Delivery) => `${of} (${attempts})` },
      { head: 'AT', cell: ({ createdAt }: Delivery) => shownTime(createdAt, zone) },
      { head: 'ERROR', cell: ({ error }: Delivery) => error ?? '', flexible: true },
    ],
    columns - 2,
  );
  return `${head}${table.replace(/^/gm, '  ')}\n`;
}
