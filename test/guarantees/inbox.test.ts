import { afterAll, beforeAll, expect, test } from 'vitest';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { foundWorkspace, type TestWorkspace } from '#testing/crier-workspace.ts';
import { until } from '#testing/until.ts';

interface InboxJson {
  readonly received: number;
  readonly letters: readonly {
    readonly method: string;
    readonly body: string;
    readonly signature: string;
    readonly eventId: string | null;
    readonly answered: string;
  }[];
}

let crier: CrierUnderTest;
let ours: TestWorkspace;
beforeAll(async () => {
  crier = await CrierUnderTest.start({ env: { CRIER_REQUESTS_PER_MINUTE: '0' } });
  ours = await foundWorkspace(crier, 'ours');
});
afterAll(() => crier[Symbol.asyncDispose]());

async function inbox(name: string, changes?: object): Promise<InboxJson> {
  const given =
    changes === undefined
      ? {}
      : { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(changes) };
  return (await (await fetch(`${crier.ready.sandboxUrl}/sandbox/inbox/${name}`, given)).json()) as InboxJson;
}

test('an event that Crier delivers to an inbox is shown there with a valid signature, and a failed attempt is shown on the delivery', async () => {
  const api = crier.api(ours.apiKey);
  const registered = await api.send('POST', '/api/webhooks', {
    url: 'https://inbox.sandbox/orders',
    events: ['variant.published'],
  });
  expect(registered.status).toBe(201);
  await inbox('orders', { secret: registered.body.data.secret });
  const post = await api.createPost({ text: 'told to an inbox', channelIds: [ours.channels.x] });
  const letters = async () => (await inbox('orders')).letters.filter(({ method }) => method === 'POST');
  await until(async () => (await letters()).length === 1, { what: 'the event is in the inbox' });
  const [letter] = await letters();
  expect(letter).toMatchObject({ signature: 'right', answered: '200' });
  expect(JSON.parse(letter!.body)).toMatchObject({
    id: letter!.eventId,
    type: 'variant.published',
    data: { post: { id: post.id } },
  });

  await inbox('orders', { answer: '500' });
  await api.createPost({ text: 'told in vain', channelIds: [ours.channels.x] });
  await until(async () => (await letters()).length === 2, { what: 'the second event came' });
  const deliveries = async () =>
    (await api.send('GET', '/api/webhooks')).body.data[0].deliveries as readonly {
      state: string;
      responseStatus: number | null;
    }[];
  await until(
    async () => (await deliveries()).some(({ state, responseStatus }) => state === 'pending' && responseStatus === 500),
    { what: 'the delivery reports its failed attempt' },
  );
});

test('neither an inbox that redirects nor an address that is not on the public internet can be registered', async () => {
  const api = crier.api(ours.apiKey);
  await inbox('moved', { answer: 'redirect' });
  for (const url of [
    'https://inbox.sandbox/moved',
    'https://127.0.0.1/',
    'https://[::ffff:169.254.169.254]/',
    'http://inbox.sandbox/orders',
    'https://inbox.sandbox:8443/orders',
    'https://other.sandbox/',
  ]) {
    const { status, body } = await api.send('POST', '/api/webhooks', { url, events: ['variant.failed'] });
    expect([url, status, body.error.code]).toEqual([url, 422, 'unsafe_url']);
  }
});
