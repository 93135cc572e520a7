/**
 * Appends to the log at the given path until it is killed, with 16 appends in flight at any time, and prints each key
 * once its append was acknowledged.
 */
import { writeSync } from 'node:fs';
import { FIRST } from '#port-suites/log-harness.ts';
import { createSystemClock } from '../system/clock.ts';
import { createSqliteLog } from './log.ts';

const path = process.argv[2];
if (path === undefined) throw new Error('say where the log is');
const log = createSqliteLog({ path, topics: [FIRST], clock: createSystemClock() });
const value = new Uint8Array(300);

async function appendForEver(appender: number): Promise<never> {
  for (let count = 0; ; count++) {
    const key = `${appender}-${count}`;
    await log.append(FIRST.name, [{ key, value }]);
    // Synchronous: the test would not see an acknowledgement that is still in a buffer at the kill.
    writeSync(1, `${key}\n`);
  }
}

await Promise.all(Array.from({ length: 16 }, (_, appender) => appendForEver(appender)));
