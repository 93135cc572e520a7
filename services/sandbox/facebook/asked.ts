import type { Fault, NetworkFault } from '../faults.ts';
import type { Incoming } from '../exchange.ts';
import type { Holder } from '../grants.ts';
import type { Limits } from '../limits.ts';
import type { SimulatorDeps } from '../simulator.ts';
import type { FacebookRecords } from './records.ts';

/** Of any 24 hours; can be set otherwise. */
export const FACEBOOK_LIMITS = { reelsPerDay: 30 };
export type FacebookLimit = keyof typeof FACEBOOK_LIMITS;

export interface FacebookDeps extends SimulatorDeps {
  readonly records: FacebookRecords;
  readonly limits: Limits<FacebookLimit>;
}

/** A call with a token of a Page, admitted. */
export interface PageAsked {
  readonly request: Incoming;
  readonly parameters: URLSearchParams;
  /** The parts of a multipart body; null when it is none. */
  readonly parts: FormData | null;
  readonly holder: Holder;
  readonly pageId: string;
  readonly fault: Fault<NetworkFault> | null;
  readonly now: number;
}

/** The bytes of a part that is a file; null when there is none such. */
export async function bytesOfPart(parts: FormData | null, name: string): Promise<Uint8Array | null> {
  const part = parts?.get(name) ?? null;
  return part === null ? null : typeof part === 'string' ? new TextEncoder().encode(part) : part.bytes();
}
