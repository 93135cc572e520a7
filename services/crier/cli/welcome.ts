import type { Network } from '#domain/network.ts';

export interface DemoFacts {
  readonly workspaceId: string;
  readonly memberId: string;
  readonly email: string;
  /** Signs in as the owner of the demo Workspace, once. Null where no app runs in this process. */
  readonly signInUrl: string | null;
  readonly apiKey: string;
  readonly channels: Readonly<Partial<Record<Network, string>>>;
}

/** What CRIER_READY_FILE holds. */
export interface ReadyFacts {
  readonly baseUrl: string | null;
  readonly adminUrl: string;
  readonly sandboxUrl: string | null;
  readonly adminToken: string;
  readonly demo: DemoFacts | null;
}

/** Networks that the example commands publish to: their Posts have no files. */
const TEXT_NETWORKS: readonly Network[] = ['x', 'threads'];

/** The command line of a verb, as a person types it for the installation that runs. */
export type CommandLine = (verb: string) => string;

export interface WelcomeOptions {
  /** One sentence: where the data is. */
  readonly location: string;
  /** Why videos are refused; null: they are taken. */
  readonly videosOff: string | null;
  /** Why nobody can sign in; null: people can. */
  readonly mailOff: string | null;
  /** Seconds between the Posts of the canary; null: it is off. */
  readonly canaryEverySeconds: number | null;
  readonly commandLine: CommandLine;
}

/** The text that a person sees when every role is ready, with the next commands to type. */
export function welcome(
  ready: ReadyFacts,
  { location, videosOff, mailOff, canaryEverySeconds, commandLine }: WelcomeOptions,
): string {
  const lines = ['', `Crier is ready. ${location}`, '', ...appLink(ready.demo)];
  if (ready.baseUrl !== null) lines.push(`  API        ${ready.baseUrl}    reference: ${ready.baseUrl}/developers`);
  if (ready.sandboxUrl !== null)
    lines.push(`  Networks   ${ready.sandboxUrl}    sandbox: shows what is live, and mail at /mail`);
  lines.push(`  Operators  ${ready.adminUrl}    /health/ready, /metrics, crier admin`, '');
  if (videosOff !== null) lines.push(`  ${videosOff} Pictures and text are published.`, '');
  if (mailOff !== null) lines.push(`  ${mailOff}.`, '');
  if (canaryEverySeconds !== null)
    lines.push(
      `  The canary makes a Post each ${canaryEverySeconds} s: crier_canary_last_success_timestamp_seconds says how far they come.`,
      '',
    );
  if (ready.demo !== null && ready.baseUrl !== null)
    lines.push(
      ...firstSteps(ready.baseUrl, ready.demo, commandLine),
      ...webhookSteps(ready.baseUrl, ready.demo, ready.sandboxUrl),
    );
  return lines.join('\n');
}

/** First of all: who only looks needs nothing else. */
function appLink(demo: DemoFacts | null): string[] {
  if (demo === null || demo.signInUrl === null) return [];
  return [
    `  Open the app, signed in as ${demo.email} (the link works once, within a day):`,
    `    ${demo.signInUrl}`,
    '',
  ];
}

function firstSteps(baseUrl: string, demo: DemoFacts, commandLine: CommandLine): string[] {
  const channelIds = TEXT_NETWORKS.flatMap((network) => demo.channels[network] ?? []);
  const post = (body: object): string =>
    `    curl -s ${baseUrl}/api/posts -H 'Authorization: Bearer ${demo.apiKey}' -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
  return [
    `  The demo Workspace has a Channel on each of ${Object.keys(demo.channels).join(', ')}, and this API key: ${demo.apiKey}`,
    '',
    '  Publish a Post now:',
    post({ text: 'Hello from Crier', channelIds }),
    '',
    '  See what became of it:',
    `    curl -s '${baseUrl}/api/posts?limit=1' -H 'Authorization: Bearer ${demo.apiKey}'`,
    '',
    '  Or by the command line, which crier --help and docs/command-line.md tell of:',
    `    bin/crier login --url ${baseUrl} --key ${demo.apiKey}`,
    '    bin/crier post "Hello from the command line" --channel x --wait',
    '',
    '  Schedule one for half an hour from now, then let that half hour pass:',
    post({ text: 'Right on time', channelIds, scheduledAt: 'IN_30_MINUTES' }).replace(
      '"IN_30_MINUTES"',
      `"'$(${commandLine('dev in 30m')})'"`,
    ),
    `    ${commandLine('dev advance 30m')}`,
    '',
  ];
}

/** The sandbox has inboxes, so that webhooks can be seen without a server that receives them. */
function webhookSteps(baseUrl: string, { apiKey }: DemoFacts, sandboxUrl: string | null): string[] {
  if (sandboxUrl === null) return [];
  const endpoint = JSON.stringify({
    url: 'https://inbox.sandbox/first',
    events: ['variant.published', 'variant.failed'],
  });
  return [
    `  Get a webhook for every Variant that is published or fails: events from then on show at ${sandboxUrl}/inbox/first`,
    `    curl -s ${baseUrl}/api/webhooks -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' -d '${endpoint}'`,
    '',
  ];
}
