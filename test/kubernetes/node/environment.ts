import type { ClusterObject } from '../kubernetes-api.ts';

/** Where a container's variables come from. */
export interface EnvironmentSources {
  readonly pod: ClusterObject;
  readonly podAddress: string;
  /** Every Service of the cluster. */
  readonly services: Iterable<ClusterObject>;
  /** The decoded keys of a Secret or a ConfigMap of the pod's namespace; rejects when it is not there. */
  readonly keysOf: (kind: 'secrets' | 'configmaps', name: string) => Promise<Readonly<Record<string, string>>>;
}

/** What a kubelet puts into the environment of a container, beside what its image says. */
export async function environmentOf(container: any, sources: EnvironmentSources): Promise<Record<string, string>> {
  const links = serviceLinks(sources);
  const own: Record<string, string> = {};
  for (const { secretRef, configMapRef, prefix = '' } of container.envFrom ?? []) {
    const reference = secretRef ?? configMapRef;
    const keys = await sources.keysOf(secretRef === undefined ? 'configmaps' : 'secrets', reference.name);
    for (const [key, value] of Object.entries(keys)) own[`${prefix}${key}`] = value;
  }
  for (const variable of container.env ?? []) {
    const known = { ...links, ...own };
    const value =
      variable.valueFrom === undefined
        ? expand(variable.value ?? '', known)
        : await valueFrom(variable.valueFrom, sources);
    if (value !== null) own[variable.name] = value;
  }
  return { ...links, ...own };
}

/** `$(NAME)` is replaced by what is known, `$$(NAME)` stands for itself, and what is unknown stays. */
export function expand(text: string, known: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$(\$?)\(([\w.-]+)\)/g, (whole, escaped: string, name: string) =>
    escaped === '' ? (known[name] ?? whole) : `$(${name})`,
  );
}

async function valueFrom(from: any, sources: EnvironmentSources): Promise<string | null> {
  const reference = from.secretKeyRef ?? from.configMapKeyRef;
  if (reference !== undefined) {
    const kind = from.secretKeyRef === undefined ? 'configmaps' : 'secrets';
    const keys = await sources.keysOf(kind, reference.name).catch((error: unknown) => {
      if (reference.optional === true) return {};
      throw error;
    });
    const value = (keys as Readonly<Record<string, string>>)[reference.key];
    if (value === undefined && reference.optional !== true)
      throw new Error(`${kind} ${reference.name} has no key ${reference.key}`);
    return value ?? null;
  }
  return fieldOf(from.fieldRef?.fieldPath, sources);
}

function fieldOf(path: string | undefined, { pod, podAddress }: EnvironmentSources): string {
  const fields: Readonly<Record<string, string>> = {
    'status.podIP': podAddress,
    'metadata.name': pod.metadata.name,
    'metadata.namespace': pod.metadata.namespace ?? '',
    'metadata.uid': pod.metadata.uid,
    'spec.nodeName': pod.spec.nodeName,
    'spec.serviceAccountName': pod.spec.serviceAccountName,
  };
  const value = fields[path ?? ''];
  if (value === undefined) throw new Error(`no field ${path} here`);
  return value;
}

/**
 * The variables that announce Services: all of the pod's namespace, unless it says `enableServiceLinks: false`, and in
 * any case the API server's.
 */
function serviceLinks({ pod, services }: EnvironmentSources): Record<string, string> {
  const isLinked = ({ metadata, spec }: ClusterObject): boolean =>
    spec.clusterIP !== undefined &&
    spec.clusterIP !== 'None' &&
    ((metadata.namespace === 'default' && metadata.name === 'kubernetes') ||
      (metadata.namespace === pod.metadata.namespace && pod.spec.enableServiceLinks !== false));
  return Object.fromEntries([...services].filter(isLinked).flatMap(linksOf));
}

function linksOf({ metadata, spec }: ClusterObject): readonly (readonly [string, string])[] {
  const name = wordOf(metadata.name);
  const [first] = spec.ports as readonly any[];
  return [
    [`${name}_SERVICE_HOST`, spec.clusterIP],
    [`${name}_SERVICE_PORT`, String(first.port)],
    [`${name}_PORT`, `${first.protocol.toLowerCase()}://${spec.clusterIP}:${first.port}`],
    ...(spec.ports as readonly any[]).flatMap((port): (readonly [string, string])[] => {
      const prefix = `${name}_PORT_${port.port}_${port.protocol}`;
      return [
        ...(port.name ? [[`${name}_SERVICE_PORT_${wordOf(port.name)}`, String(port.port)] as const] : []),
        [prefix, `${port.protocol.toLowerCase()}://${spec.clusterIP}:${port.port}`],
        [`${prefix}_PROTO`, port.protocol.toLowerCase()],
        [`${prefix}_PORT`, String(port.port)],
        [`${prefix}_ADDR`, spec.clusterIP],
      ];
    }),
  ];
}

const wordOf = (name: string): string => name.toUpperCase().replaceAll('-', '_');
