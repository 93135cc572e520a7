import { isLoopback } from '#config/own-addresses.ts';

export interface UserAgentOptions {
  readonly version: string;
  /** Where clients reach the API. Left out of the text when only this machine reaches it. */
  readonly publicUrl: string;
}

/** What requests of this installation say of themselves, so that the server which is asked can tell by whom. */
export function userAgentOf({ version, publicUrl }: UserAgentOptions): string {
  return isLoopback(new URL(publicUrl).hostname) ? `crier/${version}` : `crier/${version} (+${publicUrl})`;
}
