/** Names below which no domain of the internet exists. In a sandbox they are the installation's own. */
const NOBODYS = ['test', 'localhost', 'local', 'internal'];

const isBelow = (hostname: string, domain: string): boolean => hostname === domain || hostname.endsWith(`.${domain}`);

/** This machine, a machine on the local network, or a name that only tests and private networks have. */
function isHere(hostname: string): boolean {
  return (
    hostname === '[::1]' ||
    /^127(\.\d{1,3}){3}$/.test(hostname) ||
    !/[.:]/.test(hostname) ||
    NOBODYS.some((domain) => isBelow(hostname, domain))
  );
}

/** Whether TikTok fetches from there: over https from verified domains of the app; over any scheme from local names. */
export function isVerified(url: string, domains: readonly string[]): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') return false;
  return (
    isHere(hostname) || (protocol === 'https:' && domains.some((domain) => isBelow(hostname, domain.toLowerCase())))
  );
}
