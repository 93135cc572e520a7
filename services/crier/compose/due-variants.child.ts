import { writeSync } from 'node:fs';
import { until } from '#testing/until.ts';
import { OUTCOMES_GATHER_MS } from '#services/workspace/service.ts';
import { openDueVariants, UNTIL_DUE_MS } from './due-variants.fixture.ts';

// Run under strace by due-variants.strace.test.ts: lets one Variant after the other become due, and says when each is
// due, when its Network is called and has answered, and when its outcome can be read. With a number as third argument,
// so many become due at once after the first.
const VARIANTS = 3;
const atOnce = Number(process.argv[3] ?? 1);
/** Of the event loop. */
const TURNS = 200;
const say = (what: string): void => void writeSync(1, `${what}\n`);
let [unanswered, unended] = [0, 0];
const installation = await openDueVariants({
  path: process.argv[2]!,
  onCalled: (text) => say(`called ${text}`),
  onAnswered: (text) => {
    say(`answered ${text}`);
    unanswered--;
  },
  onEvent: ({ type }) => {
    say(`outcome ${type}`);
    unended--;
  },
});
// The first makes the tables, which are made when they are first used.
for (let number = 0; number <= VARIANTS; number++) {
  const due = number === 0 ? 1 : atOnce;
  const texts = Array.from({ length: due }, (_, post) => (due === 1 ? `${number}` : `${number}.${post}`));
  for (const text of texts) await installation.post(text, 'later');
  await installation.clock.advance(UNTIL_DUE_MS - 1);
  // What runs periodically ends what it began.
  for (let turn = 0; turn < TURNS; turn++) await installation.clock.advance(0);
  unanswered = unended = due;
  say(`due ${number}`);
  await installation.clock.advance(1);
  await until(() => unanswered === 0, { what: 'the answers of the Network' });
  await until(
    async () => {
      // The outcomes behind the first one are gathered, by this clock.
      if (due > 1) await installation.clock.advance(OUTCOMES_GATHER_MS);
      return unended === 0;
    },
    { what: 'the events of all outcomes' },
  );
  say(`ended ${number}`);
}
// No close: what was said must be in the WAL.
process.kill(process.pid, 'SIGKILL');
