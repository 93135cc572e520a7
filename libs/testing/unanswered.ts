import { HttpFailure } from '#ports/http-client.ts';
import type { PublicHttp } from '#ports/public-http.ts';

/** A public-http port on which no address answers. */
export const unanswered: PublicHttp = {
  send: async ({ url }) => {
    throw new HttpFailure(`${new URL(url).host} does not answer`, false);
  },
};
