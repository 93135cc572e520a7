import type { Download } from '#ports/download.ts';
import { HttpFailure } from '#ports/http-client.ts';
import type { PublicHttp } from '#ports/public-http.ts';
import type { Config } from '#config/config.ts';

export interface PictureHttpOptions {
  readonly publicHttp: PublicHttp;
  readonly download: Download;
  readonly sandboxUrl: string;
}

/**
 * Fetches pictures of accounts. A Network's word is no reason to trust an address, so they come by the guarded client.
 * Only the sandbox, which serves them inside the installation and without TLS, is asked directly.
 */
export function createPictureHttp(
  { networks }: Pick<Config, 'networks'>,
  { publicHttp, download, sandboxUrl }: PictureHttpOptions,
): PublicHttp {
  if (networks === 'live') return publicHttp;
  const { origin } = new URL(sandboxUrl);
  return {
    async send(request) {
      const { url, timeoutMs } = request;
      if (!URL.canParse(url) || new URL(url).origin !== origin) return publicHttp.send(request);
      try {
        const { status, contentType, body } = await download.get({ url, timeoutMs });
        return { status, headers: { 'content-type': contentType }, body };
      } catch (error) {
        throw new HttpFailure(error instanceof Error ? error.message : String(error), true, { cause: error });
      }
    },
  };
}
