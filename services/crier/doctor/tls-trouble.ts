import { ENGINE_FILES, type TlsEngine } from '#config/pem-files.ts';
import { SETTINGS } from '#config/settings.ts';

const UNTRUSTED: readonly string[] = [
  'CERT_SIGNATURE_FAILURE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

interface ErrorFields {
  readonly code?: unknown;
  readonly message?: string;
  readonly cause?: unknown;
  /** Of cassandra-driver: what happened at each node. */
  readonly innerErrors?: Readonly<Record<string, unknown>>;
}

/** What is wrong with the TLS of an engine, in a sentence that names the setting; null: something else is wrong. */
export function tlsTrouble(engine: TlsEngine, error: unknown): string | null {
  const [ca, cert] = ENGINE_FILES[engine].map((name) => SETTINGS[name].variable);
  for (const { code, message } of errorsIn(error)) {
    if (typeof code !== 'string') continue;
    if (UNTRUSTED.includes(code))
      return `${ca} does not hold the authority that signed the certificate of ${engine} (${message}): put that authority into the file`;
    if (code === 'CERT_HAS_EXPIRED') return `the certificate of ${engine} has expired: renew it there`;
    if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
      return `the certificate of ${engine} does not name the address that Crier connects to (${message}): issue it with that name`;
    if (/^ERR_SSL_.*ALERT/.test(code))
      return `${engine} does not accept the certificate of ${cert} (${code
        .replace(/^ERR_SSL_/, '')
        .toLowerCase()
        .replaceAll('_', ' ')}): use one that its authorities signed`;
    if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG')
      return `${engine} does not speak TLS at this port: name the port of its TLS listener`;
  }
  return null;
}

function errorsIn(error: unknown, depth = 0): readonly ErrorFields[] {
  if (depth > 10 || typeof error !== 'object' || error === null) return [];
  const fields = error as ErrorFields;
  return [
    fields,
    ...[fields.cause, ...Object.values(fields.innerErrors ?? {})].flatMap((each) => errorsIn(each, depth + 1)),
  ];
}
