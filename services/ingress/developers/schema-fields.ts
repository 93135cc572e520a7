import { escaped } from '#http-server/page.ts';

/** What is read of a JSON Schema of the OpenAPI document. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** The fields of an object as a list, those of objects inside it as lists inside. `side`: which marks matter. */
export function fieldsOf(schema: Schema, side: 'request' | 'answer'): string {
  const { properties = {}, required = [] } = schema;
  const rows = Object.entries(properties).map(([name, field]) => {
    const isNeeded = required.includes(name);
    const mark = side === 'request' && isNeeded ? 'required' : side === 'answer' && !isNeeded ? 'may be absent' : '';
    const inside = innerOf(field);
    const nested = inside === null ? '' : fieldsOf(inside, side);
    return `<li><div><code class="name">${escaped(name)}</code> <span class="type">${typeOf(field)}</span>${mark === '' ? '' : ` <span class="mark">${mark}</span>`}</div>${aboutOf(field)}${nested}</li>`;
  });
  return rows.length === 0 ? '' : `<ul class="fields">${rows.join('')}</ul>`;
}

/** The type in words, as HTML; named objects are links to where they are described. */
export function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref);
    return `<a href="#object-${name}">${name}</a>`;
  }
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' or ');
  if (schema.enum !== undefined) return schema.enum.map((value) => `<code>${escaped(String(value))}</code>`).join(', ');
  if (Array.isArray(schema.type)) return schema.type.map((type: string) => typeOf({ ...schema, type })).join(' or ');
  if (schema.type === 'array') return schema.items === undefined ? 'list' : `list of ${typeOf(schema.items)}`;
  if (schema.type === 'object') {
    const values = schema.additionalProperties;
    return typeof values === 'object' && schema.properties === undefined && Object.keys(values).length > 0
      ? `object of ${typeOf(values)}`
      : 'object';
  }
  const format = schema.format === undefined || schema.type === 'null' ? '' : ` (${escaped(schema.format)})`;
  return `${escaped(String(schema.type ?? 'any'))}${format}`;
}

function nameOf(reference: string): string {
  return reference.split('/').at(-1)!;
}

/** Description and bounds, as HTML. */
function aboutOf(schema: Schema): string {
  const { minimum, maximum, maxLength, minItems, maxItems } = schema;
  const ofItems = (count: number) => `${count} item${count === 1 ? '' : 's'}`;
  const bounds = [
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum.toLocaleString('en')}`]),
    ...(maxLength === undefined ? [] : [`at most ${maxLength.toLocaleString('en')} characters`]),
    ...(minItems === undefined ? [] : [`at least ${ofItems(minItems)}`]),
    ...(maxItems === undefined ? [] : [`at most ${ofItems(maxItems)}`]),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ];
  const words = [
    ...(schema.description === undefined ? [] : [schema.description]),
    ...(bounds.length === 0 ? [] : [`${bounds[0]!.charAt(0).toUpperCase()}${bounds.join(', ').slice(1)}`]),
  ];
  return words.length === 0 ? '' : `<p>${words.map(inlineCode).join('. ')}.</p>`;
}

/** A sentence with names in backticks, as HTML. */
export function inlineCode(text: string): string {
  return escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}

/** The object that a field is, or is a list of, where it has fields of its own. */
function innerOf(schema: Schema): Schema | null {
  if (schema.properties !== undefined) return schema;
  if (schema.items !== undefined) return innerOf(schema.items);
  return schema.anyOf?.map(innerOf).find((inner) => inner !== null) ?? null;
}
