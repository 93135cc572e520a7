import { CRASHES, type End } from './fault-matrix.fixture.ts';

/** How a kind of publication ended under a fault, by crash in the order of CRASHES. */
export interface MatrixRow {
  readonly kind: string;
  readonly fault: string;
  readonly ends: readonly End[];
  /** How many items were live in the end, likewise. */
  readonly live: readonly number[];
}

const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;

/** A row for every kind and fault. */
export function matrixTable(rows: readonly MatrixRow[]): string {
  const head = [line(['Publication', 'Fault', ...CRASHES]), line(['---', '---', ...CRASHES.map(() => '---')])];
  return [...head, ...rows.map(({ kind, fault, ends }) => line([kind, fault, ...ends]))].join('\n');
}

/** Counts by kind, a line each. */
export function matrixSummary(rows: readonly MatrixRow[]): string {
  const kinds = [...Map.groupBy(rows, ({ kind }) => kind)].map(([kind, own]) => {
    const ends = own.flatMap((row) => row.ends);
    const count = (begins: string) => ends.filter((end) => end.startsWith(begins)).length;
    const twice = own.flatMap(({ live }) => live).filter((items) => items > 1).length;
    return `- ${kind}: ${ends.length} cells, ${count('published')} published, ${count('failed')} failed, ${count('unconfirmed')} unconfirmed, ${twice} live twice`;
  });
  return kinds.join('\n');
}

/** docs/fault-matrix.md */
export function matrixPage(rows: readonly MatrixRow[]): string {
  return `# The fault matrix

This page is written by \`services/publisher/publish/fault-matrix.test.ts\` and held to what comes of it. Every kind of publication meets every fault
that its Network can have (by default at the irreversible call), and a worker that dies right before it sends, right after the answer came, or
right after the answer was kept; a successor that knows the ledger only goes on. In no cell is anything live twice: what is \`published\` is
live once, with its text and its very files, what \`failed\` is not live, and \`unconfirmed\` appears only where
\`services/publisher/publish/fault-matrix.fixture.ts\` said before the run that it may, for first comments
\`services/publisher/publish/comment-matrix.fixture.ts\`. Rows of a first comment say what became of the comment on a Variant that is live: there,
once, with its text, or not there. One of unknown outcome is shown to Members as failed, with the words that it may be there. \`delay\` holds the
call up for longer than our time-out, and the Network acts on it all the same.

${matrixTable(rows)}
`;
}
