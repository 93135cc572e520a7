import { helpOf } from './help.ts';
import { VERBS } from './verbs.ts';

/** The text of docs/command-line.md, made of the help of every verb. */
export function commandLinePage(): string {
  const sections = VERBS.map((verb) => `## crier ${verb.name}\n\n${indented(helpOf(verb))}\n`);
  return `${HEAD}\n${sections.join('\n')}`;
}

const HEAD = `# The command line

Written from the help of the verbs by \`npm run docs\`. All of these need an API key, which the app makes on its page Keys, and the address of your Crier;
verbs for operators are listed by \`crier help\`.

    bin/crier login --url http://127.0.0.1:8080 --key crier_...
    bin/crier post "Hello" --channel x --wait
    bin/crier import examples/import.csv

Results go to stdout: tables for people, JSON with \`--json\`. Everything else, such as progress and errors, goes to stderr.

| Exit code | |
|---|---|
| 0 | Done |
| 1 | Refused, or it can't be done; the words on stderr say why, and with \`--json\` so does an object \`error\` |
| 2 | The command is written wrongly; the words say how to write it |
| 130 | Ctrl-C; the words say what was done |

Times are ISO 8601 with a zone, or \`2026-12-01 09:00\`, \`2026-12-01 09:00 Europe/Berlin\`, \`tomorrow 09:00\`, \`+2h\`. A time without a zone is in the zone of
this machine. On the two nights a year on which clocks are changed, a time that is not there, or is there twice, is refused with both instants to choose from.

Channels are named by their name, by their Network where only one Channel is on it, by \`network:name\`, or by their id. NO_COLOR switches colours off.
Completion of verbs, flags and Channels: \`source <(crier completion bash)\`.
`;

function indented(text: string): string {
  return text.trimEnd().replace(/^(?=.)/gm, '    ');
}
