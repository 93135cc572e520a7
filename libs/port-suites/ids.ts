import { describe, expect, test } from 'vitest';
import type { Ids } from '#ports/ids.ts';

const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const NOW = Date.UTC(2030, 5, 1, 12, 30, 15, 123);

/** What every source of ids must do. `create` gives a new one, as after a restart of the process. */
export function idsSuite(name: string, create: () => Ids): void {
  describe(name, () => {
    test('an id is a lower-case UUIDv7 that carries its instant', () => {
      const ids = create();
      for (const now of [0, 1, NOW, NOW - 1, 2 ** 48 - 1]) {
        const id = ids.uuid7(now);
        expect(id).toMatch(UUID7);
        expect(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)).toBe(now);
      }
    });

    test('ids of one millisecond differ and ascend in the bits before their last byte', () => {
      const ids = create();
      const made = Array.from({ length: 20_000 }, () => ids.uuid7(NOW).slice(0, -2));
      for (let i = 1; i < made.length; i++) expect(made[i]! > made[i - 1]!).toBe(true);
    });

    test('ids of a later millisecond are greater', () => {
      const ids = create();
      const made = Array.from({ length: 1000 }, (_, i) => ids.uuid7(NOW + i));
      expect([...made].sort()).toEqual(made);
    });

    test('a clock that steps back and forth gives no id twice', () => {
      const ids = create();
      const made = Array.from({ length: 1000 }, (_, i) => ids.uuid7(NOW + (i % 3)).slice(0, -2));
      expect(new Set(made).size).toBe(made.length);
    });

    test('the bits after the instant are random: each is set in about half of the ids', () => {
      const ids = create();
      const counts = new Array<number>(72).fill(0);
      for (let i = 0; i < 2000; i++) {
        const hex = ids.uuid7(NOW + i).replaceAll('-', '');
        const bits = BigInt(`0x${hex.slice(13, 16)}${hex.slice(17)}`);
        counts.forEach((_, bit) => (counts[bit]! += Number((bits >> BigInt(bit)) & 1n)));
      }
      // The topmost bit is kept clear, so that counting can not overflow.
      for (const count of counts.slice(0, 71)) expect(count).toBeGreaterThan(800);
      for (const count of counts) expect(count).toBeLessThan(1200);
    });

    test('an invalid instant is a programming error', () => {
      const ids = create();
      for (const now of [-1, 1.5, Number.NaN, 2 ** 48]) expect(() => ids.uuid7(now)).toThrow();
    });

    test('a token is base64url of the requested number of bytes, and never repeats', () => {
      const ids = create();
      expect(Buffer.from(ids.token(), 'base64url')).toHaveLength(32);
      expect(Buffer.from(ids.token(16), 'base64url')).toHaveLength(16);
      const tokens = Array.from({ length: 1000 }, () => ids.token(16));
      expect(new Set(tokens).size).toBe(1000);
      for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9_-]{22}$/);
    });

    test('random numbers fill [0, 1)', () => {
      const ids = create();
      const drawn = Array.from({ length: 5000 }, () => ids.random());
      expect(drawn.every((value) => value >= 0 && value < 1)).toBe(true);
      const mean = drawn.reduce((sum, value) => sum + value, 0) / drawn.length;
      expect(Math.abs(mean - 0.5)).toBeLessThan(0.05);
    });
  });
}
