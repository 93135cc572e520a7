/** The only source of randomness outside `libs/adapters`. */
export interface Ids {
  /**
   * A UUIDv7 (lower case) carrying `now` in its first 48 bits; ids made by one process in one millisecond still ascend.
   */
  uuid7(now: number): string;
  /** An unguessable token: `bytes` random bytes, base64url. */
  token(bytes?: number): string;
  /** A number in [0, 1), for jitter. */
  random(): number;
}
