import { readFileSync } from 'node:fs';

// Prints where the time of a processor profile (of --profile) went: `node test/bench/profile-costs.ts FILE [how many
// lines]`. Self time by function, and total time by file or package, each stack counted once.

interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const [file, most = '40'] = process.argv.slice(2);
if (file === undefined) throw new Error('which profile?');
const profile = JSON.parse(readFileSync(file, 'utf8')) as Profile;

const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
const parents = new Map(
  profile.nodes.flatMap((node) => (node.children ?? []).map((child): [number, number] => [child, node.id])),
);

/** A path in the project, a package, or Node itself. */
function placeOf(url: string): string {
  const own = /\/((?:libs|services|schemas)\/.*)$/.exec(url)?.[1];
  return own ?? /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? (url === '' ? 'V8' : url);
}

const self = new Map<string, number>();
const within = new Map<string, number>();
let total = 0;
for (const [index, id] of profile.samples.entries()) {
  const took = profile.timeDeltas[index]!;
  const { functionName, url, lineNumber } = nodes.get(id)!.callFrame;
  if (functionName === '(idle)') continue;
  total += took;
  const name = `${functionName || '(anonymous)'}  ${placeOf(url)}${placeOf(url).endsWith('.ts') ? `:${lineNumber + 1}` : ''}`;
  self.set(name, (self.get(name) ?? 0) + took);
  const places = new Set<string>();
  for (let at: number | undefined = id; at !== undefined; at = parents.get(at))
    places.add(placeOf(nodes.get(at)!.callFrame.url));
  for (const place of places) within.set(place, (within.get(place) ?? 0) + took);
}

function show(title: string, costs: ReadonlyMap<string, number>): void {
  process.stdout.write(`\n${title}, of ${(total / 1e6).toFixed(2)} s\n`);
  for (const [name, took] of [...costs].sort((a, b) => b[1] - a[1]).slice(0, Number(most)))
    process.stdout.write(`${((took / total) * 100).toFixed(1).padStart(6)} %  ${name}\n`);
}

show('Self time by function', self);
show('Time in a file and what it called', within);
