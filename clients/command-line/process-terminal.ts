import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Terminal } from './terminal.ts';

const NARROWEST = 40;

/** The terminal of this process. The first Ctrl-C aborts what is under way, the second ends the process. */
export function processTerminal(environment: Terminal['environment']): Terminal {
  const interruption = new AbortController();
  process.on('SIGINT', () => {
    if (interruption.signal.aborted) process.exit(130);
    interruption.abort(new Error('interrupted'));
  });
  return {
    out: (written) => void process.stdout.write(written),
    say: (written) => void process.stderr.write(written),
    outIsTerminal: process.stdout.isTTY === true,
    sayIsTerminal: process.stderr.isTTY === true,
    columns: Math.max(NARROWEST, process.stdout.columns ?? (Number(environment['COLUMNS']) || 120)),
    environment,
    ask: (question, { secret = false } = {}) => ask(question, secret, interruption.signal),
    input: async () => (process.stdin.isTTY === true ? null : text(process.stdin)),
    interrupted: interruption.signal,
  };
}

async function ask(question: string, secret: boolean, signal: AbortSignal): Promise<string | null> {
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return null;
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: secret ? silent : process.stderr, terminal: true });
  lines.once('SIGINT', () => void process.emit('SIGINT'));
  if (secret) process.stderr.write(question);
  try {
    return await lines.question(secret ? '' : question, { signal });
  } finally {
    lines.close();
    if (secret) process.stderr.write('\n');
  }
}
