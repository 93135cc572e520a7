import { importsOf } from './imports.ts';
import { isForTests, sources, type Rule } from './tree.ts';

/**
 * The floors of the house, from the ground up. A room may import the rooms it names, all of them on floors below its
 * own. `name: types` means types only.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  schemas: [],
  domain: ['schemas'],
  reporting: ['schemas', 'domain'],
  ports: ['domain', 'reporting: types'],
  concurrency: ['domain', 'ports', 'reporting: types'],
  messages: ['domain'],
  tables: ['domain', 'ports', 'concurrency', 'messages'],
  codec: ['schemas', 'domain', 'ports', 'messages', 'tables'],
  config: ['domain', 'ports'],
  runtime: ['domain', 'ports', 'reporting', 'concurrency', 'config'],
  outbox: ['domain', 'ports', 'messages', 'tables'],
  commands: ['domain', 'ports', 'messages', 'tables'],
  consumer: ['domain', 'ports', 'reporting', 'concurrency', 'messages', 'tables', 'runtime'],
  'rate-limit': ['ports', 'tables'],
  'http-server': ['schemas', 'domain', 'ports', 'rate-limit'],
  networks: ['domain', 'ports', 'concurrency', 'tables'],
  connections: ['domain', 'ports', 'reporting', 'concurrency', 'tables', 'networks'],
  // Ingress asks what stands at a file's address and the media role fetches it: services share no code, so it lies
  // below them.
  media: ['domain', 'ports', 'reporting', 'tables'],
  // REST and MCP in ingress and the app's pages are doors to the same use cases: services share no code, so they lie
  // below them.
  'use-cases': [
    'schemas',
    'domain',
    'ports',
    'reporting',
    'concurrency',
    'tables',
    'rate-limit',
    'http-server',
    'networks',
    'connections',
    'media',
  ],
  // Adapters use declarations, never behaviour: tables and topics to make, events and metrics to count, shapes to
  // carry. Waits, retries and bounds are the same everywhere, so they come from concurrency.
  adapters: ['ports', 'concurrency', 'tables', 'reporting', 'domain: types', 'messages: types', 'runtime: types'],
  'port-suites': ['domain', 'ports', 'reporting', 'tables'],
};

const LIBRARIES = Object.keys(MAY_IMPORT).filter((room) => room !== 'adapters' && room !== 'port-suites');
const ABOVE_LIBRARIES: Readonly<Record<string, readonly string[]>> = {
  testing: Object.keys(MAY_IMPORT),
  services: LIBRARIES,
  // Adapter and simulator are two readings of one reference; sharing code they would be wrong together.
  'services/sandbox': ['domain', 'ports', 'reporting', 'config', 'runtime'],
  // What users run: they know the server by its API. Pages in the browser may use pure rules, such as how a Network
  // counts a text, and know the procedures of their server by their types.
  'clients/typescript': [],
  'clients/csv': ['schemas'],
  'clients/command-line': ['clients/typescript', 'clients/csv', 'schemas'],
  'clients/app': ['schemas', 'domain', 'networks', 'clients/csv', 'services/app: types'],
};

/** Files of rooms whose work only the composition root starts, but whose declarations adapters are made from. */
const DECLARATIONS = /^libs\/(tables\/(declarations\/(tables|topics)|rows\/body)|reporting\/[\w-]+)\.ts$/;

export const ARROWS: Rule = {
  name: 'imports point one way',
  why: 'schemas <- domain <- ports <- libraries <- services <- services/crier, each library on a floor of its own: a rule, a store and a service can each be read, tested and replaced without the rooms above it',
  find: (tree) =>
    sources(tree).flatMap(([path, text]) => {
      const room = roomOf(path);
      if (room === null || room === 'services/crier' || isTest(path)) return [];
      return importsOf(path, text, tree).flatMap(({ line, target, own, typesOnly }) => {
        const refusal = own ? refuse(path, room, target, typesOnly) : null;
        return refusal === null ? [] : [`${path}:${line}: ${refusal}`];
      });
    }),
};

function refuse(path: string, room: string, target: string, typesOnly: boolean): string | null {
  const to = roomOf(target);
  if (to === null) return target.startsWith('test/') ? 'the product imports nothing of test/' : null;
  if (to === room) return null;
  const allowed = MAY_IMPORT[room] ?? ABOVE_LIBRARIES[room] ?? ABOVE_LIBRARIES['services']!;
  if (typesOnly && allowed.includes(`${to}: types`)) return null;
  if (to.startsWith('services/'))
    return `${room} imports ${to}: no room but services/crier imports a service, and a service no other service`;
  if (to === 'adapters' && room !== 'testing')
    return `${room} imports ${target}: adapters are picked in services/crier and in tests only`;
  if (isForTests(target) && !isForTests(path)) return `${room} imports ${target}, which is for tests only`;
  if (!allowed.includes(to)) return `${room} must not import ${to} (${target})`;
  if (room === 'adapters' && to !== 'ports' && to !== 'concurrency' && !typesOnly && !DECLARATIONS.test(target))
    return `adapters may use declarations of ${to}, not ${target}`;
  return null;
}

/** Tests see every room; port suites and testing are rooms, so that tests of the rooms below them stay light. */
function isTest(path: string): boolean {
  return isForTests(path) && !/^libs\/(testing|port-suites)\/.*(?<!\.test)\.ts$/.test(path);
}

function roomOf(path: string): string | null {
  const [top, name] = path.split('/');
  if (top === 'libs') return name ?? null;
  if (top === 'services' || top === 'clients') return `${top}/${name}`;
  return top === 'schemas' ? 'schemas' : null;
}
