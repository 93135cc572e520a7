import { Socket } from 'node:net';
import type { Stream } from 'node:stream';
import type { LaunchReport, LaunchRequest } from './launch-messages.ts';
import { startLimited } from './limited-program.ts';
import { killGroup, spawnGroup, type ProgramEnd } from './process-group.ts';

/**
 * The program of the process that launcher.ts starts. It ends when the server does, which closes the channel between
 * them. The programs that it started then find their standard input closed, and end too.
 */
const kills = new Map<number, () => void>();

process.on('message', (request: LaunchRequest) => {
  switch (request.kind) {
    case 'run':
      return run(request);
    case 'start':
      return start(request);
    case 'kill':
      return kills.get(request.id)?.();
  }
});
process.on('disconnect', () => process.exit(0));

function report(message: LaunchReport, stream?: Stream | null): void {
  // A server that is gone gets no report, and the channel's end ends this process.
  process.send?.(message, stream instanceof Socket ? stream : undefined, {}, () => undefined);
}

function run({ id, program, isReadByLine }: Extract<LaunchRequest, { kind: 'run' }>): void {
  const { result, kill } = startLimited(
    program,
    isReadByLine ? (line) => report({ kind: 'line', id, line }) : undefined,
  );
  kills.set(id, kill);
  void result.then((result) => {
    kills.delete(id);
    report({ kind: 'result', id, result });
  });
}

function start({ id, words, givesWayBy }: Extract<LaunchRequest, { kind: 'start' }>): void {
  const child = spawnGroup(words, ['pipe', 'pipe', 'ignore'], givesWayBy);
  const { pid } = child;
  const end = (end: ProgramEnd): void => {
    if (!kills.delete(id)) return;
    killGroup(child);
    report({ kind: 'ended', id, end });
  };
  kills.set(id, () => killGroup(child));
  child.once('error', (error) => end({ code: null, by: error.message }));
  child.once('exit', (code, by) => end({ code, by }));
  if (pid === undefined) return;
  report({ kind: 'stream', id, pid, name: 'stdin' }, child.stdin);
  report({ kind: 'stream', id, pid, name: 'stdout' }, child.stdout);
}
