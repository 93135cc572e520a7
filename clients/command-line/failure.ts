import { CrierError } from '#clients/typescript/client.ts';
import type { Terminal } from './terminal.ts';
import { CommandRefusal } from './usage-error.ts';
import { harmless } from './terminal.ts';

const REFUSED = 1;
const INTERRUPTED = 130;

/** What a person can do about an error, where its own words do not say so. */
const ADVICE: Readonly<Record<string, string>> = {
  unauthorized: 'Sign in with a key that is in use: crier login --url ... --key ...',
  forbidden: 'Use a key that has this permission: crier login --profile NAME, then --profile NAME behind the command',
  too_early: 'The time is what --at says, or the column scheduled_at',
  outcome_unknown: 'Look with crier posts before you send it again',
};

/** The text and the exit code of an error that ended a command. An error of our own program shows its stack. */
export function failureOf(
  error: unknown,
  terminal: Terminal,
  json: boolean,
): { readonly text: string; readonly exitCode: number } {
  // A question that is open then ends with an error of its own.
  const isAbort = error === terminal.interrupted.reason || (error as Error).name === 'AbortError';
  if (terminal.interrupted.aborted && isAbort) return { text: 'crier: interrupted\n', exitCode: INTERRUPTED };
  if (error instanceof CrierError)
    return { text: json ? `${JSON.stringify({ error: jsonOf(error) })}\n` : textOf(error), exitCode: REFUSED };
  if (error instanceof CommandRefusal) return { text: `crier: ${error.message}\n`, exitCode: REFUSED };
  const { syscall, path, code, message, stack } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return { text: `crier: there is no file ${path}\n`, exitCode: REFUSED };
  const isExpected = syscall !== undefined || error instanceof TypeError;
  return { text: `crier: ${isExpected ? message : (stack ?? String(error))}\n`, exitCode: REFUSED };
}

function textOf({ code, message, blockers, upgrade, docUrl, requestId }: CrierError): string {
  const advice = ADVICE[code];
  return [
    `crier: ${harmless(message)}`,
    ...blockers.map((blocker) => `       - ${harmless(blocker.message)}`),
    ...(upgrade === null ? [] : [`       ${harmless(upgrade.label)}: the Plan ${upgrade.plan} allows it`]),
    ...(advice === undefined ? [] : [`       ${advice}`]),
    ...(docUrl === null || blockers.length > 0 ? [] : [`       About this: ${harmless(docUrl)}`]),
    // Refusals tell all there is to tell; of trouble, the operator finds the rest by this id.
    ...(requestId === null || code !== 'unexpected_answer' ? [] : [`       The operator finds it as ${requestId}`]),
    '',
  ].join('\n');
}

function jsonOf({
  status,
  code,
  message,
  blockers,
  upgrade,
  docUrl,
  requestId,
  retryAfterSeconds,
}: CrierError): object {
  return { status, code, message, blockers, upgrade, docUrl, requestId, retryAfterSeconds };
}
