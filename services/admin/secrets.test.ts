import { expect, test } from 'vitest';
import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import { secretContext } from '#domain/webhook/endpoint.ts';
import { readEndpoints } from '#tables/repositories/workspaces.ts';
import { openAdminHarness, openWorkspace, START } from './admin-harness.fixture.ts';

const OLD = 'a master secret for tests only, long enough';
const NEW = 'another master secret for tests only';
const HOUR = 3_600_000;

test("secrets.reseal seals Channels' tokens and endpoints' secrets anew, and secrets.status tells by which keys", async () => {
  const box = createSecretBox({ secret: NEW, previousSecrets: [OLD] });
  await using harness = await openAdminHarness(() => ({ secretBox: box }));
  const { caller, options, store, clock } = harness;
  const former = createSecretBox({ secret: OLD });
  const { workspaceId, memberId } = await openWorkspace(caller);
  for (const name of ['one', 'two']) await caller.channels.connectSandbox({ workspaceId, network: 'x', name });
  const { keyId } = await caller.keys.create({ workspaceId, memberId, name: 'k', permissions: ['webhooks:manage'] });
  const endpointId = options.ids.uuid7(START);
  const asked = (): { requestId: string; credential: { kind: 'key'; keyId: string } } => ({
    requestId: options.ids.uuid7(START),
    credential: { kind: 'key', keyId },
  });
  const envelope = { workspaceId, issuedAt: START, notAfter: START + HOUR, replyTo: '' };
  const sealed = (secret: string) => former.seal(secret, secretContext(endpointId));
  const about = { endpointId, url: 'https://hooks.test/', events: ['variant.failed'] as const };
  await options.request({
    ...{ ...envelope, ...asked(), ...about },
    type: 'RegisterEndpoint',
    sealedSecret: sealed('first'),
  });
  await options.request({
    ...{ ...envelope, ...asked(), endpointId },
    type: 'RotateEndpointSecret',
    sealedSecret: sealed('second'),
  });

  const [current, previous] = (await caller.secrets.status()).keys;
  expect([current, previous]).toMatchObject([
    { secret: 'current', total: 0 },
    { secret: 'previous', values: { connections: 2, endpoints: 2 }, total: 4 },
  ]);
  expect(JSON.stringify([current, previous])).not.toContain(NEW);
  const resealed = await caller.secrets.reseal();
  expect(resealed).toMatchObject({ key: current!.key, finished: true, resealed: 4, alreadyCurrent: 0, unopenable: 0 });
  expect((await caller.secrets.status()).keys).toMatchObject([
    { secret: 'current', values: { connections: 2, endpoints: 2 }, total: 4 },
    { secret: 'previous', total: 0 },
  ]);
  const { secrets } = (await readEndpoints(store, workspaceId))[endpointId]!;
  const alone = createSecretBox({ secret: NEW });
  expect(secrets.map((each) => [alone.open(each.sealed, secretContext(endpointId)), each.until])).toEqual([
    ['second', null],
    ['first', START + 24 * HOUR],
  ]);
  expect(await caller.secrets.reseal()).toMatchObject({ resealed: 0, alreadyCurrent: 4, unopenable: 0 });
  expect(harness.reporter.of('secrets-resealed')).toHaveLength(2);
  expect(clock.now()).toBe(START);
});
