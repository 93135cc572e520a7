import { NETWORKS, type Network } from '#domain/network.ts';
import type { VendorEndpoint, VendorFacts } from '#schemas/vendors/form.ts';
import type { VendorDifference } from './differences.ts';
import { endpointProblems } from './endpoint-problems.ts';
import { vendorFactsOf } from './facts.ts';
import { contentOf, type RequestContent, type VendorRequest } from './request-content.ts';
import { countVendorRequest } from './tally.fixture.ts';

/**
 * Throws where a request is not what the vendor documents: an unknown path, parameter, field or header, a value of the
 * wrong type or outside of the enumeration, one that is missing. `network` null: the Network that the path is one of;
 * a request that no Network has is not checked then. `differences`: what is let through.
 */
export function assertVendorRequest(
  network: Network | null,
  request: VendorRequest,
  differences: readonly VendorDifference[] = [],
): void {
  const { path, networks } = placeOf(network, request);
  const known = networks.length === 1 ? networks : networks.filter((each) => hasPath(each, path));
  if (known.length === 0) return;
  const best = fewest(known, (each) => vendorProblems(each, { ...request, url: path }, differences));
  countVendorRequest(best.of);
  if (best.problems.length > 0)
    throw new Error(
      `${request.method} ${path.split('?')[0]} is not what ${best.of} documents (schemas/vendors): ${best.problems.join('; ')}`,
    );
}

/** What of a request a Network's vendor does not document, in words. `url`: as the vendor has its path. */
export function vendorProblems(
  network: Network,
  request: VendorRequest,
  differences: readonly VendorDifference[] = [],
): readonly string[] {
  const facts = vendorFactsOf(network);
  let content: RequestContent;
  try {
    content = contentOf(request);
  } catch {
    return ['the body is not what its content type says'];
  }
  const here = endpointsAt(content.segments, facts);
  if (here.length === 0) return [`${network} has no such path`];
  const candidates = here.filter(({ method }) => method === request.method.toUpperCase());
  if (candidates.length === 0)
    return [`this path has ${[...new Set(here.map(({ method }) => method))].join(', ')} only`];
  return fewest(candidates, (endpoint) =>
    endpointProblems(content, endpoint, facts).filter(
      (problem) => !isKnown({ network, endpoint, problem }, differences),
    ),
  ).problems;
}

/** Which of several has the fewest problems: the first without any, where there is one. */
function fewest<T>(
  several: readonly T[],
  problemsOf: (each: T) => readonly string[],
): { readonly of: T; readonly problems: readonly string[] } {
  let best: { readonly of: T; readonly problems: readonly string[] } | null = null;
  for (const of of several) {
    const problems = problemsOf(of);
    if (best === null || problems.length < best.problems.length) best = { of, problems };
    if (problems.length === 0) break;
  }
  return best!;
}

function isKnown(
  found: { readonly network: Network; readonly endpoint: VendorEndpoint; readonly problem: string },
  differences: readonly VendorDifference[],
): boolean {
  return differences.some(
    ({ network, path, problem }) =>
      network === found.network && found.endpoint.path.endsWith(path) && problem.test(found.problem),
  );
}

/** The endpoints of a path: those with the most parts of it word for word. */
function endpointsAt(segments: readonly string[], facts: VendorFacts): readonly VendorEndpoint[] {
  let most = -1;
  let found: VendorEndpoint[] = [];
  for (const { endpoint, parts, literals } of pathsOf(facts)) {
    if (literals < most || parts.length !== segments.length || !isAt(parts, segments)) continue;
    if (literals > most) found = [];
    most = literals;
    found.push(endpoint);
  }
  return found;
}

interface EndpointPath {
  readonly endpoint: VendorEndpoint;
  readonly parts: readonly string[];
  /** How many of the parts stand for themselves. */
  readonly literals: number;
}

const paths = new WeakMap<VendorFacts, readonly EndpointPath[]>();

function pathsOf(facts: VendorFacts): readonly EndpointPath[] {
  const known = paths.get(facts);
  if (known !== undefined) return known;
  const made = facts.endpoints.map((endpoint) => {
    const parts = endpoint.path.split('/').filter((part) => part !== '');
    return { endpoint, parts, literals: parts.filter((part) => !part.startsWith('{')).length };
  });
  paths.set(facts, made);
  return made;
}

const VERSION = /^v\d+\.\d+$/;

function isAt(parts: readonly string[], segments: readonly string[]): boolean {
  return parts.every((part, index) => {
    const segment = segments[index]!;
    if (part === '{version}') return VERSION.test(segment);
    const begin = part.indexOf('{');
    if (begin <= 0) return begin === 0 || part === segment;
    return decodeURIComponent(segment).startsWith(part.slice(0, begin));
  });
}

function hasPath(network: Network, url: string): boolean {
  return endpointsAt(contentOf({ method: 'GET', url }).segments, vendorFactsOf(network)).length > 0;
}

const IN_SANDBOX = /^(?:https?:\/\/[^/]+)?\/sim\/(\w+)(\/.*)$/;

/** Instagram's calls go to Facebook's host where an account was connected by Facebook Login. */
const ALSO: Readonly<Partial<Record<Network, readonly Network[]>>> = { facebook: ['instagram'] };

/** The path as the vendor has it, and the Networks that it may be of. */
function placeOf(network: Network | null, { url }: VendorRequest): { path: string; networks: readonly Network[] } {
  const [, simulated, below] = IN_SANDBOX.exec(url) ?? [];
  if (simulated !== undefined && (NETWORKS as readonly string[]).includes(simulated)) {
    const own = simulated as Network;
    return { path: withoutSandboxParameters(below!), networks: [own, ...(ALSO[own] ?? [])] };
  }
  return { path: url.replace(/^https?:\/\/[^/]+/, ''), networks: network === null ? NETWORKS : [network] };
}

/** What the sandbox's consent page takes from scripts, beside what the Network's own page does. */
const OF_CONSENT = ['account', 'account_kind', 'account_name', 'auto_approve', 'decline'];

function withoutSandboxParameters(path: string): string {
  const url = new URL(path, 'http://any.test');
  for (const name of OF_CONSENT) url.searchParams.delete(name);
  return `${url.pathname}${url.search}`;
}
