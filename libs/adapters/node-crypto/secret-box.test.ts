import { describe, expect, it } from 'vitest';
import { secretBoxSuite } from '#port-suites/secret-box.ts';
import { createSecretBox } from './secret-box.ts';

const first = 'first-secret-first-secret-first-secret';
const second = 'second-secret-second-secret-second-secret';

secretBoxSuite('a box over node:crypto', () => createSecretBox({ secret: first }));

describe('a new secret', () => {
  const old = createSecretBox({ secret: first });
  const rotated = createSecretBox({ secret: second, previousSecrets: [first] });

  it('still opens what the previous secret sealed', () => {
    expect(rotated.open(old.seal('token', 'c'), 'c')).toBe('token');
  });

  it('seals under itself, so that the previous secret can be removed in the end', () => {
    const sealed = rotated.seal('token', 'c');
    expect(createSecretBox({ secret: second }).open(sealed, 'c')).toBe('token');
    expect(rotated.keyIds).toEqual([...createSecretBox({ secret: second }).keyIds, ...old.keyIds]);
    expect(() => old.open(sealed, 'c')).toThrow('none of the configured secrets');
  });

  it('opens nothing that a secret sealed which is no longer configured', () => {
    const forgetful = createSecretBox({ secret: second });
    expect(() => forgetful.open(old.seal('token', 'c'), 'c')).toThrow('none of the configured secrets');
  });

  it('opens nothing whose key id was replaced by that of another known key', () => {
    const [form, , body] = old.seal('token', 'c').split('.');
    const [, currentId] = rotated.seal('', 'c').split('.');
    expect(() => rotated.open(`${form}.${currentId}.${body}`, 'c')).toThrow('altered');
  });
});

describe('a secret', () => {
  it('refuses a short secret, current or previous', () => {
    expect(() => createSecretBox({ secret: 'short' })).toThrow('at least 32');
    expect(() => createSecretBox({ secret: first, previousSecrets: [''] })).toThrow('at least 32');
  });

  it('opens texts sealed by earlier releases', () => {
    const sealed = 'v1.fc414c45.k2V2ppp5C6GJqdumiHFGFRxum3NIFAZorrapbtfOphy-DDZnovTdweY';
    expect(createSecretBox({ secret: first }).open(sealed, 'channel 1')).toBe('token é 😀');
  });
});
