import type { VendorEndpoint, VendorFacts, VendorField, VendorSource } from './form.ts';

/** One of the files from which Meta generates its SDKs: an object of the Graph API. */
interface GraphSpec {
  readonly apis: readonly {
    readonly method: string;
    /** Of an edge. */
    readonly endpoint?: string;
    /** `#get`, `#update`, `#delete` of the object itself. */
    readonly name?: string;
    readonly return?: string;
    readonly params?: readonly GraphParameter[];
  }[];
  readonly fields: readonly { readonly name: string; readonly type: string }[];
}

interface GraphParameter {
  readonly name: string;
  readonly type: string;
  readonly required?: boolean;
}

/** The files, and enum_types.json. */
export interface GraphSpecs {
  readonly spec: (name: string) => GraphSpec | null;
  readonly enums: readonly { readonly name: string; readonly values: readonly string[] }[];
}

/** A type, and what is called of it: edges by their names, the object itself as ''. */
type GraphCalls = Readonly<Record<string, readonly string[]>>;

const LOGIN_CALLS: GraphCalls = {
  User: ['', 'accounts', 'permissions'],
};

/** What an adapter calls, or may call next. */
const CALLS: Readonly<Record<'facebook' | 'instagram', GraphCalls>> = {
  facebook: {
    ...LOGIN_CALLS,
    Page: [
      '',
      'feed',
      'photo_stories',
      'photos',
      'picture',
      'posts',
      'published_posts',
      'stories',
      'video_reels',
      'video_stories',
      'videos',
    ],
    PagePost: ['', 'attachments', 'comments'],
    Photo: ['', 'comments'],
    AdVideo: ['', 'comments', 'thumbnails'],
    Comment: ['', 'comments'],
  },
  instagram: {
    ...LOGIN_CALLS,
    Page: [''],
    IGUser: ['', 'content_publishing_limit', 'media', 'media_publish', 'stories'],
    IGUserForIGOnlyAPI: ['', 'content_publishing_limit', 'media', 'stories'],
    IGMedia: ['', 'children', 'comments'],
    IGMediaForIGOnlyAPI: ['', 'children', 'comments'],
    IGComment: ['', 'replies'],
    ShadowIGMediaBuilder: [''],
  },
};

/** Types whose fields are read inside of others. */
const NESTED: Readonly<Record<'facebook' | 'instagram', readonly string[]>> = {
  facebook: [
    'IGUser',
    'Permission',
    'ProfilePictureSource',
    'Stories',
    'VideoStatus',
    'VideoStatusError',
    'VideoStatusProcessingPhase',
    'VideoStatusPublishingPhase',
    'VideoStatusUploadingPhase',
    'VideoThumbnail',
  ],
  instagram: ['IGCommentFromUser', 'IGResumableVideoUploadStatus', 'Permission', 'ProfilePictureSource'],
};

/** Throws where a type or an edge is not there. */
export function graphFacts(network: 'facebook' | 'instagram', specs: GraphSpecs, source: VendorSource): VendorFacts {
  const values = new Map(specs.enums.map((each) => [each.name, each.values]));
  const specOf = (name: string): GraphSpec => {
    const spec = specs.spec(name);
    if (spec === null) throw new Error(`there is no ${name}.json`);
    return spec;
  };
  const called = Object.entries(CALLS[network]);
  const types = [...called.map(([name]) => name), ...NESTED[network]].toSorted();
  return {
    network,
    sources: { codegen: source },
    parametersIn: 'anywhere',
    common: {},
    endpoints: called.flatMap(([name, edges]) =>
      edges.flatMap((edge) => endpointsOf(name, edge, { spec: specOf(name), values })),
    ),
    types: Object.fromEntries(types.map((name) => [name, typeOf(specOf(name), values)])),
  };
}

type Enumerations = ReadonlyMap<string, readonly string[]>;

function endpointsOf(
  type: string,
  edge: string,
  { spec, values }: { readonly spec: GraphSpec; readonly values: Enumerations },
): readonly VendorEndpoint[] {
  const found = spec.apis.filter((api) => (edge === '' ? api.endpoint === undefined : api.endpoint === edge));
  if (found.length === 0) throw new Error(`${type} has no edge ${edge}`);
  return found.map((api) => ({
    name: `${type}${edge === '' ? '' : `.${edge}`} ${api.method}`,
    source: 'codegen',
    method: api.method,
    path: `/{version}/{id}${edge === '' ? '' : `/${edge}`}`,
    parameters: Object.fromEntries(
      (api.params ?? [])
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .map((each) => [
          each.name,
          { ...fieldOf(each.type, values), ...(each.required === true && { required: true }) },
        ]),
    ),
    ...(readTypeOf(type, edge, api) !== null && { reads: readTypeOf(type, edge, api)! }),
  }));
}

/**
 * What an edge returns. A POST of which Meta's files say that it returns the object that the edge is of returns
 * something that they do not name.
 */
function readTypeOf(
  type: string,
  edge: string,
  { method, return: returned }: GraphSpec['apis'][number],
): string | null {
  if (edge === '') return type;
  const known = RETURNS[`${type}.${edge}`];
  if (known !== undefined) return known;
  return returned === undefined || returned === 'Object' || (method === 'POST' && returned === type) ? null : returned;
}

/** What the files name otherwise than the file of the type, or not at all. */
const RETURNS: Readonly<Record<string, string>> = {
  'IGUserForIGOnlyAPI.media': 'IGMediaForIGOnlyAPI',
  'IGUserForIGOnlyAPI.stories': 'IGMediaForIGOnlyAPI',
  'IGMediaForIGOnlyAPI.children': 'IGMediaForIGOnlyAPI',
  'IGMediaForIGOnlyAPI.comments': 'IGComment',
  'Page.feed': 'PagePost',
};

function typeOf(spec: GraphSpec, values: Enumerations): VendorField {
  const edges = spec.apis.flatMap(({ method, endpoint, return: returned }) =>
    method === 'GET' && endpoint !== undefined
      ? [[endpoint, { ref: returned ?? 'Object', isEdge: true }] as const]
      : [],
  );
  const fields = spec.fields.map(({ name, type }) => [name, fieldOf(type, values)] as const);
  return {
    type: 'object',
    fields: Object.fromEntries([...edges, ...fields].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
}

const PLAIN: Readonly<Record<string, NonNullable<VendorField['type']>>> = {
  bool: 'boolean',
  datetime: 'string',
  file: 'file',
  float: 'number',
  int: 'integer',
  list: 'list',
  map: 'any',
  Object: 'any',
  string: 'string',
  'unsigned int': 'integer',
};

function fieldOf(type: string, values: Enumerations): VendorField {
  const plain = PLAIN[type];
  if (plain !== undefined) return { type: plain };
  const listed = values.get(type);
  if (listed !== undefined) return { type: 'string', values: listed };
  const inner = /^list<(.*)>$/.exec(type)?.[1];
  if (inner !== undefined) return { type: 'list', items: fieldOf(inner, values) };
  return type.startsWith('map<') ? { type: 'any' } : { ref: type };
}
