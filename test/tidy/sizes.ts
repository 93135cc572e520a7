import { isForTests, sources, type Rule } from './tree.ts';

const MAX_LINES = 500;
const MAX_TEST_LINES = 800;
const MAX_FUNCTION_LINES = 70;
const MAX_TEST_FUNCTION_LINES = 160;
const MAX_COLUMNS = 120;

export const FILE_SIZES: Rule = {
  name: `files have at most ${MAX_LINES} lines, tests ${MAX_TEST_LINES}`,
  why: 'a file is one idea; one that needs more is two',
  find: (tree) =>
    sources(tree).flatMap(([path, text]) => {
      const lines = text.split('\n').length - 1;
      return lines > (isForTests(path) ? MAX_TEST_LINES : MAX_LINES) ? [`${path}: ${lines} lines`] : [];
    }),
};

export const FUNCTION_SIZES: Rule = {
  name: `functions have at most ${MAX_FUNCTION_LINES} lines, in tests ${MAX_TEST_FUNCTION_LINES}`,
  why: 'what does not fit a screen is not understood at a glance; a test builds a small world at times, and describe only holds tests',
  find: (tree) =>
    sources(tree).flatMap(([path, text]) =>
      functionsOf(text)
        .filter(
          (one) => one.lines > (isForTests(path) ? MAX_TEST_FUNCTION_LINES : MAX_FUNCTION_LINES) && !one.holdsTests,
        )
        .map((one) => `${path}:${one.line}: ${one.lines} lines`),
    ),
};

export const LINE_WIDTHS: Rule = {
  name: `lines have at most ${MAX_COLUMNS} columns`,
  why: 'code is read side by side; the text of a message, an address and a pattern are one piece and not counted',
  find: (tree) =>
    sources(tree).flatMap(([path, text]) => {
      const templates = linesInTemplates(text);
      return text
        .split('\n')
        .flatMap((line, index) =>
          columnsOf(line) > MAX_COLUMNS && !templates.has(index)
            ? [`${path}:${index + 1}: ${line.length} columns`]
            : [],
        );
    }),
};

const LITERAL =
  /'(?:[^'\\]|\\.)*'|`[^`]*`|"(?:[^"\\]|\\.)*"|\/(?![*/ ])(?:[^/\\[]|\\.|\[(?:[^\]\\]|\\.)*\])+\/[dgimsuvy]*/g;
const MIN_LITERAL_COLUMNS = 30;

function columnsOf(line: string): number {
  if (line.length <= MAX_COLUMNS) return line.length;
  return line.replace(LITERAL, (literal) => (literal.length >= MIN_LITERAL_COLUMNS ? "''" : literal)).length;
}

/** Indexes of lines that begin or end inside a template of several lines: statements of SQL, pages, scripts. */
function linesInTemplates(text: string): ReadonlySet<number> {
  const inside = new Set<number>();
  let isOpen = false;
  for (const [index, line] of text.split('\n').entries()) {
    const ticks = /^\s*(\*|\/\/|\/\*\*)/.test(line) && !isOpen ? 0 : [...line.matchAll(/(?<!\\)`/g)].length;
    if (isOpen || ticks % 2 === 1) inside.add(index);
    if (ticks % 2 === 1) isOpen = !isOpen;
  }
  return inside;
}

interface FunctionSpan {
  readonly line: number;
  readonly lines: number;
  readonly holdsTests: boolean;
}

/**
 * A line that opens a function's body: `function f() {`, `x = () => {`, `method(): T {`, or the `): T {` of a long
 * signature.
 */
const OPENS =
  /(\bfunction\b.*|=> |^\s*(?:(?:public|private|async|static|get|set|override|export|default) )*[#*\w]+(?:<.*>)?\(.*\).*|^\s*\).*)\{$/;
const NOT_A_FUNCTION = /^\s*(\} ?)?(if|for|while|switch|else|try|catch|finally|do|with|return \w+\.map)\b(?!.*=> \{$)/;

/** By indentation: a body ends at the first line as far left as the one that opened it. */
function functionsOf(text: string): FunctionSpan[] {
  const lines = text.split('\n');
  return lines.flatMap((line, index): FunctionSpan[] => {
    if (!OPENS.test(line) || NOT_A_FUNCTION.test(line)) return [];
    const indent = line.search(/\S/);
    const length = lines.slice(index + 1).findIndex((later) => later.trim() !== '' && later.search(/\S/) <= indent);
    const body = lines.slice(index + 1, index + 1 + length);
    const holdsTests =
      /\bdescribe(\.\w+)*\(/.test(line) || body.some((inner) => /^\s*(describe|it|test)(\.\w+)*\(/.test(inner));
    return [{ line: index + 1, lines: length + 2, holdsTests }];
  });
}
