import { createServer, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { newLogFile } from '#testing/engines/cache-folder.ts';
import { EngineProcess, freePorts } from '#testing/engines/process.ts';

/** Environment variables by which a program of this folder is told its port; set by `startProgram`. */
const PORT = 'PEER_PORT';
const READY_WITHIN_MS = 60_000;

/** A program of this folder in a process of its own, which ends with this one. */
export interface ChildProgram {
  readonly url: string;
  pid(): number | null;
  kill(): Promise<void>;
  /** Again on the same port, once it was killed. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface ProgramPlan {
  readonly name: string;
  readonly folder: string;
  readonly script: string;
  readonly args?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Resolves when it answers. */
export async function startProgram({ name, folder, script, args = [], env }: ProgramPlan): Promise<ChildProgram> {
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const child = new EngineProcess({
    name,
    command: process.execPath,
    args: [script, ...args],
    env: { ...env, [PORT]: `${port}`, NODE_ENV: 'production' },
    logFile: newLogFile(`${folder}-${name}`),
    probe: async () => {
      const answer = await fetch(`${url}/health`);
      if (!answer.ok) throw new Error(`it answers ${answer.status}`);
    },
    readyWithinMs: READY_WITHIN_MS,
  });
  await child.start();
  return {
    url,
    pid: () => child.pid,
    kill: () => child.kill('SIGKILL'),
    restart: () => child.start(),
    stop: () => child.kill('SIGTERM'),
  };
}

/** Serves, in a program that `startProgram` started, once everything that it needs is there. */
export function serve(listener: RequestListener): void {
  const server = createServer(listener);
  server.keepAliveTimeout = 60_000;
  server.listen(ownPort(), '127.0.0.1');
}

/** The port that this program was given. */
function ownPort(): number {
  return Number(process.env[PORT]);
}

/** Answers requests by `METHOD /path`, with JSON; 404 for others, 500 with the error for one that throws. */
export function serveJson(routes: Readonly<Record<string, (body: unknown) => unknown>>): void {
  const all: typeof routes = { 'GET /health': () => ({}), ...routes };
  serve((request, response) => {
    const route = all[`${request.method} ${request.url}`];
    const answer = (status: number, body: unknown): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    void (async () => {
      try {
        const body = await text(request);
        if (route === undefined) answer(404, {});
        else answer(200, await route(body === '' ? null : JSON.parse(body)));
      } catch (error) {
        console.error(error);
        answer(500, String(error));
      }
    })();
  });
}

/** Runs `end` at the signal that asks this program to end, then ends it. */
export function endBySignal(end: () => Promise<void>): void {
  process.once('SIGTERM', () => {
    end().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
}

/** A variable that the program can't do without. */
export function given(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}

/** JSON of an answer; throws for any but a success. */
export async function askJson<T>(url: string, body?: unknown): Promise<T> {
  const answer = await fetch(url, {
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as T;
}
