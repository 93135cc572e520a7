import { setImmediate as tick } from 'node:timers/promises';
import { ScriptedGroup } from './scripted-group.fixture.ts';
import { endStoppedFetchers } from './stopped-runner.ts';

// A process of its own: where the consumer goes on without end, nothing else in its process ever runs again.

const [FIRST, SECOND] = [1, 2];

endStoppedFetchers();
const group = new ScriptedGroup('t', [FIRST, SECOND]);
const consumer = group.client().consumer({ groupId: 'g' });
await consumer.connect();
await consumer.subscribe({ topics: ['t'] });
await consumer.run({ eachBatch: async () => {} });
while (group.fetches(FIRST).length === 0 || group.fetches(SECOND).length === 0) await tick();

// The first fetcher sees that a broker is gone, and waits for the second one before both are made anew.
group.loseBroker(SECOND);
group.fetches(FIRST)[0]!.answer([]);
await tick();
const stopped = consumer.stop();
group.fetches(SECOND)[0]!.answer([]);
await stopped;
console.log('stopped');
