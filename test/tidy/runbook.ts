import type { Rule } from './tree.ts';

/** A command of a page, as it stands in a fenced block of `sh`. */
export interface PageCommand {
  readonly heading: string;
  readonly command: string;
  /** What the page says of its end. */
  readonly note: string;
}

/** Every command of the page, in order. */
export function commandsOf(page: string): readonly PageCommand[] {
  return sectionsOf(page).flatMap(({ heading, text }) =>
    [...text.matchAll(/^```sh\n(.*?)^```$/gms)]
      .flatMap(([, block = '']) => block.split('\n'))
      .map((line) => /^(.*?)(?:\s+#\s+(.*))?$/.exec(line)!)
      .map(([, command = '', note = '']) => ({ heading, command: command.trim(), note }))
      .filter(({ command }) => command !== ''),
  );
}

function sectionsOf(page: string): readonly { readonly heading: string; readonly text: string }[] {
  const [, ...sections] = page.split(/^## /m);
  return sections.map((section) => {
    const [heading = '', ...lines] = section.split('\n');
    return { heading, text: lines.join('\n') };
  });
}

const PAGE = 'docs/runbook.md';
const KINDS = ['page', 'ticket', 'task', 'about'];

export const RUNBOOK: Rule = {
  name: 'every heading of the runbook is in its index, and has commands',
  why: 'who is paged looks at the table, opens the heading and types what stands there',
  find: (tree) => {
    const page = tree.get(PAGE);
    if (page === undefined) return [];
    const index = new Map(
      [...page.matchAll(/^\| \[(.+?)\]\(#.+?\) \| (\w+) \| .+ \|$/gm)].map(([, heading, kind]) => [heading!, kind!]),
    );
    const withCommands = new Set(commandsOf(page).map(({ heading }) => heading));
    const headings = sectionsOf(page).map(({ heading }) => heading);
    return [
      ...headings
        .filter((heading) => !index.has(heading))
        .map((heading) => `${PAGE}: "${heading}" is not in the table at the top`),
      ...headings
        .filter((heading) => index.get(heading) !== 'about' && !withCommands.has(heading))
        .map((heading) => `${PAGE}: "${heading}" has no command in a block of sh`),
      ...[...index].flatMap(([heading, kind]) => [
        ...(headings.includes(heading) ? [] : [`${PAGE}: there is no heading "${heading}"`]),
        ...(KINDS.includes(kind) ? [] : [`${PAGE}: "${heading}" is a ${kind}; there are ${KINDS.join(', ')}`]),
      ]),
    ];
  },
};
