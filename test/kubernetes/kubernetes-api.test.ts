import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createServerIdentity } from '#testing/test-certificates.ts';
import { until } from '#testing/until.ts';
import { KubernetesApi } from './kubernetes-api.ts';

const pod = (name: string) => ({ metadata: { name, namespace: 'social', uid: name, resourceVersion: '1' } });

test('a watch whose connection is cut in the middle of an event begins again with a list', async () => {
  const identity = createServerIdentity(['localhost']);
  const items = [pod('first')];
  const server = createServer({ key: identity.key, cert: identity.certificate }, (request, answer) => {
    if (!request.url!.includes('watch=1'))
      return void answer.end(JSON.stringify({ metadata: { resourceVersion: '1' }, items }));
    items.push(pod(`after watch ${items.length}`));
    answer.write('{"type":"ADDED","obj', () => request.socket.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const over = new AbortController();
  onTestFinished(async () => {
    over.abort();
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  const { port } = server.address() as AddressInfo;
  const api = new KubernetesApi({ port, token: 'any', certificate: identity.ca });
  const seen: string[][] = [];
  const following = api.follow('/api/v1/pods', (pods) => seen.push([...pods.keys()]), over.signal);
  await until(() => seen.length >= 3, { what: 'three lists' });
  expect(seen[2]).toEqual(['social/first', 'social/after watch 1', 'social/after watch 2']);
  over.abort();
  await following;
});
