import type { Download } from '#ports/download.ts';

/**
 * Fetches what is at an address below `mediaUrl` from the same path below `filesUrl`, which leads to the same listener:
 * the address that people and Networks use may lead nowhere from where the sandbox runs. Other addresses are unchanged.
 */
export function filesFrom(
  filesUrl: string,
  { mediaUrl, download }: { readonly mediaUrl: string; readonly download: Download },
): Download {
  const reached = (url: string): string =>
    url.startsWith(`${mediaUrl}/`) ? `${filesUrl.replace(/\/+$/, '')}${url.slice(mediaUrl.length)}` : url;
  return { get: (request) => download.get({ ...request, url: reached(request.url) }) };
}
