/** A JSON Schema, as far as the OpenAPI document uses it. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
}

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/**
 * The text of `api.ts`, before it is formatted: a type for each schema of the OpenAPI document, and the table of its
 * operations. What a client sends is closed; the words of answers are open, since later releases may add some.
 */
export function apiSource(document: unknown): string {
  const { components, paths } = document as OpenApiDocument;
  const types = Object.entries(components.schemas).map(([name, schema]) =>
    declaration(name === 'Error' ? 'ErrorAnswer' : name, schema),
  );
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { operationId }]) => `  '${operationId}': { method: '${method.toUpperCase()}', path: '${path}' },\n`,
    ),
  );
  return [
    '// Written by write-api.ts from the OpenAPI document. Change that, and run `npm run docs`.\n',
    '/** A word that a later release may add. */\ntype OtherWord = string & {};\n',
    ...types,
    `/** Method and path of each operation. */\nexport const OPERATIONS = {\n${operations.join('')}} as const;\n`,
  ].join('\n');
}

function declaration(name: string, schema: Schema): string {
  const doc = comment(schema.description, '');
  return schema.properties === undefined
    ? `${doc}export type ${name} = ${typeOf(schema, false, '')};\n`
    : `${doc}export interface ${name} ${objectOf(schema, '')}\n`;
}

/** `closed`: only these words may be sent. */
function typeOf(schema: Schema, closed: boolean, indent: string): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1)!;
  if (schema.anyOf !== undefined) return schema.anyOf.map((each) => typeOf(each, closed, indent)).join(' | ');
  if (schema.enum !== undefined) {
    const words = schema.enum.map((word) => `'${word}'`).join(' | ');
    return closed ? words : `${words} | OtherWord`;
  }
  if (Array.isArray(schema.type))
    return schema.type.map((type) => typeOf({ ...schema, type }, closed, indent)).join(' | ');
  return typeOfKind(schema, closed, indent);
}

function typeOfKind(schema: Schema, closed: boolean, indent: string): string {
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'array': {
      const item = typeOf(schema.items!, closed, indent);
      return item.includes('|') ? `readonly (${item})[]` : `readonly ${item}[]`;
    }
    case 'object':
      return objectOf(schema, indent);
    default:
      return String(schema.type);
  }
}

function objectOf(schema: Schema, indent: string): string {
  const { properties = {}, required = [], additionalProperties } = schema;
  const names = Object.entries(properties);
  if (names.length === 0) {
    const isMap = typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0;
    return `Readonly<Record<string, ${isMap ? typeOf(additionalProperties, true, indent) : 'unknown'}>>`;
  }
  const inner = `${indent}  `;
  const fields = names.map(([name, field]) => {
    const optional = required.includes(name) ? '' : '?';
    const type = typeOf(field, additionalProperties === false, inner);
    return `${comment(field.description, inner)}${inner}readonly ${name}${optional}: ${type};\n`;
  });
  return `{\n${fields.join('')}${indent}}`;
}

const COLUMNS = 110;

function comment(text: string | undefined, indent: string): string {
  if (text === undefined) return '';
  const lines: string[] = [''];
  for (const word of text.replaceAll('*/', '* /').split(/\s+/)) {
    const last = lines.at(-1)!;
    if (last.length + word.length >= COLUMNS - indent.length) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}
