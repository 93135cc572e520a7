import { readFileSync } from 'node:fs';
import { ConfigError } from './values.ts';

/** Of a variable that holds a secret, the one that names a file with it instead. */
export const fileVariableOf = (variable: string): string => `${variable}_FILE`;

/** More than any secret, less than what a wrong path may lead to. */
const MAX_BYTES = 65_536;

/** What the file at `path` holds, which `variable` names. Throws ConfigError. */
export function readSecretFile(variable: string, path: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new ConfigError(`${variable} can't be read: ${(error as Error).message}`);
  }
  if (bytes.length > MAX_BYTES)
    throw new ConfigError(`${variable} names ${path}, which has ${bytes.length} bytes: that is no secret`);
  const text = bytes.toString('utf8').trim();
  if (text === '') throw new ConfigError(`${variable} names ${path}, which is empty: write the secret into it`);
  return text;
}
