import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';
import type { AttackJob, AttackResult } from './attack-job.ts';
import { openLinkForm } from './link-form.ts';

// The attacker's side of a row, in a process of its own: it must not slow down the clock of the victim's side.

const MAX_OPEN = 256;
/** Beyond what kernels keep for a connection, so that an upload or a reader can be slow. */
const SLOW_BYTES = 8_000_000;
const PIECE = Buffer.alloc(20_000, 'p');
const PIECE_EVERY_MS = 1_000;
/** In so many seconds as a request may take to arrive, less a few, and in all below the largest that is taken. */
const BODY_PIECES = 25;
const BODY_PIECE = Buffer.alloc(36_000, ' ');
/** As refusals ask for at least: a flood beyond all limits is not what pools are for. */
const PAUSE_MS = 1_000;
const LATER_MS = 86_400_000;
const WITHIN_MS = 60_000;
const TICK_MS = 20;
const MAX_BUSY = 0.9;

const ending = new AbortController();
const { signal } = ending;
const answers: Record<string, number> = {};
const agent = new Agent({ connections: MAX_OPEN });
/** From another number in each attack: a Network publishes no text twice. */
let made = randomInt(1_000_000_000);

interface Answer {
  readonly status: number;
  readonly bytes: Uint8Array;
}

/** The `data` of a success; null: there is none. */
function dataOf(answer: Answer | null): any {
  if (answer === null || answer.status >= 300 || answer.bytes.length === 0) return null;
  return JSON.parse(Buffer.from(answer.bytes).toString()).data;
}

async function send(method: 'GET' | 'POST', url: string, headers: object, body?: string): Promise<Answer | null> {
  try {
    const answer = await agent.request({
      origin: new URL(url).origin,
      path: new URL(url).pathname + new URL(url).search,
      method,
      headers: { ...headers },
      body: body ?? null,
      signal,
    });
    const bytes = await answer.body.bytes();
    count(String(answer.statusCode));
    return { status: answer.statusCode, bytes };
  } catch {
    count('lost');
    return null;
  }
}

function count(what: string): void {
  if (!signal.aborted) answers[what] = (answers[what] ?? 0) + 1;
}

const bearing = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });
const asJson = (key: string): Record<string, string> => ({ ...bearing(key), 'content-type': 'application/json' });
const numbered = (text: string): string => text.replaceAll('{n}', String(made));

/** At planned instants, whatever is answered, and with a bounded number of requests open. */
async function requests(job: Extract<AttackJob, { kind: 'requests' }>): Promise<void> {
  let open = 0;
  for (let at = performance.now(); !signal.aborted; at += 1_000 / job.aSecond) {
    await pause(at - performance.now());
    if (open >= MAX_OPEN) continue;
    made++;
    open++;
    const key = job.keys[made % job.keys.length]!;
    const headers = { ...(job.body === undefined ? bearing(key) : asJson(key)), ...job.headers };
    void send(job.method, job.url + numbered(job.path), headers, job.body && numbered(job.body)).then(() => open--);
  }
}

interface Upload {
  readonly assetId: string;
  readonly uploadUrl: string;
}

async function reserve(url: string, key: string, contentType: string, bytes: number): Promise<Upload | null> {
  const body = JSON.stringify({ filename: `file ${++made}`, contentType, bytes });
  return dataOf(await send('POST', `${url}/api/media`, asJson(key), body));
}

async function slowUpload({ url, keys }: Extract<AttackJob, { kind: 'slow uploads' }>): Promise<void> {
  const upload = await reserve(url, keys[made % keys.length]!, 'video/mp4', SLOW_BYTES);
  if (upload === null) return;
  const headers = { 'content-type': 'video/mp4', 'content-length': SLOW_BYTES };
  await sendSlowly(upload.uploadUrl, { method: 'PUT', headers }, PIECE);
}

async function slowBody({ url, keys, path }: Extract<AttackJob, { kind: 'slow bodies' }>): Promise<void> {
  const headers = { ...asJson(keys[++made % keys.length]!), 'content-length': BODY_PIECE.length * BODY_PIECES };
  await sendSlowly(url + path, { method: 'POST', headers }, BODY_PIECE);
}

/** A piece a second until there is an answer, or the connection is closed. */
async function sendSlowly(url: string, request: { method: string; headers: object }, piece: Buffer): Promise<void> {
  await new Promise<void>((resolve) => {
    const sending = httpRequest(url, { ...request, headers: { ...request.headers }, agent: false, signal });
    const next = setInterval(() => sending.write(piece), PIECE_EVERY_MS);
    sending.on('response', (answer) => {
      count(String(answer.statusCode));
      sending.destroy();
    });
    sending
      .on('error', () => {})
      .on('close', () => {
        clearInterval(next);
        resolve();
      });
    sending.write(piece);
  });
}

async function slowRead({ file, clients }: Extract<AttackJob, { kind: 'slow readers' }>): Promise<void> {
  const { hostname, port, pathname } = new URL(file);
  const from = `127.0.1.${1 + (++made % clients)}`;
  await new Promise<void>((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), localAddress: from });
    const end = (): void => void socket.destroy();
    signal.addEventListener('abort', end);
    socket.once('data', (start: Buffer) => {
      count(start.toString('latin1').slice(9, 12));
      if (!start.includes(' 200 ')) return end();
      socket.pause();
    });
    socket
      .on('error', () => {})
      .on('close', () => {
        signal.removeEventListener('abort', end);
        resolve();
      });
    socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`);
  });
}

async function links({ url, aSecond, linksAClient }: Extract<AttackJob, { kind: 'links' }>): Promise<void> {
  const range = `127.${randomInt(2, 255)}.${randomInt(256)}`;
  for (let client = 1, at = performance.now(); !signal.aborted; client++) {
    const form = await openLinkForm(url, `${range}.${client}`);
    for (let asked = 0; asked < linksAClient && !signal.aborted; asked++, at += 1_000 / aSecond) {
      await pause(at - performance.now());
      const status = await form.ask(`${range}.${client}.${asked}@attack.test`).catch(() => 'lost');
      count(String(status));
    }
    await form.close();
  }
}

/** A Post is waited for until its files are ready, so that what the attack leaves behind is bounded. */
async function sendFile(job: Extract<AttackJob, { kind: 'files' }>, content: Buffer): Promise<void> {
  const { url, contentType, channelIds } = job;
  const key = job.keys[made % job.keys.length]!;
  const upload = await reserve(url, key, contentType, content.length);
  if (upload === null) return;
  const sent = await fetch(upload.uploadUrl, {
    method: 'PUT',
    headers: { 'content-type': contentType },
    body: new Uint8Array(content),
    signal,
  });
  count(`put ${sent.status}`);
  if ((await send('POST', `${url}/api/media/${upload.assetId}/complete`, bearing(key)))?.status !== 200) return;
  if (channelIds.length === 0) return;
  const post = {
    text: `attack ${++made}`,
    channelIds,
    media: [{ assetId: upload.assetId }],
    scheduledAt: new Date(Date.now() + LATER_MS).toISOString(),
  };
  const created = dataOf(await send('POST', `${url}/api/posts`, asJson(key), JSON.stringify(post)));
  const giveUpAt = performance.now() + WITHIN_MS;
  for (let isReady = created === null; !isReady && !signal.aborted && performance.now() < giveUpAt;) {
    await pause(PAUSE_MS);
    const seen = await send('GET', `${url}/api/posts/${created.id}`, bearing(job.keys[++made % job.keys.length]!));
    isReady = dataOf(seen)?.variants.every(({ mediaReady }: { mediaReady: boolean }) => mediaReady) ?? false;
  }
}

async function pause(milliseconds: number): Promise<void> {
  if (milliseconds > 0) await sleep(milliseconds, undefined, { signal }).catch(() => {});
}

/** So many at once, each begun anew when it ended, and none faster than a client that is refused would try again. */
async function overAndOver(atOnce: number, work: () => Promise<void>): Promise<void> {
  const worker = async (): Promise<void> => {
    while (!signal.aborted) {
      await work().catch(() => count('lost'));
      await pause(PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Busy for a part of each tick, whatever the server does. */
async function busy(processorPart: number): Promise<void> {
  while (!signal.aborted) {
    const until = performance.now() + TICK_MS * processorPart;
    while (performance.now() < until);
    await pause(TICK_MS * (1 - processorPart));
  }
}

async function attack(job: AttackJob): Promise<void> {
  switch (job.kind) {
    case 'requests':
      return requests(job);
    case 'slow uploads':
      return overAndOver(job.atOnce, () => slowUpload(job));
    case 'slow bodies':
      return overAndOver(job.atOnce, () => slowBody(job));
    case 'slow readers':
      return overAndOver(job.atOnce, () => slowRead(job));
    case 'links':
      return links(job);
    case 'nothing': {
      const asked = { ...job, kind: 'requests', aSecond: job.keys.length, method: 'GET' } as const;
      await Promise.all([requests(asked), busy(Math.min(MAX_BUSY, job.processorPart))]);
      return;
    }
    case 'files': {
      const content = readFileSync(job.path);
      return overAndOver(job.atOnce, () => sendFile(job, content));
    }
  }
}

const lines = createInterface({ input: process.stdin });
const { value: first } = await lines[Symbol.asyncIterator]().next();
lines.on('close', () => ending.abort());
const job = JSON.parse(first as string) as AttackJob;
process.stderr.write(`the attack begins: ${job.kind}\n`);
const [from, before] = [performance.now(), process.cpuUsage()];
await attack(job);
const { user, system } = process.cpuUsage(before);
await agent.destroy();
const result: AttackResult = { answers, processorPart: (user + system) / 1_000 / (performance.now() - from) };
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit());
