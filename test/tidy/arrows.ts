import { importsOf } from './imports.ts';
import { isForTests, sources, type Rule } from './tree.ts';

/** What a room may import besides itself. `name: types` means types only. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  schemas: [],
  domain: ['schemas'],
  ports: ['domain'],
  // Rows hold messages still to be sent, and the codec's registry is a table: each knows the other's shape, neither its work.
  tables: ['domain', 'ports', 'codec: types'],
  codec: ['schemas', 'domain', 'ports', 'tables'],
  networks: ['domain', 'ports', 'tables'],
  // What ingress asks of a file's address and what the media role fetches from it is one idea, and services share none.
  media: ['domain', 'ports'],
  runtime: ['domain', 'ports', 'tables', 'codec'],
  // Adapters meet declarations, never behaviour: tables and topics to make, events and metrics to count, shapes to carry.
  adapters: ['ports', 'tables', 'runtime', 'domain: types', 'codec: types'],
  'port-suites': ['domain', 'ports', 'tables'],
  testing: ['schemas', 'domain', 'ports', 'tables', 'codec', 'networks', 'media', 'runtime', 'adapters', 'port-suites'],
  services: ['schemas', 'domain', 'ports', 'tables', 'codec', 'networks', 'media', 'runtime'],
  // Adapter and simulator are two readings of one reference; sharing code they would be wrong together.
  'services/sandbox': ['domain', 'ports', 'runtime'],
};

/** Files of rooms whose work only the composition root starts, but whose declarations adapters are made from; and the life that every server of ours has, and whose requests it takes. */
const DECLARATIONS = /^libs\/(tables\/(tables|topics|body)|runtime\/(metrics|event-levels|listening|own-requests))\.ts$/;

export const ARROWS: Rule = {
  name: 'imports point one way',
  why: 'schemas <- domain <- ports <- (tables, codec, networks, media, runtime, adapters) <- services <- services/crier: a rule, a store and a service can each be read, tested and replaced without the rooms above it',
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
  if (to.startsWith('services/')) return `${room} imports ${to}: no room but services/crier imports a service, and a service no other service`;
  if (to === 'adapters' && room !== 'testing') return `${room} imports ${target}: adapters are picked in services/crier and in tests only`;
  if (isForTests(target) && !isForTests(path)) return `${room} imports ${target}, which is for tests only`;
  const allowed = MAY_IMPORT[room] ?? MAY_IMPORT['services']!;
  if (!allowed.includes(to) && !(allowed.includes(`${to}: types`) && typesOnly)) return `${room} must not import ${to} (${target})`;
  if (room === 'adapters' && to !== 'ports' && !typesOnly && !DECLARATIONS.test(target)) return `adapters may use declarations of ${to}, not ${target}`;
  return null;
}

/** Tests see every room; port suites and testing are rooms, so that tests of the rooms below them stay light. */
function isTest(path: string): boolean {
  return isForTests(path) && !/^libs\/(testing|port-suites)\/.*(?<!\.test)\.ts$/.test(path);
}

function roomOf(path: string): string | null {
  const [top, name] = path.split('/');
  if (top === 'libs') return name ?? null;
  if (top === 'services') return `services/${name}`;
  return top === 'schemas' ? 'schemas' : null;
}
