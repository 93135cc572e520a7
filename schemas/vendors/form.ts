/**
 * The form in which what a Network's vendor documents of its API is kept here: schemas/vendors/<name>.json, and beside
 * it what the vendor has in prose only, in `<name>.by-hand.json`. Entries of both files that share a name are one.
 */
export interface VendorFacts {
  readonly network: string;
  readonly sources: Readonly<Record<string, VendorSource>>;
  /** `anywhere`: the vendor takes parameters from the address, a form, a multipart body and JSON alike. */
  readonly parametersIn: 'query' | 'anywhere';
  /** Parameters that every endpoint takes. */
  readonly common: Readonly<Record<string, VendorField>>;
  readonly endpoints: readonly VendorEndpoint[];
  readonly types: Readonly<Record<string, VendorField>>;
}

/** Where facts were read. */
export interface VendorSource {
  readonly address: string;
  /** The vendor's own version, or the commit of its file; '' where the page has none. */
  readonly version: string;
  /** Of that version, or the day on which a page was read: `2026-08-22`. */
  readonly date: string;
}

export interface VendorEndpoint {
  /** Names one endpoint in both files of a Network. */
  readonly name: string;
  /** A key of `sources`. */
  readonly source: string;
  readonly method: string;
  /** Parts in braces stand for anything, `upload:{id}` for what begins so. */
  readonly path: string;
  /** The whole address comes with an answer of the vendor's, which is why it may have any parameters. */
  readonly isAddressGiven?: boolean;
  readonly parameters?: Readonly<Record<string, VendorField>>;
  /** Named here: headers of its own, which it alone takes. */
  readonly headers?: Readonly<Record<string, VendorField>>;
  /** By content type; `bytes` is any. Absent: the parameters alone may be in a body, where they may be anywhere. */
  readonly bodies?: Readonly<Record<string, VendorField>>;
  readonly isBodyRequired?: boolean;
  /** The type whose fields the parameter `fields` selects. */
  readonly reads?: string;
}

/** One value. With `ref`: a type of the same file; one that is not there was left out, and anything will do. */
export interface VendorField {
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'list' | 'object' | 'file' | 'any';
  readonly ref?: string;
  readonly required?: boolean;
  readonly values?: readonly string[];
  readonly pattern?: string;
  /** Of a text, in code points. */
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly items?: VendorField;
  readonly fields?: Readonly<Record<string, VendorField>>;
  /** A list of objects at an address of its own, which can be read as a field. */
  readonly isEdge?: boolean;
}

/** Facts as the text of a file: one line for each field, so that a new version of a vendor's file reads as a diff. */
export function textOfFacts(facts: VendorFacts): string {
  return `${printed(facts, 0, '')}\n`;
}

const MAX_COLUMNS = 120;

function printed(value: unknown, depth: number, key: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inline = isFlat(value) ? onOneLine(value) : null;
  if (inline !== null && depth * 2 + key.length + inline.length + 5 <= MAX_COLUMNS) return inline;
  const margin = '  '.repeat(depth + 1);
  const end = `\n${'  '.repeat(depth)}`;
  if (Array.isArray(value))
    return value.length === 0
      ? '[]'
      : `[\n${value.map((each) => margin + printed(each, depth + 1, '')).join(',\n')}${end}]`;
  const entries = Object.entries(value);
  if (entries.length === 0) return '{}';
  const lines = entries.map(([name, each]) => `${margin}${JSON.stringify(name)}: ${printed(each, depth + 1, name)}`);
  return `{\n${lines.join(',\n')}${end}}`;
}

function isFlat(value: object): boolean {
  return Object.values(value).every(
    (each) => typeof each !== 'object' || each === null || (Array.isArray(each) && each.every(isPrimitive)),
  );
}

function isPrimitive(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function onOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${onOneLine(each)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}
