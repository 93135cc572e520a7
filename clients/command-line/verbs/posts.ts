import type { Post } from '#clients/typescript/client.ts';
import { chosenTime, machineZone, shownTime } from '../chosen-time.ts';
import { byOf, shownPost, statusColumn, statusesOf } from '../show-post.ts';
import { tableOf } from '../table.ts';
import { UsageError } from '../usage-error.ts';
import type { Invocation, Verb } from '../verb.ts';

const DEFAULT_LIMIT = 20;
const MAX_PAGE = 500;
const STATUSES = ['scheduled', 'publishing', 'published', 'failed', 'cancelled'];

export const POSTS: Verb = {
  name: 'posts',
  summary: 'List Posts, newest written first',
  takes: '',
  minWords: 0,
  maxWords: 0,
  flags: [
    { name: 'from', value: 'TIME', doc: 'Only Posts written, or scheduled, at or after this time' },
    { name: 'to', value: 'TIME', doc: 'Only Posts written, or scheduled, before this time' },
    {
      name: 'status',
      value: 'STATUS',
      doc: `Only Posts with a Variant that is ${STATUSES.join(', ')}`,
      completes: STATUSES,
    },
    { name: 'limit', value: 'COUNT', doc: `At most so many [${DEFAULT_LIMIT}]; 0: all` },
  ],
  notes: ['Times are written as for crier post --at.'],
  examples: [
    'crier posts',
    'crier posts --status failed --limit 5',
    'crier posts --from "today 00:00" --to "tomorrow 00:00" --json',
  ],
  run: list,
};

async function list(invocation: Invocation): Promise<number> {
  const { terminal, json } = invocation;
  const zone = machineZone();
  const limit = limitOf(invocation.value('limit'));
  const status = invocation.value('status');
  const time = (flag: string): Date | undefined => {
    const written = invocation.value(flag);
    return written === undefined ? undefined : new Date(chosenTime(written, Date.now(), zone));
  };
  const [from, to] = [time('from'), time('to')];
  const filter = { ...(from && { from }), ...(to && { to }), limit: Math.min(MAX_PAGE, status ? MAX_PAGE : limit) };
  const posts: Post[] = [];
  for await (const post of invocation.crier().posts.list(filter, { signal: terminal.interrupted })) {
    if (status !== undefined && !post.variants.some((variant) => variant.status === status)) continue;
    posts.push(post);
    if (posts.length === limit) break;
  }
  if (json) terminal.out(`${JSON.stringify(posts)}\n`);
  else if (posts.length === 0) terminal.out('No Post. crier post "Hello" --channel x makes one.\n');
  else {
    terminal.out(`${postTable(posts, invocation, zone)}\n`);
    if (posts.length === limit) terminal.say(`The newest ${limit}; --limit 0 lists all.\n`);
  }
  return 0;
}

function postTable(posts: readonly Post[], { terminal }: Invocation, zone: string): string {
  const columns = [
    { head: `AT (${zone})`, cell: ({ at }: Post) => shownTime(at, zone) },
    statusColumn(terminal, statusesOf),
    { head: 'NETWORKS', cell: ({ variants }: Post) => [...new Set(variants.map(({ network }) => network))].join(' ') },
    { head: 'TEXT', cell: ({ text }: Post) => text, flexible: true },
    { head: 'BY', cell: byOf },
    { head: 'ID', cell: ({ id }: Post) => id },
  ];
  return tableOf(posts, columns, terminal.columns);
}

function limitOf(written: string | undefined): number {
  if (written === undefined) return DEFAULT_LIMIT;
  if (!/^\d{1,7}$/.test(written)) throw new UsageError(`--limit must be a whole number, not "${written}"`);
  return written === '0' ? Number.POSITIVE_INFINITY : Number(written);
}

export const POST_GET: Verb = {
  name: 'post get',
  summary: 'Show one Post with its Variants',
  takes: 'ID',
  minWords: 1,
  maxWords: 1,
  flags: [{ name: 'attempts', doc: 'Show what was tried for each Variant, too' }],
  examples: ['crier post get 0198c1f2-...', 'crier post get 0198c1f2-... --attempts'],
  run: async (invocation) => {
    const { terminal, json, words } = invocation;
    const post = await invocation.crier().posts.get(words[0]!, { signal: terminal.interrupted });
    const attempts = invocation.has('attempts') ? await attemptsOf(post, invocation) : null;
    if (json) terminal.out(`${JSON.stringify(attempts === null ? post : { ...post, attempts })}\n`);
    else terminal.out(shownPost(post, terminal, machineZone()));
    if (!json && attempts !== null) terminal.out(attemptTable(attempts, invocation));
    return 0;
  },
};

type AttemptsByVariant = Readonly<Record<string, readonly AttemptLine[]>>;
type AttemptLine = Awaited<ReturnType<ReturnType<Invocation['crier']>['variants']['attempts']>>[number];

async function attemptsOf(post: Post, { crier, terminal }: Invocation): Promise<AttemptsByVariant> {
  const signal = terminal.interrupted;
  const lists = post.variants.map(async ({ id }) => [id, await crier().variants.attempts(id, { signal })] as const);
  return Object.fromEntries(await Promise.all(lists));
}

function attemptTable(attempts: AttemptsByVariant, { terminal }: Invocation): string {
  const zone = machineZone();
  const rows = Object.entries(attempts).flatMap(([variant, lines]) => lines.map((line) => ({ variant, ...line })));
  if (rows.length === 0) return '\nNothing was tried yet.\n';
  const columns = [
    { head: 'VARIANT', cell: (row: (typeof rows)[number]) => row.variant },
    { head: '#', cell: ({ attempt }: AttemptLine) => String(attempt) },
    { head: 'STEP', cell: ({ step }: AttemptLine) => step },
    { head: 'OUTCOME', cell: ({ outcome }: AttemptLine) => outcome },
    { head: 'AT', cell: ({ startedAt }: AttemptLine) => shownTime(startedAt, zone) },
    { head: 'DETAIL', cell: ({ detail }: AttemptLine) => detail ?? '', flexible: true },
  ];
  return `\n${tableOf(rows, columns, terminal.columns)}\n`;
}

export const CANCEL: Verb = {
  name: 'cancel',
  summary: 'Cancel what is still scheduled of a Post',
  takes: 'ID',
  minWords: 1,
  maxWords: 1,
  flags: [],
  examples: ['crier cancel 0198c1f2-...'],
  run: async ({ crier, terminal, json, words }) => {
    const post = await crier().posts.cancel(words[0]!, { signal: terminal.interrupted });
    terminal.out(json ? `${JSON.stringify(post)}\n` : shownPost(post, terminal, machineZone()));
    return 0;
  },
};

export const RETRY: Verb = {
  name: 'retry',
  summary: 'Queue a failed Variant again',
  takes: 'VARIANT',
  minWords: 1,
  maxWords: 1,
  flags: [],
  notes: [
    'The ids of Variants are in crier post get ID. A Variant whose outcome is unknown is looked for at its Network first.',
  ],
  examples: ['crier retry 0198c1f2-...'],
  run: async ({ crier, terminal, json, words }) => {
    const variant = await crier().variants.retry(words[0]!, { signal: terminal.interrupted });
    terminal.out(
      json ? `${JSON.stringify(variant)}\n` : `${variant.network}: ${variant.status}, it is tried again now.\n`,
    );
    return 0;
  },
};
