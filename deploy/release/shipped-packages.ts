export interface LockedPackage {
  readonly version?: string;
  /** Of an alias: what it is called in the registry. */
  readonly name?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
}

export interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** Whatever a release installs, by its folder: what is there for development alone is left out. */
export function shippedPackages({ packages }: LockFile): readonly (readonly [folder: string, LockedPackage])[] {
  return Object.entries(packages).filter(([folder, { dev }]) => folder !== '' && dev !== true);
}

/** As registries call it. */
export function nameOf(folder: string, { name }: LockedPackage): string {
  return name ?? folder.split('node_modules/').at(-1)!;
}
