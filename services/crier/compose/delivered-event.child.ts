import { writeSync } from 'node:fs';
import { openDueVariants, UNTIL_DUE_MS } from './due-variants.fixture.ts';

// Run under strace by delivered-event.strace.test.ts: makes one Post after the other, each for an endpoint to hear of,
// and says when each is asked for, answered and published, and when its event is received and its delivery has ended.
const POSTS = 3;
/** Of the event loop. */
const TURNS = 200;
const say = (what: string): void => void writeSync(1, `${what}\n`);
let number = 0;
const installation = await openDueVariants({
  path: process.argv[2]!,
  onEvent: () => say(`published ${number}`),
  onReceived: () => say(`received ${number}`),
});
const { clock, reporter } = installation;
/** What runs periodically, and what was acknowledged, ends what it began. */
const rest = async (): Promise<void> => {
  for (let turn = 0; turn < TURNS; turn++) await clock.advance(0);
};
// The first makes the tables, which are made when they are first used.
for (; number <= POSTS; number++) {
  say(`asked ${number}`);
  await installation.post(`${number}`, 'later');
  say(`answered ${number}`);
  await clock.advance(UNTIL_DUE_MS - 1);
  await rest();
  say(`due ${number}`);
  await clock.advance(1);
  while (reporter.of('webhook-delivery-ended').length <= number) await clock.advance(0);
  say(`ended ${number}`);
  await rest();
}
// No close: what was said must be in the WAL.
process.kill(process.pid, 'SIGKILL');
