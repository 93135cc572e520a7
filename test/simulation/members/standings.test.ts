import { expect, test } from 'vitest';
import { History, type Asked, type SeenAnswer } from '../history.ts';
import { standingChanges, standingsWithin, type Standing } from './standings.ts';

const WORKSPACE = { id: 'a', ownerId: 'ada' };

/** What was asked of a Workspace, in the words of the test. */
class Told {
  readonly history = new History();

  asked(asked: Asked, seen: SeenAnswer, invokedAt: number, completedAt: number): this {
    const by = { kind: 'member', memberId: 'ada' } as const;
    const entry = { workspaceId: 'a', invokedAt, completedAt, seen, code: '' };
    this.history.add({ kind: 'member', ...entry, memberId: 'ada', by, since: invokedAt, asked });
    return this;
  }

  /** As an editor, by an invitation of before. */
  accepted(seen: SeenAnswer, invokedAt: number, completedAt: number): this {
    const invited = { what: 'invite', invitationId: 'i', email: 'bo@x', role: 'editor', expiresAt: 1_000 } as const;
    if (this.history.of('member').length === 0) this.asked(invited, 'ok', 1, 2);
    const entry = { workspaceId: 'a', invokedAt, completedAt, seen, code: '' };
    this.history.add({ kind: 'accept', ...entry, invitationId: 'i', email: 'bo@x', memberId: 'bo' });
    return this;
  }

  within(from: number, until: number, memberId = 'bo'): readonly Standing[] {
    return [...standingsWithin(standingChanges(this.history, WORKSPACE, memberId), from, until)].toSorted();
  }
}

const viewer = { what: 'change a role', of: 'bo', role: 'viewer' } as const;
const owner = { what: 'change a role', of: 'bo', role: 'owner' } as const;
const gone = { what: 'remove', of: 'bo' } as const;

test('a founder is an owner from the beginning, and nobody else is anything', () => {
  expect(new Told().within(0, 5, 'ada')).toEqual(['owner']);
  expect(new Told().within(0, 5)).toEqual(['none']);
});

test('while a command is on its way both may be; once it is answered, what was answered', () => {
  const told = new Told().accepted('ok', 10, 20).asked(viewer, 'ok', 30, 40);
  expect(told.within(3, 9)).toEqual(['none']);
  expect(told.within(3, 10)).toEqual(['editor', 'none']);
  expect(told.within(15, 15)).toEqual(['editor', 'none']);
  expect(told.within(20, 29)).toEqual(['editor', 'none']);
  expect(told.within(21, 29)).toEqual(['editor']);
  expect(told.within(29, 35)).toEqual(['editor', 'viewer']);
  expect(told.within(41, 99)).toEqual(['viewer']);
});

test('what was refused changes nothing', () => {
  expect(new Told().accepted('refused', 10, 20).within(30, 40)).toEqual(['none']);
  expect(new Told().accepted('ok', 10, 20).asked(viewer, 'refused', 30, 40).within(50, 60)).toEqual(['editor']);
});

test('a command whose answer was lost may be carried out at any later time, or never', () => {
  const told = new Told().accepted('ok', 10, 20).asked(viewer, 'unknown', 30, 45).asked(owner, 'ok', 60, 70);
  expect(told.within(50, 55)).toEqual(['editor', 'viewer']);
  expect(told.within(80, 90)).toEqual(['owner', 'viewer']);
});

test('of two commands at once either may have been the last', () => {
  const told = new Told().accepted('ok', 10, 20).asked(viewer, 'ok', 30, 50).asked(owner, 'ok', 40, 60);
  expect(told.within(70, 80)).toEqual(['owner', 'viewer']);
});

test('a removal is for good, whatever is on its way', () => {
  const told = new Told().accepted('ok', 10, 20).asked(owner, 'unknown', 30, 45).asked(gone, 'ok', 50, 60);
  expect(told.within(55, 58)).toEqual(['editor', 'none', 'owner']);
  expect(told.within(61, 99)).toEqual(['none']);
});

test('who accepts twice is a Member since the first acceptance that may have been carried out', () => {
  const told = new Told().accepted('unknown', 10, 25).accepted('ok', 30, 40).asked(viewer, 'ok', 50, 60);
  expect(told.within(15, 20)).toEqual(['editor', 'none']);
  expect(told.within(41, 45)).toEqual(['editor']);
  expect(told.within(61, 65)).toEqual(['viewer']);
  expect(told.accepted('ok', 70, 80).within(90, 95)).toEqual(['viewer']);
});
