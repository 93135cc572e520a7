import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confluentSuite } from '#testing/confluent-suite.ts';
import type { Message } from '#messages/messages.ts';
import { createCodec } from '../avro-codec.ts';
import { readSchemaHistory } from '../schema-history.ts';
import { createConfluentRegistry } from './confluent.ts';
import { answerRegistryRequest } from './http-answers.ts';

const history = readSchemaHistory();
const message: Message = { type: 'PlanDue', workspaceId: 'w' };

/** The built-in answers behind a real server, with faults that the test sets. */
async function serve(misbehave: { authorization?: string; failing?: boolean; silent?: boolean } = {}) {
  const server = createServer(async (request, response) => {
    const body = await textOf(request);
    if (misbehave.silent) return;
    const barred = misbehave.authorization !== undefined && request.headers.authorization !== misbehave.authorization;
    const answer = barred
      ? { status: 401, body: { error_code: 401, message: 'Unauthorized' } }
      : misbehave.failing
        ? { status: 500, body: { error_code: 50001, message: 'Error in the backend data store' } }
        : answerRegistryRequest(history, { method: request.method ?? '', path: request.url ?? '', body });
    response
      .writeHead(answer.status, { 'content-type': 'application/vnd.schemaregistry.v1+json' })
      .end(JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, misbehave, close: () => close(server) };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

let builtIn: Awaited<ReturnType<typeof serve>>;
beforeAll(async () => {
  builtIn = await serve();
});
afterAll(() => builtIn.close());

confluentSuite('the built-in registry over HTTP', () => builtIn.url);

describe('an unreachable registry', () => {
  it('stops no process that started while it was reachable', async () => {
    const server = await serve();
    const registry = await createConfluentRegistry({ url: server.url });
    await server.close();
    const codec = createCodec({ registry });
    expect(await codec.decode(codec.encode(message))).toStrictEqual({ ok: true, message });
    expect(await registry.schemaOf(registry.idOf('CreatePost'))).toContain('CreatePost');
    await expect(registry.schemaOf(700)).rejects.toMatchObject({ name: 'PortError', kind: 'unavailable' });
  });

  it.each([
    ['failing', { failing: true }],
    ['silent', { silent: true }],
  ])('makes a start reject as unavailable while it is %s', async (_, how) => {
    const server = await serve(how);
    const start = createConfluentRegistry({ url: server.url, requestTimeoutMs: 50 });
    await expect(start).rejects.toMatchObject({ name: 'PortError', kind: 'unavailable' });
    await server.close();
  });

  it('gives no verdict on an unknown id while it fails, and one when it works again', async () => {
    const server = await serve();
    const registry = await createConfluentRegistry({ url: server.url });
    server.misbehave.failing = true;
    await expect(registry.schemaOf(700)).rejects.toMatchObject({ kind: 'unavailable' });
    server.misbehave.failing = false;
    expect(await registry.schemaOf(700)).toBeNull();
    await server.close();
  });
});

describe('a registry that asks for a password', () => {
  const authorization = `Basic ${Buffer.from('crier:secret').toString('base64')}`;

  it('serves callers with the password and refuses others', async () => {
    const server = await serve({ authorization });
    const registry = await createConfluentRegistry({
      url: server.url,
      auth: { username: 'crier', password: 'secret' },
    });
    expect(registry.idOf('PlanDue')).toBeGreaterThan(0);
    const start = createConfluentRegistry({ url: server.url, auth: { username: 'crier', password: 'wrong' } });
    await expect(start).rejects.toMatchObject({ name: 'PortError', kind: 'unavailable' });
    await server.close();
  });
});
