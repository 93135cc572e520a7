/** A value as text for a person: a list of objects as columns, an object as names and values, others as they are. */
export function table(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? '(none)' : columns(value);
  if (value !== null && typeof value === 'object') return pairs(value as Record<string, unknown>);
  return cell(value);
}

function pairs(record: Record<string, unknown>): string {
  const entries = Object.entries(record);
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries
    .map(([name, value]) =>
      isNested(value) ? `${name}\n${indented(table(value))}` : `${name.padEnd(width)}  ${cell(value)}`,
    )
    .join('\n');
}

function columns(rows: readonly unknown[]): string {
  if (!rows.every((row) => row !== null && typeof row === 'object' && !Array.isArray(row)))
    return rows.map(cell).join('\n');
  const names = [...new Set(rows.flatMap((row) => Object.keys(row as object)))];
  const lines = [names, ...rows.map((row) => names.map((name) => cell((row as Record<string, unknown>)[name])))];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) =>
      line
        .map((text, column) => text.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function isNested(value: unknown): boolean {
  return (
    value !== null &&
    typeof value === 'object' &&
    (!Array.isArray(value) || value.some((item) => typeof item === 'object'))
  );
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function indented(text: string): string {
  return text.replace(/^/gm, '  ');
}
