import { type TableStore, MAX_SLICE_ROWS } from '#ports/table-store.ts';
import type { RowWrite } from '#ports/table.ts';
import { BODY_FORMAT } from '../rows/body.ts';
import { REQUESTS } from '../declarations/tables.ts';

/** A request that wants to count against a credential, or something else that is counted by the minute. */
export interface Claim {
  /** By the clock of the replica that made it. */
  readonly at: number;
  readonly requestId: string;
  /** Which replica's clock `at` is of: 1 to 64 characters. */
  readonly replica: string;
  /** How much it counts for, at least 1. */
  readonly uses: number;
}

export interface ClaimRow extends Claim {
  /** `refused`: the claim of the same `at` and `requestId` does not count after all. */
  readonly kind: 'claim' | 'refused';
}

// Sorts behind its claim, and no request id ends so.
const REFUSED = '~refused';
/** Rows are of no use after their window and the clocks' skew. */
const KEPT_AFTER_WINDOW_SECONDS = 240;
const MINUTE_MS = 60_000;

const EMPTY = Buffer.from('-', 'latin1');

function rowOf(credentialId: string, claim: Claim, { suffix, windowMs }: RowForm): RowWrite {
  // No replica's name has a space.
  const body =
    suffix === '' ? Buffer.from(claim.uses === 1 ? claim.replica : `${claim.replica} ${claim.uses}`, 'latin1') : EMPTY;
  return {
    partition: [credentialId],
    clustering: [claim.at, claim.requestId + suffix],
    body,
    format: BODY_FORMAT,
    ttlSeconds: Math.ceil(windowMs / 1000) + KEPT_AFTER_WINDOW_SECONDS,
  };
}

interface RowForm {
  readonly suffix: '' | typeof REFUSED;
  readonly windowMs: number;
}

/** The rows by which requests are counted. All reject with `PortError`. */
export interface RequestRows {
  /** Makes claims. Each must be new: `requestId`s are never used twice. They count for `windowMs`, or a minute. */
  insert(credentialId: string, claims: readonly Claim[], windowMs?: number): Promise<void>;
  /** Takes claims back; harmless when repeated. */
  refuse(credentialId: string, claims: readonly Claim[], windowMs?: number): Promise<void>;
  /** Every row stamped at or after `from`, in order of (at, requestId), a refusal right behind its claim. */
  read(credentialId: string, from: number): Promise<readonly ClaimRow[]>;
}

export function createRequestRows(store: TableStore): RequestRows {
  const write =
    (suffix: RowForm['suffix']): RequestRows['insert'] =>
    (credentialId, claims, windowMs = MINUTE_MS) =>
      store.insert(
        REQUESTS,
        claims.map((claim) => rowOf(credentialId, claim, { suffix, windowMs })),
      );
  return {
    insert: write(''),
    refuse: write(REFUSED),
    read: (credentialId, from) => readClaims(store, credentialId, from),
  };
}

async function readClaims(store: TableStore, credentialId: string, from: number): Promise<readonly ClaimRow[]> {
  const claims: ClaimRow[] = [];
  let bounds: { readonly from: readonly [number] } | { readonly after: readonly [number, string] } = { from: [from] };
  for (;;) {
    const rows = await store.slice(REQUESTS, [credentialId], { ...bounds, limit: MAX_SLICE_ROWS });
    for (const row of rows) {
      const [at, id] = row.clustering as [number, string];
      const refused = id.endsWith(REFUSED);
      const [replica = '', uses = '1'] = refused ? [] : Buffer.from(row.body).toString('latin1').split(' ');
      claims.push({
        at,
        requestId: refused ? id.slice(0, -REFUSED.length) : id,
        replica,
        uses: Number(uses),
        kind: refused ? 'refused' : 'claim',
      });
    }
    if (rows.length < MAX_SLICE_ROWS) return claims;
    bounds = { after: rows.at(-1)!.clustering as [number, string] };
  }
}
