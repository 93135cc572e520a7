import { tableOf } from '../table.ts';
import { coloured } from '../terminal.ts';
import type { Verb } from '../verb.ts';

export const CHANNELS: Verb = {
  name: 'channels',
  summary: 'List the Channels that you can post to',
  takes: '',
  minWords: 0,
  maxWords: 0,
  flags: [],
  examples: ['crier channels', 'crier channels --json'],
  run: async ({ crier, terminal, json }) => {
    const channels = await crier().channels.list({ signal: terminal.interrupted });
    if (json) terminal.out(`${JSON.stringify(channels)}\n`);
    else if (channels.length === 0) terminal.out('No Channel yet. Connect one in the app, on its page Channels.\n');
    else
      terminal.out(
        `${tableOf(
          channels,
          [
            { head: 'CHANNEL', cell: ({ name }) => name, flexible: true },
            { head: 'NETWORK', cell: ({ network }) => network },
            {
              head: 'STATE',
              cell: ({ state }) => state.replaceAll('_', ' '),
              paint: (text, { state }) => coloured(terminal, state === 'connected' ? 'green' : 'red', text),
            },
            { head: 'ID', cell: ({ id }) => id },
          ],
          terminal.columns,
        )}\n`,
      );
    return 0;
  },
};
