import type { Clock } from '#ports/clock.ts';
import type { HttpClient } from '#ports/http-client.ts';
import type { Reporter } from '#reporting/reporter.ts';
import { MAX_OFF_MS } from './clock-check.ts';
import type { ClockLead } from './clock-lead.ts';

/** A Date has whole seconds. */
const RESOLUTION_MS = 1_000;

/**
 * Compares the Date of each answer of a Network with this machine's clock, and says so when they differ: where no
 * engine has a machine of its own, nobody else here knows the time.
 */
export function withDates(
  http: HttpClient,
  {
    clock,
    reporter,
    lead,
  }: {
    readonly clock: Pick<Clock, 'unmoved'>;
    readonly reporter: Pick<Reporter, 'report'>;
    readonly lead?: Pick<ClockLead, 'note'>;
  },
): HttpClient {
  return {
    send: async (request) => {
      const askedAt = clock.unmoved();
      const response = await http.send(request);
      const instant = Date.parse(response.headers['date'] ?? '');
      const aheadMs = askedAt - (instant + RESOLUTION_MS);
      const behindMs = instant - clock.unmoved();
      if (!Number.isNaN(instant)) lead?.note(aheadMs > 0 ? aheadMs : Math.min(0, -behindMs));
      // Both are NaN without a Date, and not greater then.
      const [offMs, direction] = aheadMs > behindMs ? [aheadMs, 'ahead of'] : [behindMs, 'behind'];
      if (offMs > MAX_OFF_MS)
        reporter.report('clock-doubted', {
          detail: `the clock of this machine is ${Math.round(offMs / 1_000)} s ${direction} that of ${new URL(request.url).host}: Posts start that much ${aheadMs > 0 ? 'early' : 'late'}; set it right (timedatectl and chronyc tracking say more)`,
        });
      return response;
    },
  };
}
