import { mkdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { linkImage } from '../../../deploy/release/image-folder.ts';
import type { Mount } from './root-script.ts';

const DOCKERFILE = resolve(import.meta.dirname, '../../../deploy/Dockerfile');

/** What stands for an image: folders that a container sees, and what the Dockerfile says of its process. */
export interface ImageFolder {
  readonly mounts: readonly Mount[];
  readonly env: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
}

/** The steps of the Dockerfile over the tree at `source`, in a new folder; its last step, the first start, is left. */
export function makeImage(source: string, folder: string): ImageFolder {
  mkdirSync(folder, { recursive: true });
  const { code, bin } = linkImage(source, folder);
  const told = imageSettings(readFileSync(DOCKERFILE, 'utf8'));
  return {
    ...told,
    mounts: [
      { from: bin, at: '/usr/local/bin', readOnly: true },
      { from: code, at: told.workingDirectory, readOnly: true },
    ],
  };
}

/** ENV, WORKDIR, ENTRYPOINT and CMD of the stage `crier`. */
export function imageSettings(dockerfile: string): Omit<ImageFolder, 'mounts'> {
  const stage = /^FROM \S+ AS crier\n([\s\S]*?)(?=^FROM )/m.exec(dockerfile)?.[1];
  if (stage === undefined) throw new Error('deploy/Dockerfile has no stage crier');
  const instruction = (name: string): string => {
    const found = new RegExp(`^${name} (.*)$`, 'm').exec(stage)?.[1];
    if (found === undefined) throw new Error(`deploy/Dockerfile says no ${name} in its stage crier`);
    return found;
  };
  const env = Object.fromEntries(
    instruction('ENV')
      .split(' ')
      .map((pair) => pair.split('=') as [string, string]),
  );
  return {
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...env },
    workingDirectory: instruction('WORKDIR'),
    entrypoint: JSON.parse(instruction('ENTRYPOINT')) as string[],
    command: JSON.parse(instruction('CMD')) as string[],
  };
}
