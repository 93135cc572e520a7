import { isLoopback } from '#config/own-addresses.ts';

/**
 * Whether an app has registered this redirect address. Compared exactly, except for the port where both lead to this
 * machine (RFC 8252, section 7.3): processes of one installation may have chosen their ports by themselves.
 */
export function isRegistered(redirectUri: string, registered: readonly string[]): boolean {
  if (registered.includes(redirectUri)) return true;
  if (!URL.canParse(redirectUri)) return false;
  const asked = new URL(redirectUri);
  return (
    isLoopback(asked.hostname) &&
    registered.some((each) => isLoopback(new URL(each).hostname) && withoutPort(each) === withoutPort(redirectUri))
  );
}

function withoutPort(address: string): string {
  const url = new URL(address);
  url.port = '';
  return url.href;
}
