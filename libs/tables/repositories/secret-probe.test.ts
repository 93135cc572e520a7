import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import { probeSecret, secretTrouble, unknownSealingKeys } from './secret-probe.ts';

const FIRST = 'the first secret, of tests only, long enough';
const NEXT = 'the next secret, of tests only, long enough';

function installation() {
  const store = createMemoryTableStore({ clock: createMemoryClock() });
  let tokens = 0;
  return Object.assign(
    (secret: string, ...previousSecrets: readonly string[]) =>
      probeSecret(store, createSecretBox({ secret, previousSecrets }), () => `token ${tokens++}`),
    {
      look: (secret: string) => secretTrouble(store, createSecretBox({ secret })),
      unknown: (secret: string, ...previousSecrets: readonly string[]) =>
        unknownSealingKeys(store, createSecretBox({ secret, previousSecrets })),
    },
  );
}

test('the first process settles which secret an installation has, and others with it are well', async () => {
  const probe = installation();
  expect([await probe(FIRST), await probe(FIRST)]).toEqual([null, null]);
});

test('a look settles nothing', async () => {
  const probe = installation();
  expect(await probe.look(NEXT)).toBeNull();
  await probe(FIRST);
  expect([await probe.look(FIRST), await probe.look(NEXT)]).toEqual([
    null,
    expect.stringMatching(/^CRIER_SECRET is not/),
  ]);
});

test('of processes that start at once, with one secret, none is in trouble', async () => {
  const probe = installation();
  expect(await Promise.all([probe(FIRST), probe(FIRST), probe(FIRST)])).toEqual([null, null, null]);
});

test('another secret is named as the trouble, unless the first is among the former ones', async () => {
  const probe = installation();
  await probe(FIRST);
  expect(await probe(NEXT)).toMatch(
    /^CRIER_SECRET is not the secret of this installation \(sealed under key [0-9a-f]{8}, .*CRIER_PREVIOUS_SECRETS$/,
  );
  expect(await probe(NEXT, FIRST)).toBeNull();
  expect(await probe(FIRST, NEXT)).toBeNull();
});

test('each key that a process began to seal with is remembered, and told where it is not known', async () => {
  const probe = installation();
  const [first, next] = [FIRST, NEXT].map((secret) => createSecretBox({ secret }).keyIds[0]);
  expect(await probe.unknown(NEXT)).toEqual([]);
  await probe(FIRST);
  expect([await probe.unknown(FIRST), await probe.unknown(NEXT)]).toEqual([[], [first]]);
  await probe(NEXT, FIRST);
  await probe(NEXT, FIRST);
  expect([await probe.unknown(FIRST), await probe.unknown(NEXT), await probe.unknown(NEXT, FIRST)]).toEqual([
    [next],
    [first],
    [],
  ]);
});
