import { writeSync } from 'node:fs';
import { openEmbeddedWorkspace } from './embedded-workspace.fixture.ts';

// Run under strace by one-sync.strace.test.ts: creates Posts one after the other, and says when it asks and when it has
// the answer.
const POSTS = 20;
const workspace = await openEmbeddedWorkspace({ path: process.argv[2]! });
// Makes the tables, which are made when they are first used.
await workspace.requests.request(workspace.creating('the first'));
for (let n = 1; n <= POSTS; n++) {
  const command = workspace.creating(`Post ${n}`);
  writeSync(1, `asked ${n}\n`);
  const { result } = await workspace.requests.request(command);
  writeSync(1, `answered ${n} ${result.ok ? 'ok' : result.code}\n`);
}
// No close: what was answered must be in the WAL.
process.kill(process.pid, 'SIGKILL');
