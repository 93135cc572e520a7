import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Where `make peers` installs the packages that packages/package.json names. They are no dependencies of the product. */
const INSTALLED = resolve(import.meta.dirname, '../../../.cache/peers/package.json');

const fromThere = createRequire(INSTALLED);

export function arePackagesInstalled(): boolean {
  return existsSync(resolve(INSTALLED, '../node_modules/.package-lock.json'));
}

/**
 * The exports of an installed package. The caller says in `T` the few that it uses: types of the package are not there
 * where it is not installed, and the compiler checks this project without it.
 */
export async function installedPackage<T>(name: string): Promise<T> {
  return (await import(pathToFileURL(fromThere.resolve(name)).href)) as T;
}
