import { expect, test } from 'vitest';
import { accountIdOf } from '../account.ts';
import { ownerAccountOf } from './owner-account.ts';
import type { Member } from './state.ts';

const member = (id: string, more: Partial<Member> = {}): Member => ({
  ...{ id, name: id, email: `${id}@example.test`, emailVerified: true, removed: false, role: 'owner' as const },
  ...more,
});
const ownerOf = (...members: readonly Member[]) =>
  ownerAccountOf({ members: Object.fromEntries(members.map((one) => [one.id, one])) });

test('a Workspace is of the first owner who is still there, however the address is written', () => {
  const [ada, grace] = [member('ada', { email: ' Ada@Example.Test' }), member('grace')];
  expect(ownerOf(member('eve', { role: 'editor' }), ada, grace)).toBe(accountIdOf('ada@example.test'));
  expect(ownerOf({ ...ada, removed: true }, grace)).toBe(accountIdOf('grace@example.test'));
});

test('a Workspace whose owner has not verified their e-mail address counts as without an owner', () => {
  expect(ownerOf(member('ada', { emailVerified: false }))).toBe(null);
});
