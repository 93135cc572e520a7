/**
 * The address as a link may name it; null: it is none of the web. Addresses come from Networks, too: one with another
 * scheme, such as `javascript:`, would run in our page.
 */
export function webAddress(address: string): string | null {
  const url = URL.parse(address);
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}
