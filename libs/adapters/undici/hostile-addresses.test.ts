import { once } from 'node:events';
import { createServer, Socket, type LookupFunction } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { UnsafeAddress } from '#ports/public-http.ts';
import { answer, startMisbehavingReceiver } from '#testing/misbehaving-receiver.ts';
import { createPublicHttp } from './public-http.ts';

/** Addresses that must be refused by their text alone. */
const SPELLINGS: readonly string[] = [
  ...[
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '127.255.255.254',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '127.0.0.1.',
    '0x7F.0x0.0x0.0x1',
    '%31%32%37.0.0.1',
  ],
  ...['１２７.０.０.１', '127。0。0。1', '①②⑦.⓪.⓪.①', '0', '0.0.0.0', '00', '0x0'],
  ...[
    '10.0.0.1',
    '10.255.255.255',
    '167772161',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '192.168.257',
    '0xc0a80001',
    '100.64.0.1',
    '100.127.255.254',
  ],
  ...[
    '169.254.169.254',
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
    '169.254.170.2',
    '100.100.100.200',
    '168.63.129.16',
    '161.26.0.10',
    '166.8.0.1',
    '166.11.255.254',
    '192.0.0.192',
  ],
  ...[
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.7',
    '203.0.113.9',
    '192.88.99.1',
    '224.0.0.1',
    '239.255.255.250',
    '240.0.0.1',
    '255.255.255.255',
    '192.31.196.1',
    '192.52.193.1',
  ],
  ...[
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::ffff:10.0.0.1]',
    '[0:0:0:0:0:ffff:a9fe:a9fe]',
    '[::127.0.0.1]',
    '[::7f00:1]',
    '[::ffff:0:127.0.0.1]',
  ],
  ...[
    '[::ffff:93.184.215.14]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b::5db8:d70e]',
    '[64:ff9b:1::a00:1]',
    '[2002:7f00:1::]',
    '[2002:a9fe:a9fe::1]',
    '[2001:0:7f00:1::]',
    '[2001::1]',
  ],
  ...[
    '[fe80::1]',
    '[febf::1]',
    '[fec0::1]',
    '[fc00::1]',
    '[fd00:ec2::254]',
    '[fdff::1]',
    '[ff02::1]',
    '[100::1]',
    '[2001:db8::1]',
    '[3fff::1]',
    '[2001:2::1]',
    '[2001:10::1]',
    '[2001:20::1]',
    '[5f00::1]',
  ],
  ...['[4000::1]', '[8000::1]', '[e000::1]', '[1::1]'],
  ...[
    'localhost',
    'LOCALHOST',
    'localhost.',
    'ⓛocalhost',
    'ｌｏｃａｌｈｏｓｔ',
    'lo\tcalhost',
    'a.localhost',
    'metadata',
    'metadata.google.internal',
    'kubernetes.default.svc.cluster.local',
    'db.internal',
  ],
  ...[
    'printer.local',
    'router.home.arpa',
    'x.onion',
    'hooks.test',
    'hooks.invalid',
    'inbox.sandbox',
    'example.com.',
    'a_b*.example.com',
    `${'a'.repeat(64)}.example.com`,
    `${'a.'.repeat(130)}com`,
  ],
].map((host) => `https://${host}/`);

const FORMS: readonly string[] = [
  ...[
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'gopher://example.com/',
    'data:text/plain,x',
    'javascript:1',
    'wss://example.com/',
    'blob:https://example.com/1',
    'unix:///run/x.sock',
  ],
  ...[
    'https://example.com:444/',
    'https://example.com:80/',
    'https://example.com:8443/',
    'https://example.com:0/',
    'https://example.com:22/',
    'https://[2606:4700::1111]:8443/',
    'https://example.com:99999/',
  ],
  ...[
    'https://me@example.com/',
    'https://me:word@example.com/',
    'https://:word@example.com/',
    'https://example.com@127.0.0.1/',
    'https://127.0.0.1#@example.com/',
    'https://127.0.0.1\\@example.com/',
  ],
  ...[
    '',
    ' ',
    'example.com',
    '//example.com/',
    'https:',
    'https://',
    'https:///',
    'https://?x',
    'https://exa mple.com/',
    'https://[::1',
    'https://[fe80::1%25eth0]/',
    'https://1.2.3.4.5/',
    'https://256.1.1.1/',
  ],
  `https://example.com/${'a'.repeat(5_000)}`,
];

/** Names of the public DNS, and the private addresses that their owners made them lead to. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'loopback.example.com': ['127.0.0.1'],
  'loopback6.example.com': ['::1'],
  'zero.example.com': ['0.0.0.0'],
  'private.example.com': ['10.1.2.3'],
  'metadata.example.com': ['169.254.169.254'],
  'azure.example.com': ['168.63.129.16'],
  'mapped.example.com': ['::ffff:127.0.0.1'],
  'mapped-hex.example.com': ['::ffff:7f00:1'],
  'nat64.example.com': ['64:ff9b::a9fe:a9fe'],
  'sixtofour.example.com': ['2002:7f00:1::1'],
  'teredo.example.com': ['2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  'unique-local.example.com': ['fd00::1'],
  'link-local.example.com': ['fe80::1%eth0'],
  'mixed.example.com': ['93.184.215.14', '127.0.0.1'],
  'mixed6.example.com': ['2606:4700::1111', '::1'],
  'last-of-many.example.com': [...Array<string>(40).fill('93.184.215.14'), '192.168.1.1'],
  'nonsense.example.com': ['not an address'],
  'nowhere.example.com': [],
  'xn--80ak6aa92e.com': ['127.0.0.1'],
};

interface ConnectAttempt {
  readonly addresses: readonly string[];
  readonly port: unknown;
}

/** Records the addresses that sockets would connect to; no connection leaves the machine. */
const asked: ConnectAttempt[] = [];
const listeners: { close(): unknown }[] = [];
let arrived = 0;

beforeEach(async () => {
  asked.length = 0;
  arrived = 0;
  for (const host of ['127.0.0.1', '::1']) {
    // A privileged port. Where it can't be opened, that no socket is made is proof enough.
    const server = createServer((socket) => void ((arrived += 1), socket.destroy()));
    await once(server.listen(443, host), 'listening').then(
      () => listeners.push(server),
      () => {},
    );
  }
  vi.spyOn(Socket.prototype, 'connect').mockImplementation(function connect(this: Socket, ...given: unknown[]) {
    const { host, port, lookup } = [given].flat(2)[0] as { host: string; port: unknown; lookup: LookupFunction };
    lookup(host, { all: true }, (_error, found) =>
      asked.push({ addresses: [found].flat().map((one) => (typeof one === 'string' ? one : one.address)), port }),
    );
    process.nextTick(() => this.destroy(Object.assign(new Error('not in a test'), { code: 'ECONNREFUSED' })));
    return this;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  for (const listener of listeners.splice(0)) listener.close();
});

function send(
  url: string,
  lookup: (name: string) => Promise<readonly string[]> = async (name) => NAMES[name] ?? ['93.184.215.14'],
) {
  return createPublicHttp({ lookup }).send({ method: 'POST', url, body: Buffer.from('{}'), timeoutMs: 5_000 });
}

test('the corpus has as many addresses as it claims', () => {
  expect(new Set([...SPELLINGS, ...FORMS]).size + Object.keys(NAMES).length).toBeGreaterThan(150);
});

test.each(
  [...SPELLINGS, ...FORMS, ...Object.keys(NAMES).map((name) => `https://${name}/hook`)].map((url) => ({
    url,
    shown: url.slice(0, 60),
  })),
)('refused without a connection: $shown', async ({ url }) => {
  await expect(send(url)).rejects.toThrow(UnsafeAddress);
  expect([asked, arrived]).toEqual([[], 0]);
});

test('a public address is connected to, and nothing else: the same watch sees it', async () => {
  await expect(send('https://example.com/')).rejects.toThrow('example.com refused the connection');
  await expect(send('https://two.example.com/', async () => ['93.184.215.14', '2606:4700::1111'])).rejects.toThrow(
    'refused',
  );
  expect(asked.map(({ addresses, port }) => [addresses, Number(port)])).toEqual([
    [['93.184.215.14'], 443],
    [['93.184.215.14', '2606:4700::1111'], 443],
  ]);
});

test('an address on the public internet may be written in numbers', async () => {
  const seen: unknown[] = [];
  vi.spyOn(Socket.prototype, 'connect').mockImplementation(function connect(this: Socket, ...given: unknown[]) {
    seen.push(([given].flat(2)[0] as { host: string }).host);
    process.nextTick(() => this.destroy(new Error('not in a test')));
    return this;
  });
  for (const url of ['https://93.184.215.14/', 'https://[2606:4700::1111]/'])
    await expect(send(url)).rejects.toThrow('gave no answer');
  expect(seen).toEqual(['93.184.215.14', '2606:4700::1111']);
});

test('a name that turns private between two look-ups is looked up once for each request, and the private answer is never used', async () => {
  let looks = 0;
  const rebinding = async () => [(looks += 1) % 2 === 1 ? '93.184.215.14' : '127.0.0.1'];
  await expect(send('https://rebind.example.com/', rebinding)).rejects.toThrow('refused the connection');
  expect([looks, asked.flatMap(({ addresses }) => addresses)]).toEqual([1, ['93.184.215.14']]);
  await expect(send('https://rebind.example.com/', rebinding)).rejects.toThrow(UnsafeAddress);
  expect([looks, asked.length, arrived]).toEqual([2, 1, 0]);
});

test('a failed look-up is no answer, a look-up without end is cut off, and neither connects', async () => {
  const failing = send('https://example.com/', async () => Promise.reject(new Error('queryA ESERVFAIL')));
  await expect(failing).rejects.toMatchObject({
    name: 'HttpFailure',
    sent: false,
    message: 'example.com has a name that can not be looked up now',
  });
  const endless = createPublicHttp({ lookup: () => new Promise(() => {}) }).send({
    method: 'GET',
    url: 'https://example.com/',
    timeoutMs: 50,
  });
  await expect(endless).rejects.toMatchObject({
    name: 'HttpFailure',
    sent: false,
    message: 'example.com did not answer within 0.05 s',
  });
  expect(asked).toEqual([]);
});

test('the message does not reveal which private address a name leads to', async () => {
  const refusal = await send('https://private.example.com/').catch((error: Error) => error.message);
  expect(refusal).toBe('private.example.com leads to an address that is not on the public internet.');
});

test('an override holds for its name exactly as written, and opens no other port or scheme', async () => {
  vi.restoreAllMocks();
  await using receiver = await startMisbehavingReceiver({ name: 'hooks.test' });
  receiver.behave(answer(200));
  const http = createPublicHttp({ overrides: [receiver.override], lookup: async () => [] });
  const ask = (url: string) => http.send({ method: 'GET', url, timeoutMs: 5_000 });
  expect((await ask('https://HOOKS.test:443/')).status).toBe(200);
  for (const url of [
    'http://hooks.test/',
    'https://hooks.test:8443/',
    'https://hooks.test./',
    'https://a.hooks.test/',
    'https://me@hooks.test/',
  ])
    await expect(ask(url)).rejects.toThrow(UnsafeAddress);
  expect(receiver.connections()).toBe(1);
});

test('a redirect to a private address is not followed', async () => {
  vi.restoreAllMocks();
  await using receiver = await startMisbehavingReceiver();
  receiver.behave({ kind: 'redirect', to: 'https://127.0.0.1/latest/meta-data/' });
  const connect = vi.spyOn(Socket.prototype, 'connect');
  const got = await createPublicHttp({ overrides: [receiver.override] }).send({
    method: 'POST',
    url: receiver.url,
    timeoutMs: 5_000,
  });
  expect([got.status, connect.mock.calls.length, receiver.connections(), arrived]).toEqual([302, 1, 1, 0]);
});
