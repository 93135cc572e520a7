import { PortError } from '#ports/errors.ts';
import { ConfigError, describeSettings, environment, readConfig } from '#config/config.ts';
import { flagOf, parseFlags, type Flags } from './flags.ts';

const USAGE = (ofUsers: string): string => `Usage: crier <verb> [words and flags]

For users, with an API key (crier <verb> --help has flags and examples):

${ofUsers}
For operators, on the machine of the server:

  start                        run this process's roles (all of them unless --roles says otherwise)
  migrate [--dry-run]          make the keyspace, tables, topics and schemas of a cluster; --print-cql prints the
                               statements for who runs them by hand; --verify tells where the engines differ
  doctor [--in-pod]            check this machine, the settings and the engines; changes nothing
  backup --to=PATH             back an installation up while it runs [--with-files]; --verify --from=PATH checks one.
                               Of a cluster: what stands in the way of a snapshot, and the steps; --to writes its mark
  restore --from=PATH          restore a backup into a missing or empty data folder, or onto an empty cluster;
                               publishing is held there
  support-bundle [--out=FILE]  write what somebody needs who is to help from afar: no secrets, no texts of tenants;
                               --log=FILE takes in the end of the server's log
  admin <procedure> ['<json>'] call an operator's procedure, e.g. admin system.status
  dev advance <15m>            move Crier's clock and fire what is due (embedded with the sandbox only)
  dev in <30m>                 print the instant that far ahead of Crier's clock

  --json                       print JSON, for scripts
  --help                       print this, with every setting
`;

const WRONG_USAGE = 2;

/** Each verb loads its own modules, so that the others do not slow it down. */
const VERBS: Readonly<Record<string, (flags: Flags) => Promise<number>>> = {
  start: async (flags) => {
    const config = readConfig(environment(), flags.settings);
    const code = await (await import('./start.ts')).start(config);
    // At once: everything has ended, or was given up. A client of an engine that came back just then may still hold a
    // connection or a timer, and would keep the process up for as long as it likes.
    process.exit(code);
  },
  migrate: async (flags) => (await import('./migrate-command.ts')).migrateCommand(flags),
  doctor: async (flags) => (await import('../doctor/doctor.ts')).doctor(flags),
  backup: async (flags) => (await import('./backup-command.ts')).backupCommand(flags),
  restore: async (flags) => (await import('./restore-command.ts')).restoreCommand(flags),
  'support-bundle': async (flags) => (await import('./support-bundle-command.ts')).supportBundleCommand(flags),
  admin: async (flags) => (await import('./admin-command.ts')).adminCommand(flags),
  dev: async (flags) => (await import('./dev-command.ts')).devCommand(flags),
};

function help(ofUsers: string): string {
  const settings = describeSettings();
  const row = (name: string, { fallback, doc }: (typeof settings)[number]): string =>
    `  ${name.padEnd(30)} ${doc}${fallback === '' ? '' : ` [${fallback}]`}\n`;
  const flags = settings
    .filter(({ secret }) => !secret)
    .map((setting) => row(`--${flagOf(setting.variable)}`, setting));
  const secrets = settings.filter(({ secret }) => secret).map((setting) => row(setting.variable, setting));
  return `${USAGE(ofUsers)}\nSettings, as flags or as variables (--data-dir is CRIER_DATA_DIR):\n\n${flags.join('')}\nSecrets, as variables only; NAME_FILE names a file that holds the one of NAME:\n\n${secrets.join('')}`;
}

async function main(args: readonly string[]): Promise<number> {
  const first = args[0] ?? '';
  if (VERBS[first] === undefined && first !== '' && !first.startsWith('-')) return mainOfUsers(args);
  // Also refuses unknown flags, and secrets as flags.
  const flags = parseFlags(args);
  const [verb] = flags.words;
  if (flags.help || verb === undefined) {
    await showHelp();
    return flags.help ? 0 : WRONG_USAGE;
  }
  const run = VERBS[verb];
  if (run === undefined) throw new ConfigError(`${first} must stand behind the verb: crier ${verb} ${first}`);
  return run({ ...flags, words: flags.words.slice(1) });
}

/** Verbs of users, help, and words that are no verb at all. An operator's verb does not wait for these modules. */
async function mainOfUsers(args: readonly string[]): Promise<number> {
  const { isVerbOfUsers, nearestVerb, runCommandLine } = await import('#clients/command-line/main.ts');
  const operators = Object.keys(VERBS);
  const isHelp = args[0] === 'help';
  const verb = isHelp ? [...args.slice(1), '--help'] : args;
  if (isVerbOfUsers(verb)) {
    const { processTerminal } = await import('#clients/command-line/process-terminal.ts');
    return runCommandLine(verb, { terminal: processTerminal(environment()), operators });
  }
  if (isHelp) return showHelp();
  const nearest = nearestVerb(args[0]!, operators);
  process.stderr.write(
    `crier: there is no verb "${args[0]}"${nearest === null ? '' : `. Did you mean crier ${nearest}?`} See crier --help\n`,
  );
  return WRONG_USAGE;
}

async function showHelp(): Promise<number> {
  const { helpForUsers } = await import('#clients/command-line/main.ts');
  process.stdout.write(help(helpForUsers()));
  return 0;
}

/** An error that an operator can mend is one line; any other is a defect and is printed with its stack. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof ConfigError) return error.problems.join('\ncrier: ');
  if (error instanceof PortError) return error.message;
  const { syscall, code, address, port } = error as NodeJS.ErrnoException & {
    readonly address?: string;
    readonly port?: number;
  };
  if (syscall === 'listen')
    return `can't listen at ${port === undefined ? address : `${address}:${port}`}: ${LISTEN_TROUBLES[code!] ?? error.message}`;
  return syscall === undefined ? (error.stack ?? error.message) : error.message;
}

const LISTEN_TROUBLES: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'another program listens there; stop it, or choose another port with CRIER_PORT, CRIER_ADMIN_PORT or CRIER_SANDBOX_PORT',
  EADDRNOTAVAIL:
    'this machine has no such address; set CRIER_HOST, CRIER_ADMIN_HOST or CRIER_SANDBOX_HOST to one that it has',
  EACCES: 'this user may not listen there; choose a port above 1023',
};

// A reader that has seen enough, such as head, stops nothing: an import would end amid its rows, a server for its first
// line.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (code !== 'EPIPE') process.exit(1);
  });
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`crier: ${describe(error)}\n`);
  // At once: a connection, timer or worker of a part that was made before the failure would keep the process up.
  process.exit(1);
}
