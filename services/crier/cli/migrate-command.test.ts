import { afterEach, expect, test, vi } from 'vitest';
import { ConfigError } from '#config/config.ts';
import { parseFlags } from './flags.ts';
import { migrateCommand } from './migrate-command.ts';

const written: string[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  written.length = 0;
});

/** The exit code, and all that was written. */
async function run(env: Readonly<Record<string, string>>, ...args: string[]) {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  return { code: await migrateCommand(parseFlags(args)), words: written.join('') };
}

test.each([['CRIER_ENGINE'], ['--engine']])(
  'of an embedded installation, by %s, it says that nothing is to do',
  async (by) => {
    // A secret that a start would refuse: none is looked at.
    const env = { CRIER_SECRET: 'short', ...(by === 'CRIER_ENGINE' && { CRIER_ENGINE: 'embedded' }) };
    const words = expect.stringMatching(/^Nothing is to do: .* migrates itself when it starts\.\n$/);
    expect(await run(env, ...(by === '--engine' ? ['--engine=embedded'] : []))).toEqual({ code: 0, words });
  },
);

test.each(['', '  '])(
  'where CRIER_ENGINE is "%s", a cluster is meant, and what it needs is reported',
  async (engine) => {
    const problems = ['KAFKA_BROKERS', 'CASSANDRA_CONTACT_POINTS'].map(
      (name) => `CRIER_${name} is missing: CRIER_ENGINE=cluster needs it`,
    );
    await expect(run({ CRIER_ENGINE: engine })).rejects.toEqual(new ConfigError(...problems));
  },
);

test('two of its flags at once are wrong usage', async () => {
  const words = 'crier: crier migrate, with one of --dry-run, --print-cql and --verify, or none\n';
  expect(await run({}, '--verify', '--dry-run')).toEqual({ code: 2, words });
});
