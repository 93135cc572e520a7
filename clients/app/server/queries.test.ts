import { onlineManager } from '@tanstack/react-query';
import { expect, onTestFinished, test } from 'vitest';
import { queryClient } from './queries.ts';

test('a change that is made offline fails at once, and is not made when the connection is back', async () => {
  onTestFinished(() => {
    onlineManager.setOnline(true);
    queryClient.unmount();
    queryClient.clear();
  });
  // As the app's provider does: it then hears of a connection that is back.
  queryClient.mount();
  onlineManager.setOnline(false);
  let isReachable = false;
  const made: string[] = [];
  const retry = queryClient.getMutationCache().build(queryClient, {
    mutationFn: async (variantId: string) => {
      if (!isReachable) throw new TypeError('Failed to fetch');
      made.push(variantId);
    },
  });
  const answer = retry.execute('variant_1').catch((error: unknown) => error);
  const seen = await Promise.race([answer, new Promise((resolve) => setImmediate(resolve, 'it waits'))]);
  isReachable = true;
  onlineManager.setOnline(true);
  await queryClient.resumePausedMutations();
  expect([seen, made]).toEqual([new TypeError('Failed to fetch'), []]);
});
