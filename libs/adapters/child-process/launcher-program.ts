import { Socket } from 'node:net';
import type { Stream } from 'node:stream';
import { feedFile, type FedFile } from './feed-file.ts';
import type { LaunchReport, LaunchRequest } from './launch-messages.ts';
import { startLimited } from './limited-program.ts';
import { giveWayFurther, killGroup, spawnGroup, type ProgramEnd } from './process-group.ts';

// The program of the process that launcher.ts starts. It ends when the server does, which closes its standard input.
// The programs that it started then find their own closed, and end too.

interface Program {
  kill(): void;
  /** Left out, like `giveWay`, of a program that runs within limits. */
  feed?(file: FedFile): void;
  giveWay?(by: number): void;
}

const programs = new Map<number, Program>();

process.on('message', (request: LaunchRequest) => {
  switch (request.kind) {
    case 'run':
      return run(request);
    case 'start':
      return start(request);
    case 'feed':
      return programs.get(request.id)?.feed?.(request.file);
    case 'give way':
      return programs.get(request.id)?.giveWay?.(request.by);
    case 'kill':
      return programs.get(request.id)?.kill();
  }
});
// Not at 'disconnect', which Node does not emit where a stream that was sent is not acknowledged yet.
process.stdin.on('close', () => process.exit(0)).resume();

function report(message: LaunchReport, stream?: Stream | null): void {
  // A server that is gone gets no report.
  process.send?.(message, stream instanceof Socket ? stream : undefined, {}, () => undefined);
}

function run({ id, program, isReadByLine }: Extract<LaunchRequest, { kind: 'run' }>): void {
  const { result, kill } = startLimited(
    program,
    isReadByLine ? (line) => report({ kind: 'line', id, line }) : undefined,
  );
  programs.set(id, { kill });
  void result.then((result) => {
    programs.delete(id);
    report({ kind: 'result', id, result });
  });
}

function start({ id, words, givesWayBy }: Extract<LaunchRequest, { kind: 'start' }>): void {
  const child = spawnGroup(words, ['pipe', 'pipe', 'ignore'], givesWayBy);
  const { pid, stdin, stdout } = child;
  const end = (end: ProgramEnd): void => {
    if (!programs.delete(id)) return;
    killGroup(child);
    report({ kind: 'ended', id, end });
  };
  programs.set(id, {
    kill: () => killGroup(child),
    feed: (file) => void feedFile(stdin!, file).then((end) => report({ kind: 'fed', id, end })),
    giveWay: (by) => void giveWayFurther(child, by),
  });
  child.once('error', (error) => end({ code: null, by: error.message }));
  child.once('exit', (code, by) => end({ code, by }));
  if (pid === undefined) return;
  // A program that is gone takes no more of its file: its end reports that.
  stdin?.on('error', () => undefined);
  report({ kind: 'started', id, pid }, stdout);
}
