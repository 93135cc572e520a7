import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { CRIER } from '#testing/crier-process.ts';
import { endWithUs } from '#testing/engines/process.ts';

const ROWS = 250;

/** As `crier import FILE --yes 2>&1 | head -0` has it: nobody reads what it says, from its beginning. */
test('an import whose outputs nobody reads any more creates every row, and its exit code tells of a refused one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'closed-outputs-'));
  let created = 0;
  const server = createServer(async (request, response) => {
    const sent = await text(request);
    const isDryRun = request.url?.includes('dryRun=true') === true;
    const answer = (data: unknown) => response.end(JSON.stringify({ data, nextCursor: null }));
    if (request.url?.startsWith('/api/channels') === true)
      return answer([{ id: 'c', name: 'Acme', network: 'x', state: 'connected' }]);
    if (request.method !== 'POST') return answer([]);
    const { posts } = JSON.parse(sent) as { posts: { text: string }[] };
    if (!isDryRun) created += posts.length;
    const refused = { status: 422, error: { code: 'post_refused', message: 'No.', blockers: [] } };
    return answer(posts.map(({ text: words }) => (words === 'Row 7' ? refused : { status: 201, post: null })));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const lines = Array.from({ length: ROWS }, (_, row) => `Row ${row},x`);
    writeFileSync(join(folder, 'posts.csv'), ['text,channels', ...lines].join('\n'));
    const child = spawn(CRIER, ['import', join(folder, 'posts.csv'), '--yes', '--skip-refused'], {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        CRIER_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        CRIER_KEY: 'crier_key',
      },
    });
    endWithUs(child);
    child.stdout.destroy();
    child.stderr.destroy();
    const [exitCode] = (await once(child, 'exit')) as [number | null];
    expect([created, exitCode]).toEqual([ROWS - 1, 1]);
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  }
});
