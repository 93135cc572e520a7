import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createRequestRows } from '#tables/repositories/requests.ts';
import { createDoorParts } from './door-parts.ts';
import { createAuditCursors } from './list-audit.ts';

const [FIRST, SECOND, THIRD] = ['the first secret', 'the second secret', 'the third secret'];

function doorsOf(secret: string, ...previousSecrets: readonly string[]) {
  const clock = createMemoryClock();
  const requests = createRequestRows(createMemoryTableStore({ clock }));
  const parts = { clock, ids: createSeededIds(1), requests, addressesPerMinute: 0 };
  return {
    ...createDoorParts({ ...parts, secret, previousSecrets }),
    audit: createAuditCursors(secret, previousSecrets),
  };
}

const SCOPE = { workspaceId: 'w', from: null, to: null };
const POST_ID = '01900000-0000-7000-8000-000000000000';

/** What a client holds of what `doors` signed, as `others` open it. */
function opened(doors: ReturnType<typeof doorsOf>, others: ReturnType<typeof doorsOf>): readonly boolean[] {
  const offer = { assetId: POST_ID, contentType: 'image/png', bytes: 3, expiresAt: 4 } as const;
  const query = Object.fromEntries(new URL(doors.uploadAddresses.pathOf(offer), 'http://a').searchParams);
  return [
    others.cursors.open(doors.cursors.seal(POST_ID, SCOPE), SCOPE) === POST_ID,
    others.audit.open(doors.audit.seal({ at: 1, id: 'e' }, 'w'), 'w')?.id === 'e',
    others.uploadAddresses.open(POST_ID, query)?.bytes === 3,
  ];
}

test('cursors and upload addresses of a previous secret open, and none of a secret that is not named', () => {
  expect(opened(doorsOf(FIRST), doorsOf(SECOND, FIRST))).toEqual([true, true, true]);
  // While the secret changes: a process that has not got the new one yet knows it as a previous one.
  expect(opened(doorsOf(SECOND, FIRST), doorsOf(FIRST, SECOND))).toEqual([true, true, true]);
  expect(opened(doorsOf(FIRST), doorsOf(SECOND, THIRD))).toEqual([false, false, false]);
  expect(opened(doorsOf(SECOND, FIRST), doorsOf(FIRST))).toEqual([false, false, false]);
});
