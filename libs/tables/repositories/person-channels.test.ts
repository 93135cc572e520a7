import { expect, test } from 'vitest';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createPersonChannels } from './person-channels.ts';

const PERSON = { network: 'facebook', personId: 'ada' } as const;
const idOf = (number: number): string => `01a20000-0000-7000-8000-${String(number).padStart(12, '0')}`;

test('the newest Channels of a person are found, however many there were before', async () => {
  const ids = createSeededIds(1);
  const channels = createPersonChannels(createMemoryTableStore(), () => ids.token());
  const of = (number: number) => ({ workspaceId: 'w', channelId: idOf(number), connectionId: `${number}` });
  for (let number = 0; number < 1_100; number++) {
    await channels.keep(PERSON, of(number));
    if (number < 1_090) await channels.remove(PERSON, of(number));
  }
  expect(await channels.of(PERSON)).toEqual(Array.from({ length: 10 }, (_, index) => of(1_090 + index)));
});
