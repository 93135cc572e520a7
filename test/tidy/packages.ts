import { basename } from 'node:path';
import type { Rule } from './tree.ts';

const EXACT = /^(npm:@?[\w./-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/;

interface Manifest {
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  readonly scarfSettings?: { readonly enabled?: boolean };
}

export const EXACT_VERSIONS: Rule = {
  name: 'dependencies have exact versions',
  why: 'two installs of one commit are the same program',
  find: (tree) =>
    [...tree]
      .filter(([path]) => basename(path) === 'package.json')
      .flatMap(([path, text]) => {
        const { dependencies, devDependencies } = JSON.parse(text) as Manifest;
        return Object.entries({ ...dependencies, ...devDependencies }).flatMap(([name, version]) =>
          EXACT.test(version) ? [] : [`${path}: ${name} ${version}`],
        );
      }),
};

/**
 * A package that tells a stranger of each install, by the script that runs at its end, unless it is switched off in
 * this very place.
 */
const REPORTER = '"node_modules/@scarf/scarf"';

export const NO_REPORTS: Rule = {
  name: 'no package reports that it is installed',
  why: 'who installs this service tells nobody but the registry',
  find: (tree) => {
    const { scarfSettings } = JSON.parse(tree.get('package.json') ?? '{}') as Manifest;
    const lock = tree.get('package-lock.json') ?? '';
    return lock.includes(REPORTER) && scarfSettings?.enabled !== false
      ? ['package.json: "scarfSettings": {"enabled": false} is missing, and package-lock.json has @scarf/scarf']
      : [];
  },
};

/** Folders that exist on one machine only, and hosts that a mirror or a proxy stands for. */
const PLACES =
  /(?<![\w.:/-])\/(home|root|Users|work|builds|private\/var)\/|\b(registry\.(npmjs|yarnpkg)\b|npm\.pkg\.github|jfrog|nexus\b.*\/repository|verdaccio|repo1?\.maven)|https?:\/\/(localhost|127\.0\.0\.1):4873/;

export const NO_PLACES: Rule = {
  name: 'nothing names a machine or a registry',
  why: 'the same commit installs and runs anywhere; package-lock.json holds versions and checksums, addresses are the business of npm’s own configuration',
  find: (tree) =>
    [...tree].flatMap(([path, text]) =>
      path.startsWith('test/tidy/')
        ? []
        : text.split('\n').flatMap((line, index) => {
            const place =
              PLACES.exec(line)?.[0] ??
              (path === 'package-lock.json' && /"resolved":/.test(line) ? '"resolved"' : null);
            return place === null ? [] : [`${path}:${index + 1}: ${place}`];
          }),
    ),
};
