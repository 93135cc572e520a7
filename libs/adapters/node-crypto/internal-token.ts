import { hkdfSync } from 'node:crypto';

const BYTES = 32;

/**
 * The credential by which processes of an installation know each other, derived from its secret: it opens no procedure
 * of operators, and nobody has to set it.
 */
export const internalTokenOf = (secret: string): string =>
  Buffer.from(hkdfSync('sha256', secret, '', 'crier hints between processes v1', BYTES)).toString('base64url');
