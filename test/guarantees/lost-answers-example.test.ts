import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { runExample } from './run-example.ts';

const PAGE = readFileSync('docs/developers/idempotency.md', 'utf8');
const NOW = { 'Retry-After': '0' };

/** What a client meets where an answer is lost: a page of a proxy, its JSON, and an answer that is cut off. */
const LOST: readonly ((response: ServerResponse) => void)[] = [
  (response) => response.writeHead(502, { ...NOW, 'Content-Type': 'text/html' }).end('<h1>Bad Gateway</h1>'),
  (response) => response.writeHead(502, NOW).end('{"message":"no upstream"}'),
  (response) => {
    response.writeHead(201, { 'Content-Length': '500' }).write('{"data":{"id');
    setImmediate(() => response.destroy());
  },
];

test.each(['typescript', 'python'] as const)(
  'the example in %s sends a Post again where an answer was lost, with its key, until there is one',
  async (language) => {
    const keys: (string | undefined)[] = [];
    const answers = [...LOST];
    const server = createServer((request, response) => {
      keys.push(request.headers['idempotency-key']?.toString());
      const lose = answers.shift();
      if (lose === undefined) response.end('{"data":{"id":"the Post"}}');
      else lose(response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const [, code = ''] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(PAGE) ?? [];
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const printed = await runExample({
        language,
        code: code.replaceAll('https://crier.example.com', url),
        key: 'crier_key',
      });
      expect(printed.trim().toLowerCase()).toBe('true');
      expect([keys.length, new Set(keys).size]).toEqual([LOST.length + 2, 1]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  },
);
