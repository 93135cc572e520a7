import { registerHooks } from 'node:module';
import type { PlantedBug } from './planted-bug.ts';
import { plantedSources, PROJECT, projectFile } from './source-edits.ts';

const ENTRY = projectFile('test/simulation/simulate.ts').href;
const STORY = projectFile('test/simulation/story.ts').href;
const MARK = '?planted=';

export type Simulation = Pick<typeof import('../simulate.ts'), 'simulate'>;
export type PlantedSimulation = Simulation & Pick<typeof import('../story.ts'), 'storyOf'>;

/** What is loaded anew for one bug. */
interface PlantedGraph {
  /** By URL. */
  readonly sources: ReadonlyMap<string, string>;
  /** The modules with the bug, and all that import them, over any number of steps: they are modules of their own. */
  readonly modules: ReadonlySet<string>;
}

/**
 * The simulation with a bug in it, in a process that runs it without the bug as well: the source is changed as it is
 * loaded, under URLs of its own, and nothing is written to disk. Modules that have nothing to do with the bug are
 * shared.
 */
export class PlantedModules {
  readonly #importers = new Map<string, Set<string>>();
  readonly #graphs: PlantedGraph[] = [];
  readonly sound: Promise<Simulation>;

  constructor() {
    registerHooks({
      resolve: (specifier, context, nextResolve) => {
        const resolved = nextResolve(specifier, context);
        const { parentURL } = context;
        if (parentURL === undefined || !resolved.url.startsWith(PROJECT.href)) return resolved;
        const [parent = '', mark] = parentURL.split(MARK);
        if (mark === undefined) this.#importersOf(resolved.url).add(parent);
        else if (this.#graphs[Number(mark)]!.modules.has(resolved.url))
          return { ...resolved, url: `${resolved.url}${MARK}${mark}` };
        return resolved;
      },
      load: (url, context, nextLoad) => {
        const loaded = nextLoad(url, context);
        const [plain = '', mark] = url.split(MARK);
        const source = mark === undefined ? undefined : this.#graphs[Number(mark)]!.sources.get(plain);
        return source === undefined ? loaded : { ...loaded, source };
      },
    });
    this.sound = import(ENTRY) as Promise<Simulation>;
  }

  /** Throws where the bug does not apply, or where no world would load it. */
  async with(bug: PlantedBug): Promise<PlantedSimulation> {
    await this.sound;
    const sources = new Map([...plantedSources(bug)].map(([file, source]) => [projectFile(file).href, source]));
    const modules = new Set<string>();
    const open = [...sources.keys()];
    for (let url = open.pop(); url !== undefined; url = open.pop()) {
      if (modules.has(url)) continue;
      modules.add(url);
      open.push(...(this.#importers.get(url) ?? []));
    }
    for (const url of sources.keys())
      if (!this.#importers.has(url)) throw new Error(`no world loads ${url}, in which "${bug.name}" is planted`);
    this.#graphs.push({ sources, modules });
    const mark = `${MARK}${this.#graphs.length - 1}`;
    const { simulate } = (await import(`${ENTRY}${mark}`)) as Simulation;
    const { storyOf } = (await import(`${STORY}${mark}`)) as PlantedSimulation;
    return { simulate, storyOf };
  }

  #importersOf(url: string): Set<string> {
    const importers = this.#importers.get(url) ?? new Set();
    this.#importers.set(url, importers);
    return importers;
  }
}
