import { registerHooks } from 'node:module';
import type { PlantedBug } from '../simulation/planted/planted-bug.ts';
import { plantedSources, projectFile } from '../simulation/planted/source-edits.ts';

/**
 * Loaded into a process of Crier before its program (`--import`): plants a bug in the sources that it loads. The bug is
 * in the address of this module.
 */
const bug = JSON.parse(new URL(import.meta.url).searchParams.get('bug')!) as PlantedBug;
const sources = new Map([...plantedSources(bug)].map(([file, source]) => [projectFile(file).href, source]));

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context);
    const source = sources.get(url);
    return source === undefined ? loaded : { ...loaded, source };
  },
});
