import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SecretBox } from '#ports/secret-box.ts';

const plain = fc.string({ unit: 'binary', maxLength: 300 });

/** What every secret box must do. `create` gives one that always has the same secret. */
export function secretBoxSuite(name: string, create: () => SecretBox): void {
  describe(name, () => {
    it('opens what another process sealed with the same secret and context', () => {
      fc.assert(
        fc.property(plain, plain, (secret, context) => {
          expect(create().open(create().seal(secret, context), context)).toBe(secret);
        }),
      );
    });

    it('tells by a short name which key a value is sealed under, and that a text is no sealed value', () => {
      const box = create();
      const [current] = box.keyIds;
      expect(box.keyIdOf(box.seal('a token', 'channel'))).toBe(current);
      expect(box.keyIdOf('a token')).toBeNull();
      expect(current.length).toBeLessThanOrEqual(16);
    });

    it('opens nothing under another context', () => {
      const box = create();
      fc.assert(
        fc.property(plain, plain, plain, (secret, context, other) => {
          fc.pre(context !== other);
          expect(() => box.open(box.seal(secret, context), other)).toThrow();
        }),
      );
    });

    it('opens nothing that was altered in a single character', () => {
      const box = create();
      fc.assert(
        fc.property(plain, fc.nat(), fc.constantFrom(...'Aa0-_.Zz9B='), (secret, where, character) => {
          const sealed = box.seal(secret, 'channel');
          const at = where % sealed.length;
          const altered = sealed.slice(0, at) + character + sealed.slice(at + 1);
          fc.pre(altered !== sealed);
          expect(() => box.open(altered, 'channel')).toThrow();
        }),
        { numRuns: 1_000 },
      );
    });

    it('opens nothing that was cut or lengthened', () => {
      const box = create();
      const sealed = box.seal('token', 'channel');
      for (let length = 0; length < sealed.length; length++)
        expect(() => box.open(sealed.slice(0, length), 'channel')).toThrow();
      for (const more of ['A', 'AAAA', '=', '.', '\n']) expect(() => box.open(sealed + more, 'channel')).toThrow();
    });

    it('does not show the plain text, nor that two sealed values are the same', () => {
      const box = create();
      const sealed = box.seal('a-secret-token', 'channel');
      expect(sealed).not.toContain('a-secret-token');
      expect(sealed).not.toContain(Buffer.from('a-secret-token').toString('base64url'));
      expect(box.seal('a-secret-token', 'channel')).not.toBe(sealed);
    });

    it('does not show the plain text in its errors', () => {
      const box = create();
      const sealed = box.seal('a-secret-token', 'channel');
      expect(() => box.open(sealed, 'other')).toThrow(
        expect.not.objectContaining({ message: expect.stringContaining('a-secret-token') }),
      );
    });
  });
}
