import type { z } from 'zod';
import { createSchema } from 'zod-openapi';
import { TOOLS, type ToolAnnotations, type ToolName } from './tools.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** JSON Schema 2020-12 of an object. */
export interface ObjectSchema {
  readonly [name: string]: Json;
  readonly type: 'object';
}

/** A tool as clients see it in tools/list. */
export interface ToolDefinition {
  readonly name: ToolName;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: ToolAnnotations;
}

/** The tools with their JSON Schemas, made by the generator of the OpenAPI document from the same declarations. */
export function toolDefinitions(): readonly ToolDefinition[] {
  return TOOLS.map(({ name, title, description, input, output, annotations }) => ({
    name,
    title,
    description,
    inputSchema: objectSchema(input, 'input'),
    outputSchema: objectSchema(output, 'output'),
    annotations,
  }));
}

/**
 * Without references, since some clients do not follow them, and without `$schema` and `oneOf`, which some do not know:
 * the descriptions say the same.
 */
function objectSchema(of: z.ZodType, io: 'input' | 'output'): ObjectSchema {
  const { schema, components } = createSchema(of, { io, openapiVersion: '3.1.0' });
  const inline = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(inline);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, oneOf: _oneOf, ...rest } = value as { readonly [name: string]: Json };
    const own = Object.fromEntries(Object.entries(rest).map(([name, item]) => [name, inline(item)]));
    if (typeof $ref !== 'string') return own;
    return { ...(inline(components[$ref.split('/').at(-1)!] as Json) as object), ...own };
  };
  const { $schema: _, ...found } = inline(JSON.parse(JSON.stringify(schema)) as Json) as ObjectSchema;
  if (found.type !== 'object') throw new Error('the arguments and the result of a tool are objects');
  return found as ObjectSchema;
}
