import { readFileSync } from 'node:fs';
import { createTrustingFetch } from '#adapters/undici/trusting-fetch.ts';
import { ConfigError, environment, readConfig } from '#config/config.ts';
import { ADMIN_PROCEDURES, callAdmin } from '#services/admin/client.ts';
import type { Flags } from './flags.ts';
import { runningInstallationOf } from './running-installation.ts';
import { table } from './text-table.ts';

/** `crier admin <procedure> ['<json>']`. Exit code 1 when the procedure refuses. */
export async function adminCommand(flags: Flags): Promise<number> {
  const [procedure, text, ...more] = flags.words;
  if (procedure === undefined || more.length > 0)
    throw new ConfigError(
      `use crier admin <procedure> ['<json>'], where the procedure is one of ${ADMIN_PROCEDURES.join(', ')}`,
    );
  return callAndShow(flags, procedure, inputOf(text));
}

/** Calls a procedure and prints its answer, or the part of it that `take` selects. */
export async function callAndShow(
  flags: Flags,
  procedure: string,
  input: unknown,
  take: (answer: unknown) => unknown = (answer) => answer,
): Promise<number> {
  const { adminUrl, adminToken, adminCa } = runningInstallationOf(readConfig(environment(), flags.settings));
  const trusting = adminCa == null ? null : createTrustingFetch(() => readFileSync(adminCa, 'utf8'));
  const address = { url: adminUrl, token: adminToken, ...(trusting !== null && { fetch: trusting.fetch }) };
  const answer = await callAdmin(address, procedure, input);
  await trusting?.close();
  if (!answer.ok) {
    process.stderr.write(flags.json ? `${JSON.stringify(answer)}\n` : `crier: ${answer.message} (${answer.reason})\n`);
    return 1;
  }
  const shown = take(answer.value);
  process.stdout.write(flags.json ? `${JSON.stringify(shown)}\n` : `${table(shown)}\n`);
  return 0;
}

function inputOf(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new ConfigError(`the input is not JSON: ${text}`);
  }
}
