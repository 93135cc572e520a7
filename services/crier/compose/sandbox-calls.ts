import type { OwnAddresses } from '#config/own-addresses.ts';
import type { Download } from '#ports/download.ts';
import type { HttpClient } from '#ports/http-client.ts';

type SandboxAddresses = Pick<OwnAddresses, 'sandboxUrl' | 'sandboxInternalUrl'>;

/**
 * What is below `from`, below `to`, which leads to the same listener: an address that people use may lead nowhere from
 * where a process runs. Other addresses are unchanged.
 */
export function sameListener(from: string, to: string): (url: string) => string {
  const base = to.replace(/\/+$/, '');
  return (url) => (url.startsWith(`${from}/`) ? base + url.slice(from.length) : url);
}

/**
 * Sends requests to the sandbox Networks, which name the address for people in all that they answer (uploads, pages of
 * lists), to where processes reach them.
 */
export function httpToSandbox(http: HttpClient, addresses: SandboxAddresses): HttpClient {
  const reached = sameListener(addresses.sandboxUrl, addresses.sandboxInternalUrl);
  return { send: (request) => http.send({ ...request, url: reached(request.url) }) };
}

/** The same for files of the sandbox Networks, such as pictures of accounts. */
export function downloadFromSandbox(download: Download, addresses: SandboxAddresses): Download {
  const reached = sameListener(addresses.sandboxUrl, addresses.sandboxInternalUrl);
  return { get: (request) => download.get({ ...request, url: reached(request.url) }) };
}
