import type { TraceLine } from './witness.ts';

const LEFT = 130;
const TOP = 70;
const ROW = 84;
const COLUMN = 96;
const MAX_LABEL = 34;
/** Processes in the order of the way of a Post. */
const ORDER = ['nemesis', 'client', 'ingress', 'workspace', 'scheduler', 'publisher', 'webhooks', 'media', 'network'];

/**
 * What happened, as an SVG: one line for each process over all its lives, and each event at its instant. Instants stand
 * side by side however long the time between them was; their times are written above.
 */
export function pictureOf(title: string, lines: readonly TraceLine[]): string {
  const rows = [...new Set(lines.map(slotOf))].toSorted(byOrder);
  const instants = [...new Set(lines.map(({ at }) => at))];
  const x = (at: number): number => LEFT + (instants.indexOf(at) + 0.5) * COLUMN;
  const y = (slot: string): number => TOP + (rows.indexOf(slot) + 0.5) * ROW;
  const width = LEFT + instants.length * COLUMN + 140;
  const height = TOP + rows.length * ROW + 20;
  const parts = [
    `<text x="10" y="20" font-weight="bold">${escaped(title)}</text>`,
    ...instants.map(
      (at) =>
        `<line x1="${x(at)}" y1="${TOP - 8}" x2="${x(at)}" y2="${height - 20}" stroke="#eee"/>` +
        `<text x="${x(at)}" y="${TOP - 12}" text-anchor="middle" fill="#666">${timeOf(at)}</text>`,
    ),
    ...rows.map(
      (slot) =>
        `<text x="${LEFT - 10}" y="${y(slot) + 4}" text-anchor="end">${escaped(slot)}</text>` +
        `<line x1="${LEFT}" y1="${y(slot)}" x2="${width - 10}" y2="${y(slot)}" stroke="#999"/>`,
    ),
    ...lines.map((line, index) => eventOf(line, { x: x(line.at), y: y(slotOf(line)), isAbove: index % 2 === 0 })),
  ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif" font-size="11">`,
    '<rect width="100%" height="100%" fill="white"/>',
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

function eventOf(
  { at, who, what }: TraceLine,
  place: { readonly x: number; readonly y: number; readonly isAbove: boolean },
): string {
  const colour = /crash|pause|away|leaps|lost|kill|sandbox:/.test(what) ? '#c0392b' : '#2c5aa0';
  const label = what
    .replace(/[{[].*$/s, '')
    .trim()
    .slice(0, MAX_LABEL);
  const [dy, turn] = place.isAbove ? [-9, -18] : [18, 18];
  return (
    `<g><circle cx="${place.x}" cy="${place.y}" r="4" fill="${colour}"/>` +
    `<text x="${place.x}" y="${place.y + dy}" fill="${colour}" font-size="9" ` +
    `transform="rotate(${turn} ${place.x} ${place.y + dy})">${escaped(label)}</text>` +
    `<title>${escaped(`${timeOf(at)} ${who} ${what}`.slice(0, 900))}</title></g>`
  );
}

/** A process over all its lives, `publisher-1` of `publisher-1.3`, also where the nemesis did something to it. */
function slotOf({ who, what }: TraceLine): string {
  const victim = who === 'nemesis' ? /\b([a-z]+-\d+)\.\d+/.exec(what)?.[1] : undefined;
  return victim ?? who.split('.')[0]!;
}

function byOrder(one: string, other: string): number {
  const rank = (slot: string): number => ORDER.indexOf(slot.split('-')[0]!);
  return rank(one) - rank(other) || one.localeCompare(other);
}

function timeOf(at: number): string {
  return new Date(at).toISOString().slice(11, 23);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
