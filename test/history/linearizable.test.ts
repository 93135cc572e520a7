import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { linearize, type Model, type Operation } from './linearizable.ts';
import { POST_MODEL, type PostInput, type Standing } from './post-model.ts';

type Register = { readonly write: number } | { readonly read: number };

const REGISTER: Model<number, Register> = {
  initial: 0,
  keyOf: String,
  step: (state, input) => ('write' in input ? [input.write] : input.read === state ? [state] : []),
};

function op<Input>(invokedAt: number, completedAt: number | null, input: Input): Operation<Input> {
  return { invokedAt, completedAt, input };
}

describe('a register', () => {
  test('that is read after an answered write shows the write', () => {
    const history = [op(0, 1, { write: 1 }), op(2, 3, { read: 1 })];
    expect(linearize(REGISTER, history)).toEqual({ ok: true });
    expect(linearize(REGISTER, [history[0]!, op(2, 3, { read: 0 })])).toMatchObject({ ok: false, placed: 1 });
  });

  test('that is read while it is written shows either', () => {
    for (const read of [0, 1]) expect(linearize(REGISTER, [op(0, 3, { write: 1 }), op(1, 2, { read })]).ok).toBe(true);
  });

  test('never shows an older value after a newer one, even while the write is unanswered', () => {
    const history = [op(0, null, { write: 1 }), op(1, 2, { read: 1 }), op(3, 4, { read: 0 })];
    expect(linearize(REGISTER, history).ok).toBe(false);
  });

  test('may have taken an unanswered write late, or never', () => {
    for (const last of [0, 1])
      expect(linearize(REGISTER, [op(0, null, { write: 1 }), op(5, 6, { read: 0 }), op(7, 8, { read: last })]).ok).toBe(
        true,
      );
  });

  test('whose operations took effect one after the other is accepted, however long the answers took', () => {
    const step = fc.record({ isWrite: fc.boolean(), before: fc.nat(20), after: fc.nat(20), isLost: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 14 }), (steps) => {
        let state = 0;
        const history = steps.map(({ isWrite, before, after, isLost }, index) => {
          const at = index * 10;
          if (isWrite) state = index + 1;
          const input: Register = isWrite ? { write: state } : { read: state };
          return op(at - before, isLost && isWrite ? null : at + after, input);
        });
        expect(linearize(REGISTER, history)).toEqual({ ok: true });
      }),
    );
  });
});

describe('a Post', () => {
  const create = (at: number, ...standings: Standing[]) => op<PostInput>(at, at + 1, { kind: 'create', standings });
  const read = (at: number, ...standings: Standing[]) => op<PostInput>(at, at + 1, { kind: 'read', standings });
  const cancel = (at: number, ...standings: Standing[]) => op<PostInput>(at, at + 1, { kind: 'cancel', standings });
  const refused = (at: number) => op<PostInput>(at, at + 1, { kind: 'cancel refused' });
  const absent = (at: number) => op<PostInput>(at, at + 1, { kind: 'absent' });
  const isWell = (...history: Operation<PostInput>[]) => linearize(POST_MODEL, history).ok;

  test('goes its way by itself', () => {
    expect(isWell(create(0, 'scheduled'), read(2, 'publishing'), read(4, 'published'))).toBe(true);
    expect(isWell(create(0, 'scheduled'), read(2, 'unconfirmed'), read(4, 'published'))).toBe(true);
  });

  test('is there after it was answered', () => {
    expect(isWell(create(0, 'scheduled'), absent(2))).toBe(false);
    expect(isWell(absent(0), create(2, 'scheduled'))).toBe(true);
  });

  test('is there for good once it was seen, though the answer to its creation was lost', () => {
    const lost = op<PostInput>(0, null, { kind: 'create unknown', variants: 1 });
    expect(isWell(lost, absent(2), read(4, 'scheduled'))).toBe(true);
    expect(isWell(lost, read(2, 'scheduled'), absent(4))).toBe(false);
    expect(isWell(read(2, 'scheduled'))).toBe(false);
  });

  test('never goes back', () => {
    expect(isWell(create(0, 'scheduled'), read(2, 'publishing'), read(4, 'scheduled'))).toBe(false);
    expect(isWell(create(0, 'scheduled'), read(2, 'published'), read(4, 'failed'))).toBe(false);
    expect(
      isWell(
        create(0, 'scheduled', 'scheduled'),
        cancel(2, 'cancelled', 'cancelled'),
        read(4, 'published', 'cancelled'),
      ),
    ).toBe(false);
  });

  test('is cancelled only as far as it is scheduled', () => {
    expect(isWell(create(0, 'scheduled', 'published'), cancel(2, 'cancelled', 'published'))).toBe(true);
    expect(isWell(create(0, 'scheduled'), refused(2), read(4, 'scheduled'))).toBe(false);
    expect(isWell(create(0, 'scheduled'), refused(2), read(4, 'publishing'))).toBe(true);
    expect(isWell(create(0, 'scheduled'), cancel(2, 'cancelled'), cancel(4, 'cancelled'))).toBe(false);
  });

  test('whose cancel was not answered may be cancelled later, and then stays so', () => {
    const lost = op<PostInput>(2, null, { kind: 'cancel unknown' });
    expect(isWell(create(0, 'scheduled'), lost, read(4, 'scheduled'), read(6, 'cancelled'))).toBe(true);
    expect(isWell(create(0, 'scheduled'), lost, read(4, 'cancelled'), read(6, 'publishing'))).toBe(false);
    expect(isWell(create(0, 'scheduled'), read(4, 'cancelled'))).toBe(false);
  });

  test('is retried once it failed, and not before', () => {
    const retry = (at: number) => op<PostInput>(at, at + 1, { kind: 'retry', variant: 0, standing: 'scheduled' });
    expect(isWell(create(0, 'scheduled'), read(2, 'failed'), retry(4), read(6, 'published'))).toBe(true);
    expect(isWell(create(0, 'scheduled'), read(2, 'failed'), read(6, 'published'))).toBe(false);
    expect(isWell(create(0, 'scheduled'), read(2, 'published'), retry(4))).toBe(false);
    expect(isWell(create(0, 'scheduled'), read(2, 'cancelled'), retry(4))).toBe(false);
  });
});
