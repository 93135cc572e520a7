import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readConfig } from '#config/config.ts';
import { environmentOf, objectsOf, processesOf, template, type KubernetesObject } from '../helm.fixture.ts';
import { breachesOf } from '../house-rules.fixture.ts';
import { groupsOf, nameOfFlip, valuesOf, type Flip } from './flips.fixture.ts';
import { faultsOf } from './object-rules.fixture.ts';
import { refusalsOf } from './schemas.fixture.ts';
import { KUBERNETES_VERSIONS } from './versions.ts';

const HELM = join(import.meta.dirname, '..');
const valuesIn = (path: string): Readonly<Record<string, unknown>> =>
  parse(readFileSync(join(HELM, path), 'utf8')) as Readonly<Record<string, unknown>>;

export const DEFAULTS = valuesIn('crier/values.yaml');

/** What came of flips: how many renderings they took, which the chart explains, and what is wrong, a line each. */
export interface Outcome {
  readonly renderings: number;
  readonly explained: ReadonlyMap<string, string>;
  readonly wrong: readonly string[];
}

/** Over an example, and what is `set` in each rendering; as many renderings at a time as there are cores. */
export async function outcomeOf(example: string, set: readonly Flip[], flips: readonly Flip[]): Promise<Outcome> {
  const file = `examples/${example}/values.yaml`;
  const base = { publishers: DEFAULTS['publishers'], ...valuesIn(file) };
  const explained = new Map<string, string>();
  const wrong: string[] = [];
  let renderings = 0;

  /** When it is refused, halves, until it is known which one is. */
  const render = async (group: readonly Flip[]): Promise<void> => {
    const { code, output, errors } = await template([join('helm', file)], valuesOf([...set, ...group], base));
    renderings += 1;
    if (code === 0) wrong.push(...wrongIn(group, output));
    else if (group.length > 1) {
      const half = Math.ceil(group.length / 2);
      await render(group.slice(0, half));
      await render(group.slice(half));
    } else {
      const words = OWN_WORDS.exec(errors)?.groups?.['words']?.trim();
      if (words === undefined) wrong.push(`${nameOfFlip(group[0]!)} breaks the templates: ${errors}`);
      else explained.set(nameOfFlip(group[0]!), words);
    }
  };

  const waiting = [...groupsOf(flips)];
  const lane = async (): Promise<void> => {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) await render(group);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  return { renderings, explained, wrong };
}

/** What the chart says by itself, and not what a template stumbled over. */
const OWN_WORDS = /execution error at \(crier\/templates\/[\w/.-]+:\d+:\d+\):\s+(?<words>[\s\S]+?)(\n\nUse --debug|$)/;
/** What a Go template makes of a large number, which Kubernetes takes for no integer. */
const EXPONENT = /^\s*[\w-]+: \d+(\.\d+)?e\+\d+$/m;
/** Users may run as another user: what these values themselves say is no breach. */
const MAY_BREAK = /SecurityContext|^extraObjects/;

function wrongIn(group: readonly Flip[], output: string): readonly string[] {
  const objects = parsed(output);
  if (typeof objects === 'string') return [`${objects} (${group.map(nameOfFlip).join(' ')})`];
  const versions = KUBERNETES_VERSIONS.map(({ version }) => version);
  const isFree = group.some(({ path }) => MAY_BREAK.test(path.join('.')));
  const lines = [
    ...refusalsOf(versions, objects),
    ...faultsOf(objects),
    ...(isFree ? [] : breachesOf(objects)),
    ...(EXPONENT.test(output) ? [`${EXPONENT.exec(output)![0].trim()} is no integer`] : []),
    // Texts among the settings have forms that only the program knows.
    ...(group.some(({ path }) => path.includes('settings')) ? [] : startFaults(objects)),
  ];
  return [...new Set(lines)].map((words) => `${words} (${group.map(nameOfFlip).join(' ')})`);
}

function parsed(output: string): readonly KubernetesObject[] | string {
  try {
    return objectsOf(output);
  } catch (error) {
    return `no YAML: ${(error as Error).message}`;
  }
}

/** What processes would say at their start. */
function startFaults(objects: readonly KubernetesObject[]): readonly string[] {
  return processesOf(objects).flatMap(({ name, env }) => {
    try {
      readConfig(environmentOf(env));
      return [];
    } catch (error) {
      return [`${name} would not start: ${(error as Error).message}`];
    }
  });
}
