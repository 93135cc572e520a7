import type { VendorEndpoint, VendorFacts, VendorField, VendorSource } from './form.ts';

/** What is read of a discovery document of Google. */
interface Discovery {
  readonly name: string;
  readonly version: string;
  readonly revision: string;
  readonly servicePath: string;
  readonly parameters: Readonly<Record<string, DiscoverySchema>>;
  readonly schemas: Readonly<Record<string, DiscoverySchema>>;
  readonly resources: Readonly<Record<string, { readonly methods?: Readonly<Record<string, DiscoveryMethod>> }>>;
}

interface DiscoveryMethod {
  readonly id: string;
  readonly httpMethod: string;
  readonly path: string;
  readonly parameters?: Readonly<Record<string, DiscoverySchema>>;
  readonly request?: { readonly $ref: string };
  readonly response?: { readonly $ref: string };
  readonly mediaUpload?: { readonly protocols: { readonly simple: { readonly path: string } } };
}

interface DiscoverySchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minimum?: string;
  readonly maximum?: string;
  readonly repeated?: boolean;
  readonly required?: boolean;
  readonly location?: string;
  readonly items?: DiscoverySchema;
  readonly properties?: Readonly<Record<string, DiscoverySchema>>;
}

/** The methods that an adapter calls, or may call next. */
const CALLS: readonly string[] = [
  'youtube.channels.list',
  'youtube.commentThreads.insert',
  'youtube.commentThreads.list',
  'youtube.comments.list',
  'youtube.playlistItems.insert',
  'youtube.playlistItems.list',
  'youtube.playlists.list',
  'youtube.thumbnails.set',
  'youtube.videoCategories.list',
  'youtube.videos.delete',
  'youtube.videos.insert',
  'youtube.videos.list',
  'youtube.videos.update',
  'youtubeAnalytics.reports.query',
];

/** Parts of a video that only YouTube fills in, or that are for partners: their fields are left out. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'AccessPolicy',
  'VideoAgeGating',
  'VideoContentDetails',
  'VideoFileDetails',
  'VideoLiveStreamingDetails',
  'VideoMonetizationDetails',
  'VideoPlayer',
  'VideoProcessingDetails',
  'VideoProjectDetails',
  'VideoStatistics',
  'VideoSuggestions',
  'VideoTopicDetails',
  'ThumbnailDetails',
]);

/** `sources` by the name of the API: youtube, youtubeAnalytics. Throws where one of the methods is in no document. */
export function youtubeFacts(
  documents: readonly Discovery[],
  sources: Readonly<Record<string, VendorSource>>,
): VendorFacts {
  const types: Record<string, VendorField> = {};
  const endpoints = documents.flatMap((document) => endpointsOf(document, types));
  const missing = CALLS.filter((id) => !endpoints.some(({ name }) => name.replace(/ upload$/, '') === id));
  if (missing.length > 0) throw new Error(`the documents lack ${missing.join(', ')}`);
  return {
    network: 'youtube',
    sources: Object.fromEntries(
      documents.map(({ name, version, revision }) => [
        name,
        { ...sources[name]!, version: `${version}, revision ${revision}; ${sources[name]!.version}` },
      ]),
    ),
    parametersIn: 'query',
    common: fieldsOf(documents[0]!.parameters, types, documents[0]!),
    endpoints: endpoints.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    types: Object.fromEntries(Object.entries(types).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function endpointsOf(document: Discovery, types: Record<string, VendorField>): readonly VendorEndpoint[] {
  const methods = Object.values(document.resources).flatMap((resource) => Object.values(resource.methods ?? {}));
  return methods
    .filter(({ id }) => CALLS.includes(id))
    .flatMap((method) => {
      const query = Object.entries(method.parameters ?? {}).filter(([, { location }]) => location === 'query');
      const parameters = fieldsOf(Object.fromEntries(query), types, document);
      const parts = partsOf(method, document);
      const endpoint: VendorEndpoint = {
        name: method.id,
        source: document.name,
        method: method.httpMethod,
        path: `/${document.servicePath}${method.path}`,
        parameters: parts === null ? parameters : { ...parameters, part: { ...parameters['part'], ...parts } },
        ...(method.request !== undefined && {
          bodies: { 'application/json': fieldOf(method.request, types, document) },
          isBodyRequired: true,
        }),
      };
      const upload = method.mediaUpload?.protocols.simple.path;
      if (upload === undefined) return [endpoint];
      // A method without a body of its own takes the bytes of the file, beside an upload by sessions.
      const bodies = endpoint.bodies ?? { bytes: { type: 'file' as const } };
      return [{ ...endpoint, name: `${method.id} upload`, path: upload, bodies }];
    });
}

/** The values of `part`: the parts of the resource, which the document has as its properties. */
function partsOf(method: DiscoveryMethod, { schemas }: Discovery): Pick<VendorField, 'type' | 'items'> | null {
  if (method.parameters?.['part'] === undefined) return null;
  const name = method.request?.$ref ?? schemas[method.response!.$ref]!.properties!['items']!.items!.$ref!;
  const parts = Object.entries(schemas[name]!.properties!).filter(([, { $ref, type }]) => $ref ?? type === 'object');
  return { type: 'list', items: { type: 'string', values: ['id', ...parts.map(([part]) => part)].toSorted() } };
}

function fieldsOf(
  schemas: Readonly<Record<string, DiscoverySchema>>,
  types: Record<string, VendorField>,
  document: Discovery,
): Readonly<Record<string, VendorField>> {
  const entries = Object.entries(schemas).map(([name, each]) => [name, fieldOf(each, types, document)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function fieldOf(schema: DiscoverySchema, types: Record<string, VendorField>, document: Discovery): VendorField {
  if (schema.$ref !== undefined) return refOf(schema.$ref, types, document);
  const { pattern, minimum, maximum } = schema;
  const plain: VendorField = {
    type: (schema.type === 'array' ? 'list' : (schema.type ?? 'any')) as NonNullable<VendorField['type']>,
    ...(schema.enum !== undefined && { values: schema.enum }),
    ...(pattern !== undefined && { pattern }),
    ...(minimum !== undefined && { minimum: Number(minimum) }),
    ...(maximum !== undefined && { maximum: Number(maximum) }),
    ...(schema.items !== undefined && { items: fieldOf(schema.items, types, document) }),
    ...(schema.properties !== undefined && { fields: fieldsOf(schema.properties, types, document) }),
  };
  const need = schema.required === true ? { required: true } : {};
  return schema.repeated === true ? { type: 'list', ...need, items: plain } : { ...plain, ...need };
}

function refOf(name: string, types: Record<string, VendorField>, document: Discovery): VendorField {
  if (!(name in types) && !LEFT_OUT.has(name)) {
    types[name] = {};
    types[name] = fieldOf(document.schemas[name]!, types, document);
  }
  return { ref: name };
}
