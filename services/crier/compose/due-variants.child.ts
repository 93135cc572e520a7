import { writeSync } from 'node:fs';
import { openDueVariants, UNTIL_DUE_MS } from './due-variants.fixture.ts';

// Run under strace by due-variants.strace.test.ts: lets one Variant after the other become due, and says when each is
// due, when its Network is called and has answered, and when its outcome can be read.
const VARIANTS = 3;
/** Of the event loop. */
const TURNS = 200;
const say = (what: string): void => void writeSync(1, `${what}\n`);
let ended = Promise.withResolvers<void>();
const installation = await openDueVariants({
  path: process.argv[2]!,
  onCalled: (text) => say(`called ${text}`),
  onAnswered: (text) => say(`answered ${text}`),
  onEvent: ({ type }) => {
    say(`outcome ${type}`);
    ended.resolve();
  },
});
// The first makes the tables, which are made when they are first used.
for (let number = 0; number <= VARIANTS; number++) {
  await installation.post(`${number}`, 'later');
  await installation.clock.advance(UNTIL_DUE_MS - 1);
  // What runs periodically ends what it began.
  for (let turn = 0; turn < TURNS; turn++) await installation.clock.advance(0);
  ended = Promise.withResolvers();
  say(`due ${number}`);
  await installation.clock.advance(1);
  await ended.promise;
  say(`ended ${number}`);
}
// No close: what was said must be in the WAL.
process.kill(process.pid, 'SIGKILL');
