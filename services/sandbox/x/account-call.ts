import type { SandboxAnswer, Incoming } from '../exchange.ts';
import type { Fault, NetworkFault } from '../faults.ts';
import type { GrantHolder } from '../grants.ts';
import type { SimulatorCall, SimulatorOptions } from '../simulator.ts';
import { NEEDED_SCOPES, type AccountCall } from './calls.ts';
import { playFault } from './faults.ts';
import { missingScope, tooManyRequests, unauthorized, withHeaders } from './problems.ts';
import type { RateWindows } from './rate-windows.ts';

export interface AccountCallOptions extends SimulatorOptions {
  readonly windows: RateWindows;
}

/** A call's data beside its address. */
export interface SentCall {
  /** The part of a form that is called `media`. */
  readonly bytes: Uint8Array | null;
  /** Fields of a form, of either kind. */
  readonly fields: URLSearchParams;
  readonly fault: Fault<NetworkFault> | null;
}

async function readSent(request: Incoming, fault: SentCall['fault']): Promise<SentCall> {
  const parts = await request.parts();
  const fields = request.form();
  for (const [field, value] of parts ?? []) if (typeof value === 'string') fields.set(field, value);
  const media = parts?.get('media') ?? null;
  return {
    bytes: media === null ? null : typeof media === 'string' ? new TextEncoder().encode(media) : await media.bytes(),
    fields,
    fault,
  };
}

/** A call on behalf of an account: checks the token, the rate limits and the scope. */
export function accountCall(
  request: Incoming,
  name: AccountCall,
  options: AccountCallOptions,
  work: (holder: GrantHolder, sent: SentCall) => SandboxAnswer,
): SimulatorCall {
  return {
    name,
    async perform(fault) {
      const sent = await readSent(request, fault);
      const value = /^Bearer (\S+)$/i.exec(request.header('authorization'))?.[1] ?? '';
      const found = options.grants.look('x', value, options.clock.now());
      if (found.state !== 'live' || found.token.kind !== 'access') return unauthorized();
      const played = fault === null ? null : playFault(fault, name, found, options);
      if (played !== null) return played;
      const { admitted, headers } = options.windows.admit(name, found.account.accountId, options.clock.now());
      if (!admitted) return withHeaders(tooManyRequests(), headers);
      const missing = NEEDED_SCOPES[name].filter((scope) => !found.grant.scopes.includes(scope));
      return withHeaders(missing.length > 0 ? missingScope(missing) : work(found, sent), headers);
    },
  };
}
