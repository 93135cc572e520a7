import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createSystemClock } from '#adapters/system/clock.ts';
import { createTrustingFetch } from '#adapters/undici/trusting-fetch.ts';
import { ConfigError, environment, type Config } from '#config/config.ts';
import { doctorFindings } from '../doctor/doctor.ts';
import { bytesInWords } from '../backup/bytes-in-words.ts';
import { makeSupportBundle } from '../support-bundle/support-bundle.ts';
import type { BundleSummary } from '../support-bundle/write-bundle.ts';
import type { Flags } from './flags.ts';
import { runningInstallationOf } from './running-installation.ts';

/** `crier support-bundle [--out=FILE] [--log=FILE]`. Exit code 0 when the file is written, whatever is missing in it. */
export async function supportBundleCommand(flags: Flags): Promise<number> {
  if (flags.words.length > 0) throw new ConfigError('use crier support-bundle [--out=FILE] [--log=FILE]');
  process.umask(0o077);
  const clock = createSystemClock();
  const out = resolve(flags.out ?? `crier-support-${new Date(clock.now()).toISOString().replace(/[:.]/g, '-')}.tar`);
  let authorities: string | undefined;
  const trusting = createTrustingFetch(() => authorities);
  const server = (config: Config) => {
    const { adminUrl: url, adminToken: token, adminCa = null } = runningInstallationOf(config);
    authorities = adminCa === null ? undefined : readFileSync(adminCa, 'utf8');
    return { url, token, fetch: trusting.fetch };
  };
  const summary = await makeSupportBundle({
    ...{ out, env: environment(), overrides: flags.settings, log: flags.log, clock, server },
    // Its ports are taken where the server runs, which is what it is beside.
    doctor: () => doctorFindings({ settings: flags.settings, inPod: true }),
    engines: async (config) => (await import('../support-bundle/engine-parts.ts')).engineParts(config, trusting.fetch),
  });
  const text = flags.json ? `${JSON.stringify({ path: out, ...summary })}\n` : describe(out, summary);
  await new Promise<void>((written) => process.stdout.write(text, () => written()));
  // At once: connections of a part that was given up would keep the process up.
  return process.exit(0);
}

function describe(out: string, { parts }: BundleSummary): string {
  const missing = parts.filter(({ trouble }) => trouble !== null);
  const byTrouble = Map.groupBy(missing, ({ trouble }) => trouble);
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  const lines = [
    `${out}: ${parts.length - missing.length} of ${parts.length} parts, ${bytesInWords(bytes)}.`,
    ...[...byTrouble].map(([trouble, of]) => `Without ${of.map(({ file }) => file).join(', ')}: ${trouble}`),
    `It holds no secrets and no texts of tenants. Look at it before you send it: tar -xf ${out}`,
  ];
  return `${lines.join('\n')}\n`;
}
