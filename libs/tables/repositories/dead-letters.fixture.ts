import { describe, expect, test } from 'vitest';
import type { DeadLetter } from '#messages/messages.ts';
import { PUBLISH } from '../declarations/topics.ts';
import {
  keepDeadLetter,
  listDeadLetters,
  readDeadLetter,
  readDeadLetterValue,
  type DeadLetterEnvelope,
  type DeadLetterFilter,
} from './dead-letters.ts';
import type { TwoStores } from './two-stores.fixture.ts';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 10, 20, 12);
const SUBJECT = { type: 'PublishVariant', workspaceId: 'w', postId: 'p', variantId: 'v' };

const letterAt = (at: number, more: Partial<DeadLetter> = {}): DeadLetter => ({
  ...{ type: 'DeadLetter', topic: PUBLISH.x.name, partition: 3, offset: at, key: 'channel' },
  ...{ value: Buffer.from('what it was'), error: 'it can not be read', at },
  ...more,
});

/** What any store has to make true of dead letters. `open` gives two ways to the same tables. */
export function deadLetters(name: string, open: () => Promise<TwoStores>): void {
  describe(name, () => {
    test('dead letters are listed newest first, each once however often it was kept, and keep their bytes', async () => {
      const { stores, close } = await open();
      const [writer, reader] = stores;
      const list = (more: Partial<DeadLetterFilter> = {}) =>
        listDeadLetters(reader, { from: NOW - 30 * DAY_MS, to: NOW, before: null, limit: 10, ...more });
      try {
        const largest = Buffer.alloc(984_000, 7);
        const letters = [
          letterAt(NOW, { value: largest }),
          letterAt(NOW - 1, { offset: -1, value: Buffer.from('') }),
          letterAt(NOW - 1, { offset: -1, value: Buffer.from('another step of the same record') }),
          letterAt(NOW - DAY_MS),
          letterAt(NOW - 9 * DAY_MS),
        ];
        for (const letter of letters.toReversed()) await keepDeadLetter(writer, letter, SUBJECT);
        for (const letter of letters) await keepDeadLetter(reader, letter, SUBJECT);
        const { letters: listed, more } = await list();
        expect([listed.map(({ at }) => at), more]).toEqual([letters.map(({ at }) => at), false]);
        expect(listed[0]).toMatchObject({ topic: PUBLISH.x.name, bytes: largest.length, subject: SUBJECT });
        expect(await readDeadLetter(reader, listed[0]!.id)).toEqual(listed[0]);
        const sizes = await Promise.all(listed.map(async ({ id }) => (await readDeadLetterValue(reader, id))?.length));
        expect(sizes).toEqual(listed.map(({ bytes }) => bytes));
        expect(await readDeadLetterValue(reader, listed[0]!.id)).toSatisfy((bytes) => largest.equals(bytes as Buffer));

        const window = await list({ from: NOW - DAY_MS, to: NOW - 1 });
        expect(window.letters).toEqual(listed.slice(1, 4));
        const read: DeadLetterEnvelope[] = [];
        for (let left = true; left;) {
          const page = await list({ before: read.at(-1) ?? null, limit: 1 });
          read.push(...page.letters);
          left = page.more;
        }
        expect(read).toEqual(listed);
        for (const id of ['0-0', 'x', `${NOW}-0000000000000000`]) expect(await readDeadLetter(reader, id)).toBeNull();
      } finally {
        await close();
      }
    });
  });
}
