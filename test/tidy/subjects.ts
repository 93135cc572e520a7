const MAX_COLUMNS = 72;
const TYPED = /^(feat|fix|refactor|docs|test|style|perf|build|ci|chore|revert)(\([a-z0-9-]+\))?: \S/;
const MACHINE = /(^|\s)\/\w+\//;

/** What is wrong with the subject of a commit, a sentence each. */
export function problemsOf(subject: string): readonly string[] {
  return [
    ...(subject.length > MAX_COLUMNS ? [`"${subject}" has ${subject.length} columns; ${MAX_COLUMNS} fit`] : []),
    ...(TYPED.test(subject) ? [] : [`"${subject}" does not begin as "type(scope): "`]),
    ...(MACHINE.test(subject) ? [`"${subject}" names a folder of a machine`] : []),
  ];
}
