import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import type { PlantedBug } from './planted-bug.ts';

export const PROJECT = new URL('../../../', import.meta.url);

export function projectFile(path: string): URL {
  return new URL(path, PROJECT);
}

/**
 * The sources of a bug's files with the bug in them, by path. Throws, with the name of the bug, where one of its edits
 * does not fit the source any more: then it has to be written anew, for as it stands it proves nothing.
 */
export function plantedSources({ name, edits }: PlantedBug): ReadonlyMap<string, string> {
  const sources = new Map<string, string>();
  for (const { file, find, replace } of edits) {
    const source = sources.get(file) ?? readSource(name, file);
    const found = [...source.matchAll(patternOf(find))];
    const [place] = found;
    if (place === undefined || found.length > 1)
      throw new Error(
        `the planted bug "${name}" does not apply any more: ${file} has ${found.length === 0 ? 'nothing' : `${found.length} places`} like\n  ${find}`,
      );
    sources.set(file, source.slice(0, place.index) + replace + source.slice(place.index + place[0].length));
  }
  for (const [file, source] of sources) checkSyntax(name, file, source);
  return sources;
}

function readSource(name: string, file: string): string {
  try {
    return readFileSync(projectFile(file), 'utf8');
  } catch {
    throw new Error(`the planted bug "${name}" does not apply any more: there is no ${file}`);
  }
}

/** The formatter breaks lines anew when a line of code becomes longer. */
function patternOf(find: string): RegExp {
  const words = find.trim().split(/\s+/);
  return new RegExp(words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('\\s+'), 'g');
}

function checkSyntax(name: string, file: string, source: string): void {
  try {
    stripTypeScriptTypes(source);
  } catch (error) {
    throw new Error(`the planted bug "${name}" makes no TypeScript of ${file}: ${String(error)}`);
  }
}
