import { join } from 'node:path';
import { readSecretSettings, type Environment } from '#config/config.ts';
import { readPrivate } from '../engines/secrets.ts';

/** Files of a data folder whose every value is secret, or next to one. */
const FILES = ['secrets.json', 'running.json', 'demo.json'];
/** Of an address, or of an entry `name:role:token`, the parts; a part alone may turn up elsewhere. */
const PARTS = /[\s:/@,;?&=]+/;
const MIN_PART_CHARACTERS = 12;

/** Every secret that the settings and the data folder hold, also where they are wrong. Never rejects. */
export function knownSecrets(env: Environment, dataDir: string): readonly string[] {
  const whole = [...readSecretSettings(env), ...FILES.flatMap((file) => secretsIn(join(dataDir, file)))];
  const parts = whole.flatMap((text) => text.split(PARTS)).filter((part) => part.length >= MIN_PART_CHARACTERS);
  const passwords = whole.flatMap((text) => /:\/\/[^/\s]*?:([^/\s]+)@/.exec(text)?.[1] ?? []);
  return [...whole, ...parts, ...passwords, ...passwords.map(decoded)];
}

function secretsIn(path: string): readonly string[] {
  try {
    const values = Object.entries(readPrivate<Readonly<Record<string, unknown>>>(path) ?? {});
    return values.flatMap(([name, value]) =>
      typeof value === 'string' && /token|secret|key/i.test(name) ? [value] : [],
    );
  } catch {
    return [];
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
