import { HttpFailure } from '#ports/http-client.ts';
import type { PublicHttp } from '#ports/public-http.ts';

/** An internet on which nobody is. */
export const unanswered: PublicHttp = {
  send: async ({ url }) => {
    throw new HttpFailure(`${new URL(url).host} is not there`, false);
  },
};
