import { Pool } from 'undici';
import { endBySignal, given, serveJson } from '../child-program.ts';
import { openScheduler, SINK_VARIABLE, type SchedulerName } from './open-scheduler.ts';
import { JOBS_AT_ONCE, type DueJob } from './scheduler.ts';

// One of the two processes of a scheduler: `producer` takes jobs over HTTP, as an API would; `worker` publishes them.

const [name, role] = process.argv.slice(2) as [SchedulerName, 'producer' | 'worker'];
const scheduler = await openScheduler(name);

const sink = new Pool(given(SINK_VARIABLE), { connections: JOBS_AT_ONCE, pipelining: 1 });

async function publish({ text, account }: DueJob): Promise<void> {
  const { statusCode, body } = await sink.request({
    method: 'POST',
    path: '/publish',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text, account }),
  });
  await body.dump();
  if (statusCode !== 200) throw new Error(`the sink answered ${statusCode}`);
}

if (role === 'worker') await scheduler.work(publish);
serveJson({
  'POST /jobs': async (jobs) => {
    await scheduler.add(jobs as readonly DueJob[]);
    return {};
  },
  'GET /unfinished': () => scheduler.unfinished(),
});
endBySignal(async () => {
  await scheduler.close();
  await sink.close();
});
