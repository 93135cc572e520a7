import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { callAdmin } from '#services/admin/client.ts';
import { CRIER, type CrierUnderTest } from '#testing/crier-process.ts';
import type { PageCommand } from '../tidy/runbook.ts';

/** What stands for the words in CAPITALS of a page. */
export type Fillings = Readonly<Record<string, string>>;

const ADMIN_OF_THE_PAGE = 'http://127.0.0.1:8081';
const ADMIN_CALL = /^crier admin (\w+\.\w+)(?: '(.*)')?$/;
/** The subject of the command is not there: that says so much as that its name and its input are right. */
const MAY_END_WITH_1 = /^exits 1 where /;
const PATIENCE_MS = 60_000;

/**
 * Types a command of a page at a running installation, and says in words what is wrong with it; null: it does what the
 * page says. Calls of procedures go the way of the command line without its process: each costs a second.
 */
export async function troubleWith(
  crier: CrierUnderTest,
  { command, note }: PageCommand,
  fillings: Fillings,
): Promise<string | null> {
  if (note === 'in a cluster') return null;
  const filled = command.replace(/\b[A-Z][A-Z_]{2,}\b(?!=)/g, (word) => fillings[word] ?? word);
  const [left] = /\b[A-Z][A-Z_]{2,}\b(?!=)/.exec(filled) ?? [];
  if (left !== undefined) return `${command}: the test has nothing for ${left}`;
  if (command.startsWith('crier admin ')) return troubleWithCall(crier, { command: filled, note });
  const { code, output } = await typed(crier, filled.replaceAll(ADMIN_OF_THE_PAGE, crier.ready.adminUrl));
  if (code === 0 || (code === 1 && (MAY_END_WITH_1.test(note) || lacksVideosOnly(output)))) return null;
  return `${command}: ended with ${code}: ${output.slice(-500)}`;
}

async function troubleWithCall(
  { ready }: CrierUnderTest,
  { command, note }: Pick<PageCommand, 'command' | 'note'>,
): Promise<string | null> {
  const [, procedure, input] = ADMIN_CALL.exec(command) ?? [];
  if (procedure === undefined) return `${command}: is not crier admin <procedure> '<json>'`;
  const address = { url: ready.adminUrl, token: ready.adminToken };
  const answer = await callAdmin(address, procedure, input === undefined ? undefined : JSON.parse(input));
  if (answer.ok || (answer.reason === 'not_found' && MAY_END_WITH_1.test(note))) return null;
  return `${command}: ${answer.reason}: ${answer.message}`;
}

/** The doctor's findings, on a machine for tests without the tools for videos. */
function lacksVideosOnly(output: string): boolean {
  const wrong = output.split('\n').filter((line) => /^\w[\w ]* {2,}NO /.test(line));
  return wrong.length > 0 && wrong.every((line) => line.startsWith('videos '));
}

function typed(crier: CrierUnderTest, command: string): Promise<{ readonly code: number; readonly output: string }> {
  const env = {
    ...process.env,
    PATH: `${dirname(CRIER)}:${process.env['PATH']}`,
    CRIER_ENGINE: 'embedded',
    CRIER_DATA_DIR: crier.dataDir,
    CRIER_PORT: String(crier.ports.api),
    CRIER_ADMIN_PORT: String(crier.ports.admin),
  };
  return new Promise((resolve) => {
    execFile('/bin/sh', ['-c', command], { env, timeout: PATIENCE_MS }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, output: `${stdout}${stderr}` });
    });
  });
}
