import { describe, expect, test } from 'vitest';
import type { Message } from '#messages/messages.ts';
import { PortError } from '#ports/errors.ts';
import type { HandlerContext, KeyedConsumerOptions } from './consumer-options.ts';
import { GROUP, openConsumerHarness, SOURCE, type ConsumerHarness } from './consumer-harness.fixture.ts';

const numberOf = (messages: readonly Message[]): number => (messages[0] as { seenAt: number }).seenAt;
const acknowledgedAll = (harness: ConsumerHarness) => () =>
  harness.acknowledged() === harness.log.control.records(SOURCE).length - 1;

/** What happened, in order; a record's handler waits for its turn, and then until it is let through. */
class Stage {
  readonly seen: string[] = [];
  readonly #gates = new Map<number, PromiseWithResolvers<void>>();

  /** The next end of the handler of that number. */
  gate(number: number): PromiseWithResolvers<void> {
    const gate = this.#gates.get(number) ?? Promise.withResolvers<void>();
    this.#gates.set(number, gate);
    return gate;
  }

  fail(number: number, error: unknown): void {
    const gate = this.gate(number);
    this.#gates.delete(number);
    gate.reject(error);
  }

  /** `passes`: those that give the turn away before they end. */
  options(passes: readonly number[] = []): Partial<KeyedConsumerOptions> {
    return {
      maxBatch: 1,
      pipelined: true,
      handle: async (_key, messages, context: HandlerContext) => {
        const number = numberOf(messages);
        this.seen.push(`${number} begun`);
        try {
          const way = await context.predecessor?.over;
          this.seen.push(`${number} in turn${way === undefined ? '' : `, ${way}`}`);
          if (passes.includes(number)) context.pass();
          await this.gate(number).promise;
          this.seen.push(`${number} done`);
        } catch (error) {
          this.seen.push(`${number} failed`);
          throw error;
        }
      },
    };
  }
}

const sees = (stage: Stage, what: string) => () => stage.seen.includes(what);

describe('a pipelined key', () => {
  test('begins the next record beside the one that is handled, and has it wait for its turn', async () => {
    const harness = openConsumerHarness();
    const stage = new Stage();
    await harness.append('a', 1, 2, 3);
    await harness.consumer('one', stage.options());
    await harness.until(sees(stage, '2 begun'), 'the next one is begun');
    expect(stage.seen.toSorted()).toEqual(['1 begun', '1 in turn', '2 begun']);
    stage.gate(1).resolve();
    await harness.until(sees(stage, '3 begun'), 'the third one is begun');
    expect(stage.seen.slice(3)).toEqual(['1 done', '2 in turn, ended', '3 begun']);
    stage.gate(2).resolve();
    stage.gate(3).resolve();
    await harness.until(acknowledgedAll(harness), 'all acknowledged');
    expect(stage.seen.filter((each) => each.endsWith('begun'))).toHaveLength(3);
  });

  test('has the next one go on when its turn was given away, and acknowledges none before the first', async () => {
    const harness = openConsumerHarness();
    const stage = new Stage();
    await harness.append('a', 1);
    await harness.consumer('one', stage.options([1]));
    await harness.until(sees(stage, '1 in turn'), 'the first one runs');
    await harness.append('a', 2);
    stage.gate(2).resolve();
    await harness.until(sees(stage, '2 done'), 'the second one is done');
    await harness.clock.advance(1_000);
    expect(harness.acknowledged()).toBeNull();
    stage.gate(1).resolve();
    await harness.until(acknowledgedAll(harness), 'all acknowledged');
  });

  test.each([
    ['keeps no slot while another key waits for one', 1, ['a', 'b']],
    ['takes no slot beside those that keys have', 2, ['a', 'b']],
  ])('%s', async (_, concurrency, keys) => {
    const harness = openConsumerHarness();
    const stage = new Stage();
    for (const [index, key] of keys.entries()) await harness.append(key, 10 * index + 1, 10 * index + 2);
    await harness.consumer('one', { ...stage.options(), concurrency });
    await harness.until(sees(stage, `${10 * (concurrency - 1) + 1} in turn`), 'as many keys run as may');
    await harness.clock.advance(1_000);
    expect(stage.seen.filter((each) => each.endsWith('begun'))).toHaveLength(concurrency);
    for (const number of [1, 2, 11, 12]) stage.gate(number).resolve();
    await harness.until(acknowledgedAll(harness), 'all acknowledged');
    if (concurrency === 1) expect(stage.seen.indexOf('11 begun')).toBeLessThan(stage.seen.indexOf('2 begun'));
  });
});

describe('a record whose next one was begun', () => {
  test('is handled again before that one, which then is begun anew', async () => {
    const harness = openConsumerHarness();
    const stage = new Stage();
    await harness.append('a', 1, 2);
    await harness.consumer('one', stage.options());
    await harness.until(sees(stage, '2 begun'), 'the next one is begun');
    stage.fail(1, new PortError('unavailable', 'for now'));
    stage.gate(2).resolve();
    await harness.until(sees(stage, '2 failed'), 'the next one gave up');
    stage.gate(1).resolve();
    await harness.until(acknowledgedAll(harness), 'all acknowledged');
    expect(stage.seen.indexOf('2 in turn')).toBeGreaterThan(stage.seen.indexOf('1 done'));
    expect(stage.seen.filter((each) => each.endsWith('done'))).toEqual(['1 done', '2 done']);
  });

  test('is handled again beside that one, once it gave its turn away', async () => {
    const harness = openConsumerHarness();
    const stage = new Stage();
    await harness.append('a', 1, 2, 3);
    await harness.consumer('one', stage.options([1]));
    await harness.until(sees(stage, '2 in turn, passed'), 'the next one runs');
    stage.fail(1, new PortError('unavailable', 'for now'));
    stage.gate(1).resolve();
    await harness.until(sees(stage, '1 done'), 'the first one is done');
    // One at most is begun ahead of a record that has to be handled again.
    expect(stage.seen.slice(0, stage.seen.indexOf('1 done'))).not.toContain('3 begun');
    stage.gate(2).resolve();
    stage.gate(3).resolve();
    await harness.until(acknowledgedAll(harness), 'all acknowledged');
    expect(stage.seen.filter((each) => each.endsWith('done'))).toEqual(['1 done', '2 done', '3 done']);
  });

  test.each([
    ['that one is held back behind it', [], ['2 done']],
    ['that one is done, where it had its turn', [1], []],
  ])('is parked, and %s', async (_, passes, afterwards) => {
    const harness = openConsumerHarness();
    const stage = new Stage();
    await harness.append('a', 1, 2);
    const consumer = await harness.consumer('one', stage.options(passes));
    await harness.until(sees(stage, '2 begun'), 'the next one is begun');
    stage.gate(2).resolve();
    stage.gate(1).reject(new Error('a defect'));
    await harness.until(async () => (await harness.parked()).length === 1, 'its key is parked');
    await harness.until(acknowledgedAll(harness), 'all filed or done');
    const before = stage.seen.length;
    expect(stage.seen.includes('2 done')).toBe(passes.length > 0);
    await harness.wish('a', 'skip');
    await harness.until(async () => (await harness.parked()).length === 0, 'its key goes on');
    expect(stage.seen.slice(before).filter((each) => each.endsWith('done'))).toEqual(afterwards);
    expect(consumer.trouble()).toBeNull();
  });
});

describe('a consumer that drains', () => {
  test('leaves what has not had its turn to the next owner', async () => {
    const harness = openConsumerHarness();
    const stage = new Stage();
    await harness.append('a', 1, 2);
    const consumer = await harness.consumer('one', stage.options());
    await harness.until(sees(stage, '2 begun'), 'the next one is begun');
    const drained = consumer.drain();
    stage.gate(1).resolve();
    stage.gate(2).resolve();
    await drained;
    expect(stage.seen.filter((each) => each.startsWith('2'))).toEqual(['2 begun', '2 failed']);
    await harness.consumer('two', stage.options());
    await harness.until(acknowledgedAll(harness), 'all acknowledged');
    expect(stage.seen.filter((each) => each.endsWith('done'))).toEqual(['1 done', '2 done']);
  });

  test('waits for what had its turn', async () => {
    const harness = openConsumerHarness();
    const stage = new Stage();
    await harness.append('a', 1, 2);
    const consumer = await harness.consumer('one', stage.options([1]));
    await harness.until(sees(stage, '2 in turn, passed'), 'the next one runs');
    let isDrained = false;
    const drained = consumer.drain().then(() => (isDrained = true));
    stage.gate(1).resolve();
    await harness.until(sees(stage, '1 done'), 'the first one is done');
    await harness.clock.advance(1_000);
    expect(isDrained).toBe(false);
    stage.gate(2).resolve();
    await drained;
    expect(harness.acknowledged()).toBe(1);
  });
});

test('what may have ended the last owner is begun alone', async () => {
  const harness = openConsumerHarness();
  const stage = new Stage();
  await harness.append('a', 1, 2);
  await harness.consumer('one', stage.options());
  await harness.until(sees(stage, '2 begun'), 'the next one is begun');
  harness.log.control.crash('one');
  const after = new Stage();
  await harness.consumer('two', after.options());
  await harness.until(sees(after, '1 in turn'), 'the next owner has the first one');
  await harness.clock.advance(1_000);
  expect(after.seen).toEqual(['1 begun', '1 in turn']);
  after.gate(1).resolve();
  after.gate(2).resolve();
  await harness.until(() => harness.log.control.acknowledged(GROUP, SOURCE) === 1, 'all acknowledged');
});
