import { describe, expect, test } from 'vitest';
import { GROUP, openConsumerHarness, SOURCE, UNKNOWN_SCHEMA } from './consumer-harness.fixture.ts';

describe('a consumer that reads what is appended', () => {
  test('acknowledges what it handled at once only when it is durable', async () => {
    const { append, acknowledged, consumer, done, log, until } = openConsumerHarness({ syncs: 'later' });
    const handledBefore: number[] = [];
    const reader = await consumer('one', {
      reads: 'appended',
      handle: async () => void handledBefore.push(log.control.records(SOURCE).length),
    });
    for (let number = 0; number < 5; number++) await append('a', number);
    await until(() => acknowledged() === 4, 'the last record is acknowledged');
    expect(reader.trouble()).toBeNull();
    expect(done('a')).toEqual([]);
    // Each while only those before it were durable.
    expect(handledBefore).toEqual([0, 1, 2, 3, 4]);
    await reader.stop();
  });

  test.each([
    ['can not be read', Buffer.from('nothing that was ever written')],
    ['has a schema that is not known', UNKNOWN_SCHEMA],
  ])('neither buries nor parks a record that %s and was taken back', async (_, value) => {
    const { append, appendRaw, acknowledged, buried, consumer, done, log, parked, until } = openConsumerHarness({
      syncs: 'later',
    });
    const reader = await consumer('one', { reads: 'appended' });
    await append('a', 0);
    await until(() => acknowledged() === 0, 'the first record is acknowledged');
    log.control.failNextAppend('full');
    await expect(appendRaw({ key: 'a', value })).rejects.toMatchObject({ kind: 'unavailable' });
    await append('a', 1);
    await until(() => (log.control.acknowledged(GROUP, SOURCE) ?? 0) > 1, 'the next record is acknowledged');
    expect(done('a')).toEqual([0, 1]);
    expect([await buried(), await parked(), reader.trouble()]).toEqual([[], [], null]);
    await reader.stop();
  });
});
