import type { Download } from '#ports/download.ts';
import { sameListener } from './sandbox-calls.ts';

/** The sandbox fetches what is below `mediaUrl` from below `filesUrl`, and other files where they are. */
export function filesFrom(
  filesUrl: string,
  { mediaUrl, download }: { readonly mediaUrl: string; readonly download: Download },
): Download {
  const reached = sameListener(mediaUrl, filesUrl);
  return { get: (request) => download.get({ ...request, url: reached(request.url) }) };
}
