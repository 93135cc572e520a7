import { describe, expect, test } from 'vitest';
import type { DeadLetter, Message } from '#messages/messages.ts';
import { partitionOf } from '#ports/log.ts';
import { writeParkedKey } from '#tables/repositories/parking.ts';
import { DEAD_LETTERS, PUBLISH, TIMERS } from '#tables/declarations/topics.ts';
import { openAdminHarness, START, until, type AdminHarness } from './admin-harness.fixture.ts';
import { createDeadLetterKeeper } from './dead-letter-keeper.ts';
import { createCallerFactory } from './procedure.ts';

const TOPIC = PUBLISH.x;
const [WORKSPACE, POST] = ['01930000-0000-7000-8000-000000000001', '01930000-0000-7000-8000-000000000200'];
const VARIANT = `${POST.slice(0, -2)}01`;

const JOB: Message = {
  ...{ type: 'PublishVariant', why: 'due', workspaceId: WORKSPACE, variantId: VARIANT, channelId: 'channel' },
  ...{ attempt: 1, network: 'x', placement: 'feed', accountId: '1', dueAt: 0, latestStart: 0, reconcileFirst: false },
};
const TENANTS_TEXT = 'the secret campaign';
const RENAME: Message = {
  ...{ type: 'RenameWorkspace', workspaceId: WORKSPACE, name: TENANTS_TEXT, requestId: 'r', credential: null },
  ...{ issuedAt: START, notAfter: START, replyTo: '' },
};

async function bury(harness: AdminHarness, about: Partial<DeadLetter> = {}): Promise<void> {
  const letter: DeadLetter = {
    ...{ type: 'DeadLetter', topic: TOPIC.name, partition: 3, offset: 8, key: 'channel' },
    ...{ value: Buffer.from([7, 7, 7]), error: 'the record can not be read', at: START },
    ...about,
  };
  await harness.log.append(DEAD_LETTERS.name, [
    { key: `${letter.topic}/${letter.partition}`, value: harness.codec.encode(letter) },
  ]);
}

const listed = async ({ caller }: AdminHarness) => (await caller.deadLetters.list()).deadLetters;
const arrived = (harness: AdminHarness, count: number) =>
  until(async () => (await listed(harness)).length === count && (await harness.caller.deadLetters.list()).all);

const callerOf = ({ router }: AdminHarness, role: 'read' | 'operate') =>
  createCallerFactory(router as never)({
    operator: { name: 'grafana', role },
    keep: async () => {},
  }) as never as AdminHarness['caller'];

describe('dead letters', () => {
  test('are listed newest first, page by page, without their contents', async () => {
    await using harness = await openAdminHarness();
    await bury(harness, { value: harness.codec.encode(JOB) });
    await bury(harness, { offset: 9, at: START + 1_000 });
    await arrived(harness, 2);
    const { deadLetters, all, nextCursor } = await harness.caller.deadLetters.list({ limit: 1 });
    expect(deadLetters).toEqual([
      {
        ...{ id: expect.stringMatching(/^\d+-[0-9a-f]{16}$/), topic: TOPIC.name, partition: 3, offset: 9 },
        ...{ key: 'channel', error: 'the record can not be read', at: '2026-11-20T12:00:01.000Z', bytes: 3 },
        ...{ readBy: 'publisher-x', type: null, workspaceId: null, postId: null, variantId: null },
      },
    ]);
    expect(all).toBe(true);
    const next = await harness.caller.deadLetters.list({ limit: 1, cursor: nextCursor! });
    expect(next).toMatchObject({
      deadLetters: [{ offset: 8, type: 'PublishVariant', workspaceId: WORKSPACE, postId: POST, variantId: VARIANT }],
      nextCursor: null,
    });
  });

  test('are kept once, and found by a process that starts after the records are gone', async () => {
    await using harness = await openAdminHarness();
    await bury(harness);
    await arrived(harness, 1);
    // The same letter again, as after an append of unknown outcome or when another owner takes up its record.
    await bury(harness);
    await until(async () => (await harness.caller.deadLetters.list()).all);
    const second = createDeadLetterKeeper({ ...harness.options, log: harness.log });
    await second.start();
    await bury(harness, { offset: 9, at: START + 1_000 });
    await arrived(harness, 2);
    await second.stop();
    // The tables alone, as a process reads them that has no part in the topic.
    expect((await listed(harness)).map(({ offset }) => offset)).toEqual([9, 8]);
    harness.clock.moveWall(91 * 86_400_000);
    expect(await listed(harness)).toEqual([]);
  });

  test('a log that is away is reported: there may be letters that are not in the list', async () => {
    await using harness = await openAdminHarness(({ log }) => ({
      log: { append: (...records) => log.append(...records), progress: async () => [] },
    }));
    expect(await harness.caller.deadLetters.list()).toEqual({ deadLetters: [], all: false, nextCursor: null });
  });

  test('what a record holds is shown to operators, and only its envelope to who may look', async () => {
    await using harness = await openAdminHarness();
    await bury(harness, { value: harness.codec.encode(RENAME) });
    await arrived(harness, 1);
    const { id } = (await listed(harness))[0]!;
    const shown = await callerOf(harness, 'operate').deadLetters.get({ id });
    expect(shown).toMatchObject({
      ...{ id, type: 'RenameWorkspace', workspaceId: WORKSPACE, hidden: null },
      content: { form: 'message', message: { type: 'RenameWorkspace', name: TENANTS_TEXT }, cut: false },
    });
    expect(shown.next[0]).toContain(`crier admin deadLetters.redrive '{"id":"${id}"}'`);

    const looked = await callerOf(harness, 'read').deadLetters.get({ id });
    expect(looked).toMatchObject({ id, bytes: expect.any(Number), error: 'the record can not be read', content: null });
    expect(looked.hidden).toBe('The token of grafana may not see what records hold: it has the role read.');
    const words = JSON.stringify([looked, await callerOf(harness, 'read').deadLetters.list()]);
    expect(words).not.toContain(TENANTS_TEXT);
  });

  test('a record that can not be read is shown as bytes, a timer with what it fires, a long one cut', async () => {
    await using harness = await openAdminHarness();
    const timer: Message = {
      ...{ type: 'TimerSet', timerId: 't', shard: 1, dueAt: START, topic: TOPIC.name, key: 'channel' },
      payload: harness.codec.encode(JOB),
    } as never;
    const long = harness.codec.encode({ ...RENAME, name: 'n'.repeat(70_000) });
    await bury(harness, { at: START + 3 });
    await bury(harness, { at: START + 2, topic: TIMERS.name, value: harness.codec.encode(timer) });
    await bury(harness, { at: START + 1, value: long });
    await bury(harness, { at: START, value: Buffer.alloc(100_000, 7) });
    await arrived(harness, 4);
    const letters = await listed(harness);
    const contents = await Promise.all(
      letters.map(async ({ id }) => (await harness.caller.deadLetters.get({ id })).content!),
    );
    expect(contents[0]).toMatchObject({ form: 'base64', base64: 'BwcH', cut: false });
    expect(contents[1]).toMatchObject({
      form: 'message',
      message: { type: 'TimerSet', payload: { form: 'message', message: { type: 'PublishVariant' } } },
    });
    expect(letters[1]).toMatchObject({ type: 'TimerSet', variantId: VARIANT, readBy: 'scheduler' });
    expect(contents[2]).toMatchObject({ form: 'text', cut: true });
    expect(contents[3]).toMatchObject({ form: 'base64', cut: true });
    for (const content of contents) expect(JSON.stringify(content).length).toBeLessThan(80_000);
  });

  test('a dead letter is redriven byte for byte to the partition that it came from', async () => {
    await using harness = await openAdminHarness();
    await bury(harness);
    await arrived(harness, 1);
    const { id } = (await listed(harness))[0]!;
    expect(await harness.caller.deadLetters.redrive({ id })).toEqual({
      id,
      topic: TOPIC.name,
      partition: 3,
      offset: 0,
    });
    const records = harness.log.control.records({ topic: TOPIC.name, partition: 3 });
    expect(records.map(({ key, value }) => [key, [...value]])).toEqual([['channel', [7, 7, 7]]]);
  });

  test('says so where later records of its key are parked', async () => {
    await using harness = await openAdminHarness();
    await bury(harness);
    await arrived(harness, 1);
    const at = { topic: TOPIC.name, partition: partitionOf('channel', TOPIC.partitions), key: 'channel' };
    const flag = { ...at, episode: 'e', wish: 'none', drainedTo: -1, error: 'it broke', parkedAt: START, held: 1 };
    await writeParkedKey(harness.store, at, { version: 0, flag: flag as never, token: 't' });
    const { next } = await harness.caller.deadLetters.get({ id: (await listed(harness))[0]!.id });
    expect(next[1]).toContain(`crier admin parked.retry '{"topic":"${TOPIC.name}","key":"channel"}'`);
  });

  test.each([
    ['0-99', 'NOT_FOUND'],
    ['x', 'BAD_REQUEST'],
  ])('%s is refused', async (id, code) => {
    await using harness = await openAdminHarness();
    for (const call of ['get', 'redrive'] as const)
      await expect(harness.caller.deadLetters[call]({ id })).rejects.toMatchObject({ code });
  });

  test('a record of the topic that is no dead letter is kept as one', async () => {
    await using harness = await openAdminHarness();
    await harness.log.append(DEAD_LETTERS.name, [{ key: 'k', value: Buffer.from('?') }]);
    await bury(harness, { at: START + 1_000 });
    await arrived(harness, 2);
    expect((await listed(harness))[1]).toMatchObject({ topic: DEAD_LETTERS.name, key: 'k', readBy: 'dead-letters' });
  });
});
