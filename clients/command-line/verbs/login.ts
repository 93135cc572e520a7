import { createCrier } from '#clients/typescript/client.ts';
import { credentialsPath, forgetKey, saveKey } from '../credentials.ts';
import { CommandRefusal, UsageError } from '../usage-error.ts';
import type { Invocation, Verb } from '../verb.ts';

export const LOGIN: Verb = {
  name: 'login',
  summary: 'Remember where Crier is and your API key, after trying them',
  takes: '',
  minWords: 0,
  maxWords: 0,
  flags: [
    { name: 'url', value: 'URL', doc: 'Where Crier is, such as https://crier.example.com' },
    { name: 'key', value: 'KEY', doc: 'An API key; left out, it is asked for, or read from standard input' },
  ],
  notes: [
    'The key is kept in $XDG_CONFIG_HOME/crier/credentials.json, or ~/.config/crier/credentials.json, for you alone (mode 0600). A key written as a flag shows in the list of processes while the command runs.',
    'CRIER_URL and CRIER_KEY in the environment win over what is kept; a key that is kept goes to no other CRIER_URL.',
  ],
  examples: [
    'crier login --url https://crier.example.com --key crier_...',
    'crier login --url https://crier.example.com --profile client-a < key.txt',
  ],
  run: login,
};

async function login(invocation: Invocation): Promise<number> {
  const { terminal, profile, json } = invocation;
  const url = invocation.value('url') || terminal.environment['CRIER_URL'] || (await terminal.ask('Where is Crier? '));
  if (!url) throw new UsageError('--url is missing: the address of your Crier, such as https://crier.example.com');
  const key = (invocation.value('key') ?? (await keyOf(invocation)))?.trim();
  if (!key) throw new UsageError('--key is missing: an API key, which the app makes on its page Keys');
  if (!/^https?:\/\//.test(url)) throw new UsageError(`--url must begin with https:// or http://, not ${url}`);
  const channels = await createCrier({ url, key, maxRetries: 1 }).channels.list({ signal: terminal.interrupted });
  saveKey(terminal, profile, { url: url.replace(/\/+$/, ''), key });
  if (json) terminal.out(`${JSON.stringify({ profile, url, channels: channels.length })}\n`);
  else
    terminal.out(
      `Signed in at ${url}${profile === 'default' ? '' : ` as the profile ${profile}`}. ${channelWords(channels.length)}\n`,
    );
  return 0;
}

async function keyOf({ terminal }: Invocation): Promise<string | null> {
  return (await terminal.ask('API key (it is not shown): ', { secret: true })) ?? terminal.input();
}

function channelWords(count: number): string {
  if (count === 0) return 'The Workspace has no Channel yet: connect one in the app.';
  return `The Workspace has ${count} Channel${count === 1 ? '' : 's'}: crier channels lists them.`;
}

export const LOGOUT: Verb = {
  name: 'logout',
  summary: 'Forget the key of this installation',
  takes: '',
  minWords: 0,
  maxWords: 0,
  flags: [],
  notes: ['The key itself stays good. Revoke it in the app, on its page Keys, when others may have seen it.'],
  examples: ['crier logout', 'crier logout --profile client-a'],
  run: async ({ terminal, profile }) => {
    if (!forgetKey(terminal, profile))
      throw new CommandRefusal(`there is no profile "${profile}" in ${credentialsPath(terminal)}`);
    terminal.out(profile === 'default' ? 'Signed out.\n' : `Signed out of the profile ${profile}.\n`);
    return 0;
  },
};
