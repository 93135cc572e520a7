import type { VendorEndpoint, VendorFacts, VendorField, VendorSource } from './form.ts';

/** What is read of an OpenAPI 3.0 file. */
interface OpenApi {
  readonly info: { readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, OpenApiSchema>>;
    readonly parameters?: Readonly<Record<string, OpenApiParameter>>;
  };
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly (OpenApiParameter | { readonly $ref: string })[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, { readonly schema: OpenApiSchema }>>;
  };
}

interface OpenApiParameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: OpenApiSchema;
}

interface OpenApiSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly items?: OpenApiSchema;
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly OpenApiSchema[];
}

/** The endpoints of X that an adapter calls, or may call next. */
const X_CALLS: readonly (readonly [method: string, path: string])[] = [
  ['get', '/2/users/me'],
  ['get', '/2/users/{id}/tweets'],
  ['get', '/2/tweets'],
  ['post', '/2/tweets'],
  ['get', '/2/tweets/{id}'],
  ['delete', '/2/tweets/{id}'],
  ['get', '/2/tweets/search/recent'],
  ['get', '/2/media/upload'],
  ['post', '/2/media/upload'],
  ['post', '/2/media/upload/initialize'],
  ['post', '/2/media/upload/{id}/append'],
  ['post', '/2/media/upload/{id}/finalize'],
  ['post', '/2/media/metadata'],
];

/** Throws where the file lacks one of those endpoints. */
export function xFacts(api: OpenApi, source: VendorSource): VendorFacts {
  const types: Record<string, VendorField> = {};
  const fieldOf = (schema: OpenApiSchema): VendorField => {
    const name = schema.$ref?.split('/').at(-1);
    if (name === undefined) return plainField(schema, fieldOf);
    const target = api.components.schemas[name]!;
    if (target.properties === undefined) return fieldOf(target);
    if (!(name in types)) {
      types[name] = {};
      types[name] = plainField(target, fieldOf);
    }
    return { ref: name };
  };
  const endpoints = X_CALLS.map(([method, path]) => {
    const operation = api.paths[path]?.[method];
    if (operation === undefined) throw new Error(`the file has no ${method.toUpperCase()} ${path}`);
    return endpointOf(operation, { method, path, parameters: api.components.parameters ?? {}, fieldOf });
  });
  return {
    network: 'x',
    sources: { openapi: { ...source, version: `${api.info.version}, ${source.version}` } },
    parametersIn: 'query',
    common: {},
    endpoints,
    types: sorted(types),
  };
}

interface Place {
  readonly method: string;
  readonly path: string;
  readonly parameters: Readonly<Record<string, OpenApiParameter>>;
  readonly fieldOf: (schema: OpenApiSchema) => VendorField;
}

function endpointOf(operation: Operation, { method, path, parameters, fieldOf }: Place): VendorEndpoint {
  const own = (operation.parameters ?? []).map((each) =>
    '$ref' in each ? parameters[each.$ref.split('/').at(-1)!]! : each,
  );
  const query = own.filter((each) => each.in === 'query');
  const body = operation.requestBody;
  return {
    name: operation.operationId,
    source: 'openapi',
    method: method.toUpperCase(),
    path,
    parameters: sorted(
      Object.fromEntries(query.map((each) => [each.name, { ...fieldOf(each.schema), ...need(each.required) }])),
    ),
    ...(body !== undefined && {
      bodies: Object.fromEntries(Object.entries(body.content).map(([type, { schema }]) => [type, fieldOf(schema)])),
    }),
    ...(body?.required === true && { isBodyRequired: true }),
  };
}

function plainField(schema: OpenApiSchema, fieldOf: (schema: OpenApiSchema) => VendorField): VendorField {
  const { type, pattern, maxLength, minimum, maximum, maxItems, items, properties } = schema;
  const values = schema.enum?.map(String);
  const bounds = { pattern, maxLength, minimum, maximum, maxItems, values };
  const given = Object.fromEntries(Object.entries(bounds).filter(([, value]) => value !== undefined));
  if (schema.anyOf?.some((each) => each.format === 'binary') === true) return { type: 'file' };
  if (type === 'array') return { type: 'list', ...given, ...(items !== undefined && { items: fieldOf(items) }) };
  if (properties === undefined) return { type: (type ?? 'any') as NonNullable<VendorField['type']>, ...given };
  const entries = Object.entries(properties).map(
    ([name, each]) => [name, { ...fieldOf(each), ...need(schema.required?.includes(name)) }] as const,
  );
  return { type: 'object', fields: sorted(Object.fromEntries(entries)) };
}

function need(required: boolean | undefined): Pick<VendorField, 'required'> {
  return required === true ? { required } : {};
}

function sorted<T>(record: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
