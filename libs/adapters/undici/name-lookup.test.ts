import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { createNameLookup } from './name-lookup.ts';

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.close();
});

const A = 1;
const AAAA = 28;
type Answer = { readonly data: readonly Buffer[]; readonly code?: number } | 'silence';

/** A name server that answers every question as scripted, and counts the questions. */
async function nameServer(answer: (type: number) => Answer) {
  const socket = createSocket('udp4');
  sockets.push(socket);
  const questions: number[] = [];
  socket.on('message', (message, { port, address }) => {
    const end = message.indexOf(0, 12) + 5;
    const type = message.readUInt16BE(end - 4);
    questions.push(type);
    const answered = answer(type);
    if (answered === 'silence') return;
    const head = Buffer.from(message.subarray(0, 12));
    head.writeUInt16BE(0x8180 | (answered.code ?? 0), 2);
    head.writeUInt16BE(answered.data.length, 6);
    head.writeUInt32BE(0, 8);
    const records = answered.data.map((data) =>
      Buffer.concat([Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length]), data]),
    );
    socket.send(Buffer.concat([head, message.subarray(12, end), ...records]), port, address);
  });
  await once(socket.bind(0, '127.0.0.1'), 'listening');
  return { servers: [`127.0.0.1:${socket.address().port}`], questions };
}

const v4 = Buffer.from([93, 184, 215, 14]);
const v6 = Buffer.from('2606280002200001024818931c8a1946', 'hex').subarray(0, 16);
const never = new AbortController().signal;

test('both kinds of address are asked for, and all of them are returned', async () => {
  const { servers, questions } = await nameServer((type) => ({
    data: type === A ? [v4, Buffer.from([10, 0, 0, 1])] : [v6],
  }));
  expect(await createNameLookup(servers)('example.com', never)).toEqual([
    '93.184.215.14',
    '10.0.0.1',
    '2606:2800:220:1:248:1893:1c8a:1946',
  ]);
  expect(questions.toSorted()).toEqual([A, AAAA]);
});

test('a name without one kind of address returns those of the other', async () => {
  const { servers } = await nameServer((type) => ({ data: type === A ? [v4] : [] }));
  expect(await createNameLookup(servers)('example.com', never)).toEqual(['93.184.215.14']);
});

test.each([
  ['does not exist', 3],
  ['has no address', 0],
])('a name that %s returns no addresses', async (_what, code) => {
  const { servers } = await nameServer(() => ({ data: [], code }));
  expect(await createNameLookup(servers)('example.com', never)).toEqual([]);
});

test('a failing name server rejects, so the question stays open', async () => {
  const { servers } = await nameServer((type) => ({ data: [], code: type === A ? 2 : 0 }));
  await expect(createNameLookup(servers)('example.com', never)).rejects.toThrow();
});

test('a silent name server is waited for no longer than requested', async () => {
  const { servers, questions } = await nameServer(() => 'silence');
  const ending = new AbortController();
  const found = createNameLookup(servers)('example.com', ending.signal);
  await expect.poll(() => questions.length).toBeGreaterThan(0);
  ending.abort();
  await expect(found).rejects.toMatchObject({ code: 'ECANCELLED' });
  await expect(createNameLookup(servers)('example.com', ending.signal)).rejects.toThrow();
});

test('neither the hosts file nor a search domain of the machine is used', async () => {
  const { servers, questions } = await nameServer(() => ({ data: [], code: 3 }));
  expect(await createNameLookup(servers)('localhost', never)).toEqual([]);
  expect(questions.length).toBeLessThanOrEqual(2);
});
