/**
 * Seals secrets at rest. `context` (a Channel's id, for example) is authenticated: a sealed value opens only under the
 * context that it was sealed for.
 */
export interface SecretBox {
  seal(plain: string, context: string): string;
  /** Throws when the value was altered, sealed by an unknown key, or for another context. */
  open(sealed: string, context: string): string;
  /** Short names of the keys, which reveal nothing of them: first the one that seals, then those that only open. */
  readonly keyIds: readonly [string, ...string[]];
  /** The name of the key that a value is sealed under; null: it is no sealed value. It may be none of ours. */
  keyIdOf(sealed: string): string | null;
}
