/**
 * Whether an address that a Network handed us, for an upload or a further page, may be called with the account's token:
 * under one of our own addresses of that Network, or https at a host that ends in one of its domains (`.facebook.com`).
 */
export function isTrustedAddress(address: string, own: readonly string[], domains: readonly string[]): boolean {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  if (url.username !== '' || url.password !== '') return false;
  if (own.some((base) => URL.canParse(base) && new URL(base).origin === url.origin)) return true;
  return url.protocol === 'https:' && url.port === '' && domains.some((domain) => `.${url.hostname}`.endsWith(domain));
}
