import type { Post, Variant } from '#clients/typescript/client.ts';
import { shownTime } from './chosen-time.ts';
import { pairsOf, tableOf, type TextColumn } from './table.ts';
import { coloured, type Colour, type Terminal } from './terminal.ts';

const COLOURS: Readonly<Record<string, Colour>> = {
  scheduled: 'blue',
  publishing: 'yellow',
  published: 'green',
  failed: 'red',
  cancelled: 'dim',
};

/** A status in its colour; its words say the same without. */
export function statusColumn<T>(terminal: Terminal, of: (row: T) => string): TextColumn<T> {
  return {
    head: 'STATUS',
    cell: of,
    paint: (text, row) => coloured(terminal, COLOURS[of(row).split(',')[0]!.replace(/^\d+ /, '')] ?? 'bold', text),
  };
}

/** One Post for a person: what it says, and a line for each Variant. */
export function shownPost(post: Post, terminal: Terminal, zone: string): string {
  const pairs: (readonly [string, string])[] = [
    ['id', post.id],
    ['text', post.text.trim() === '' ? '(none)' : post.text.replace(/\n/g, '\n      ')],
    ['at', `${shownTime(post.at, zone)} ${zone}`],
    ['by', byOf(post)],
    ...(post.media.length === 0 ? [] : [['files', post.media.map(({ kind }) => kind).join(', ')] as const]),
  ];
  return `${pairsOf(pairs)}\n\n${variantTable(post.variants, terminal, zone)}\n`;
}

/** Who or what made a Post. */
export function byOf({ via }: Post): string {
  if (via === null) return 'the app';
  return via.by === null ? via.name : `${via.name} (${via.by})`;
}

function variantTable(variants: readonly Variant[], terminal: Terminal, zone: string): string {
  const columns: TextColumn<Variant>[] = [
    { head: 'VARIANT', cell: ({ id }) => id },
    { head: 'NETWORK', cell: ({ network, placement }) => (placement === 'feed' ? network : `${network} ${placement}`) },
    { head: 'CHANNEL', cell: ({ channelName }) => channelName },
    statusColumn(terminal, ({ status }) => status),
    { head: 'AT', cell: ({ scheduledAt }) => (scheduledAt === null ? 'now' : shownTime(scheduledAt, zone)) },
  ];
  const outcomes = variants.flatMap(({ network, permalink, failureReason, failureDetail, firstComment }) => [
    ...(permalink === null ? [] : [`${network}: ${permalink}`]),
    ...(failureReason === null
      ? []
      : [`${network}: ${failureReason}${failureDetail === null ? '' : `: ${failureDetail}`}`]),
    ...(firstComment === null
      ? []
      : [`${network}: first comment ${firstComment.status} ${firstComment.detail ?? ''}`.trim()]),
  ]);
  const lines = outcomes.map((line) => pairsOf([['', line]]).trim());
  return [tableOf(variants, columns, terminal.columns), ...(lines.length === 0 ? [] : ['', ...lines])].join('\n');
}

/** `3 published, 1 failed`, or one word where all are alike. */
export function statusesOf({ variants }: Post): string {
  const counts = [...Map.groupBy(variants, ({ status }) => status)].map(([status, of]) => [status, of.length] as const);
  if (counts.length === 1) return counts[0]![0];
  return counts.map(([status, count]) => `${count} ${status}`).join(', ');
}
