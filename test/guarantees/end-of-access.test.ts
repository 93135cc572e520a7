import { afterAll, beforeAll, test } from 'vitest';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { startTrustedReceiver, type TrustedReceiver } from '#testing/trusted-receiver.ts';
import { doorsOf } from './authorized-app.ts';
import { checkEndOfAccess, ENDS } from './end-of-access.ts';

let crier: CrierUnderTest;
let trusted: TrustedReceiver;

beforeAll(async () => {
  trusted = await startTrustedReceiver();
  crier = await CrierUnderTest.start({ name: 'end-of-access', env: trusted.settings });
});
afterAll(async () => {
  await crier?.[Symbol.asyncDispose]();
  await trusted?.[Symbol.asyncDispose]();
});

test.each(ENDS)(
  'when %s, changes and refreshes are refused at once, reads within 5 s, and its endpoints are told nothing more',
  (end) => checkEndOfAccess({ admin: crier, doors: [doorsOf(crier)], receiver: trusted.receiver }, end),
);
