import { expect, test } from 'vitest';
import { ownBlockers, type ComposeChannel } from '../checks/blockers.ts';
import { emptyDraft } from './compose-draft.ts';
import { disclosureOf, setDisclosing } from './disclosure.ts';

const plain = { id: 'shop', name: 'Shop', network: 'tiktok', defaults: {} } as unknown as ComposeChannel;
const branded = { ...plain, defaults: { brandedContent: true } };
const draft = { ...emptyDraft('d', 0), channelIds: ['shop'], when: { kind: 'now' } as const };
const asked = (channel: ComposeChannel) => ({
  channels: [channel],
  timeZone: 'UTC',
  now: 0,
  filesOnTheirWay: 0,
  failedFiles: [],
});

test('what a Channel discloses by its own setting shows as disclosed, and is not asked for again', () => {
  expect(disclosureOf(draft, branded)).toEqual({ isOn: true, ownBrand: false, brandedContent: true });
  expect(ownBlockers({ ...draft, disclosing: ['shop'] }, asked(branded))).toEqual([]);
});

test('turned off for one Post, it is not disclosed by the setting of the Channel all the same', () => {
  const off = setDisclosing(branded, false)(draft);
  expect(off.options).toEqual({ shop: { brandedContent: false } });
  expect(disclosureOf(off, branded).isOn).toBe(false);
});

test('without a setting nothing is disclosed until it is turned on and a choice is made', () => {
  expect(disclosureOf(draft, plain).isOn).toBe(false);
  const on = setDisclosing(plain, true)(draft);
  expect([disclosureOf(on, plain).isOn, ownBlockers(on, asked(plain)).map(({ field }) => field)]).toEqual([
    true,
    ['disclosure'],
  ]);
  expect(setDisclosing(plain, false)({ ...on, options: { shop: { ownBrand: true } } })).toEqual(draft);
});
