import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { ConfigError } from '#config/config.ts';

/** The PEM texts of both files. Throws ConfigError for files that can't be read, or that no server can be made of. */
export async function readTlsFiles(
  certPath: string,
  keyPath: string,
): Promise<{ readonly cert: string; readonly key: string }> {
  const cert = await read('CRIER_TLS_CERT', certPath);
  const key = await read('CRIER_TLS_KEY', keyPath);
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw new ConfigError(
      `CRIER_TLS_CERT and CRIER_TLS_KEY are no certificate and its key, as PEM: ${(error as Error).message}`,
    );
  }
  return { cert, key };
}

async function read(variable: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new ConfigError(`${variable} can't be read: ${(error as Error).message}`);
  }
}
