import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { SETTINGS } from './settings.ts';
import { ConfigError, type Config } from './values.ts';

/** Of each engine, and of the listeners, the settings that name the files of its TLS: authorities, certificate, key. */
export const ENGINE_FILES = {
  kafka: ['kafkaCa', 'kafkaCert', 'kafkaKey'],
  cassandra: ['cassandraCa', 'cassandraCert', 'cassandraKey'],
  admin: ['adminTlsCa', 'adminTlsCert', 'adminTlsKey'],
  public: [null, 'tlsCert', 'tlsKey'],
} as const;
export type TlsPlace = keyof typeof ENGINE_FILES;
/** Where other certificates are judged, too. */
export type TlsEngine = Exclude<TlsPlace, 'public'>;
type FileSetting = NonNullable<(typeof ENGINE_FILES)[TlsPlace][number]>;
export type EngineFiles = Pick<Config, FileSetting>;

/** The paths that the settings of an engine's TLS name. */
export function pathsOf(engine: TlsPlace, config: EngineFiles): readonly string[] {
  const { kafkaCa, kafkaCert, kafkaKey, cassandraCa, cassandraCert, cassandraKey } = config;
  const { adminTlsCa, adminTlsCert, adminTlsKey, tlsCert, tlsKey } = config;
  const paths = {
    kafka: [kafkaCa, kafkaCert, kafkaKey],
    cassandra: [cassandraCa, cassandraCert, cassandraKey],
    admin: [adminTlsCa, adminTlsCert, adminTlsKey],
    public: [tlsCert, tlsKey],
  };
  return paths[engine].filter((path) => path !== null);
}

/** PEM texts, for a client of TLS. What is left out: the system's authorities, and no certificate of our own. */
export interface PemTexts {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * What the files hold that the settings of an engine's TLS name. Throws ConfigError, a line for each file that can't be
 * read or used.
 */
export function readEngineFiles(engine: TlsPlace, config: EngineFiles): PemTexts {
  const problems: string[] = [];
  const read = (name: FileSetting, isUsable: (text: string) => string | null): string | undefined => {
    const path = config[name];
    if (path === null) return undefined;
    const { variable } = SETTINGS[name];
    try {
      const text = readFileSync(path, 'utf8');
      const trouble = isUsable(text);
      if (trouble === null) return text;
      problems.push(`${variable} names ${path}, ${trouble}`);
    } catch (error) {
      problems.push(`${variable} can't be read: ${(error as Error).message}`);
    }
    return undefined;
  };
  const [caName, certName, keyName] = ENGINE_FILES[engine];
  const ca = caName === null ? undefined : read(caName, certificatesTrouble);
  const cert = read(certName, certificatesTrouble);
  const key = read(keyName, () => null);
  if (cert !== undefined && key !== undefined) {
    const trouble = pairTrouble(cert, key);
    if (trouble !== null)
      problems.push(
        `${SETTINGS[certName].variable} and ${SETTINGS[keyName].variable} are no certificate and its key, as PEM: ${trouble}`,
      );
  }
  if (problems.length > 0) throw new ConfigError(...problems);
  return { ...(ca !== undefined && { ca }), ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) };
}

/** Node passes over what is no certificate, and would then trust nobody, or show none. */
function certificatesTrouble(text: string): string | null {
  const found = text.match(CERTIFICATES) ?? [];
  if (found.length === 0) return 'which holds no certificate as PEM';
  try {
    for (const each of found) new X509Certificate(each);
    return null;
  } catch (error) {
    return `which holds a broken certificate: ${(error as Error).message}`;
  }
}

function pairTrouble(cert: string, key: string): string | null {
  try {
    createSecureContext({ cert, key });
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
