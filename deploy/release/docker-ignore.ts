import { matchesGlob } from 'node:path';

/** Whether .dockerignore leaves a path out: it, or a folder that it stands in, matches a line. */
export function ignoredBy(dockerignore: string): (path: string) => boolean {
  const patterns = dockerignore.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return (path) => {
    const parts = path.split('/');
    const heres = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
    return heres.some((here) => patterns.some((pattern) => here === pattern || matchesGlob(here, pattern)));
  };
}
