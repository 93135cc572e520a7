/**
 * Seals secrets at rest. `context` (a Channel's id, for example) is authenticated: a sealed value opens only under the
 * context that it was sealed for.
 */
export interface SecretBox {
  seal(plain: string, context: string): string;
  /** Throws when the value was altered, sealed by an unknown key, or for another context. */
  open(sealed: string, context: string): string;
}
