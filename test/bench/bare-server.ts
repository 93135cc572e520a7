import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';

// A lower bound for the embedded engine: the least work that answers a POST after its bytes are on disk. Ends when its
// standard input does.

const database = new DatabaseSync(process.argv[2]!);
database.exec(
  'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE posts (id INTEGER PRIMARY KEY, body BLOB)',
);
const insert = database.prepare('INSERT INTO posts (body) VALUES (?)');

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    insert.run(Buffer.concat(chunks));
    response.writeHead(201).end('{}');
  });
});

server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
process.stdin.resume().on('end', () => {
  server.close(() => database.close());
  server.closeAllConnections();
});
