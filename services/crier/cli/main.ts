import { PortError } from '#ports/errors.ts';
import { ConfigError, describeSettings, environment, readConfig } from '#config/config.ts';
import { flagOf, parseFlags, type Flags } from './flags.ts';

const USAGE = `Usage: crier <verb> [--setting=value ...]

  start                        run this process's roles (all of them unless --roles says otherwise)
  migrate [--dry-run]          make the keyspace, tables, topics and schemas of a cluster
  doctor                       check this machine, the settings and the engines; changes nothing
  admin <procedure> ['<json>'] call an operator's procedure, e.g. admin system.status
  dev advance <15m>            move Crier's clock and fire what is due (embedded with the sandbox only)
  dev in <30m>                 print the instant that far ahead of Crier's clock

  --json                       print JSON, for scripts
  --help                       print this, with every setting
`;

/** Each verb loads its own modules, so that the others do not slow it down. */
const VERBS: Readonly<Record<string, (flags: Flags) => Promise<number>>> = {
  start: async (flags) => {
    const config = readConfig(environment(), flags.settings);
    return (await import('./start.ts')).start(config);
  },
  migrate: async (flags) => (await import('./migrate-command.ts')).migrateCommand(flags),
  doctor: async (flags) => (await import('../doctor/doctor.ts')).doctor(flags),
  admin: async (flags) => (await import('./admin-command.ts')).adminCommand(flags),
  dev: async (flags) => (await import('./dev-command.ts')).devCommand(flags),
};

function help(): string {
  const settings = describeSettings();
  const row = (name: string, { fallback, doc }: (typeof settings)[number]): string =>
    `  ${name.padEnd(30)} ${doc}${fallback === '' ? '' : ` [${fallback}]`}\n`;
  const flags = settings
    .filter(({ secret }) => !secret)
    .map((setting) => row(`--${flagOf(setting.variable)}`, setting));
  const secrets = settings.filter(({ secret }) => secret).map((setting) => row(setting.variable, setting));
  return `${USAGE}\nSettings, as flags or as variables (--data-dir is CRIER_DATA_DIR):\n\n${flags.join('')}\nSecrets, as variables only:\n\n${secrets.join('')}`;
}

async function main(args: readonly string[]): Promise<number> {
  const flags = parseFlags(args);
  const [verb] = flags.words;
  if (flags.help || verb === undefined || verb === 'help') {
    process.stdout.write(help());
    return flags.help || verb === 'help' ? 0 : 2;
  }
  const run = VERBS[verb];
  if (run === undefined) throw new ConfigError(`there is no verb "${verb}": see crier --help`);
  return run({ ...flags, words: flags.words.slice(1) });
}

/** An error that an operator can mend is one line; any other is a defect and is printed with its stack. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof ConfigError || error instanceof PortError) return error.message;
  const { syscall, code, address, port } = error as NodeJS.ErrnoException & {
    readonly address?: string;
    readonly port?: number;
  };
  if (syscall === 'listen') return `can't listen at ${address}:${port}: ${LISTEN_TROUBLES[code!] ?? error.message}`;
  return syscall === undefined ? (error.stack ?? error.message) : error.message;
}

const LISTEN_TROUBLES: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'another program listens there; stop it, or choose another port with CRIER_PORT, CRIER_ADMIN_PORT or CRIER_SANDBOX_PORT',
  EADDRNOTAVAIL:
    'this machine has no such address; set CRIER_HOST, CRIER_ADMIN_HOST or CRIER_SANDBOX_HOST to one that it has',
  EACCES: 'this user may not listen there; choose a port above 1023',
};

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`crier: ${describe(error)}\n`);
  process.exitCode = 1;
}
