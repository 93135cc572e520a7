import { MAX_SLICE_ROWS, type TableStore } from '#ports/table-store.ts';
import { BODY_FORMAT, decodeBody, encodeBody } from '../rows/body.ts';
import { OPERATOR_CALLS } from '../declarations/tables.ts';

/** A call of an operator that changed something, or was to. */
export interface OperatorCall {
  readonly id: string;
  readonly at: number;
  /** The name of the operator's token. */
  readonly actor: string;
  readonly procedure: string;
  /** Which Workspace it was about; null: about none, or about the whole installation. */
  readonly workspaceId: string | null;
  /** `done`, or the code of the refusal or failure. */
  readonly outcome: string;
}

export interface OperatorCallFilter {
  readonly workspaceId: string | null;
  /** Instants, both included. */
  readonly from: number;
  readonly to: number;
  /** Only calls after this one in the list, that is older ones. */
  readonly before: Pick<OperatorCall, 'at' | 'id'> | null;
  readonly limit: number;
}

const DAY_MS = 86_400_000;
export const OPERATOR_CALLS_KEPT_MS = 400 * DAY_MS;
/** Readers judge by the stored instant; the row goes a day later, since clocks differ. */
const TTL_SECONDS = (OPERATOR_CALLS_KEPT_MS + DAY_MS) / 1000;

const dayOf = (at: number): number => Math.floor(at / DAY_MS);

/** Rejects with `PortError`; then the call may be kept. */
export async function keepOperatorCall(
  store: Pick<TableStore, 'insert'>,
  { id, at, ...value }: OperatorCall,
): Promise<void> {
  const row = { partition: [dayOf(at)], clustering: [at, id], body: encodeBody(value), format: BODY_FORMAT };
  await store.insert(OPERATOR_CALLS, [{ ...row, ttlSeconds: TTL_SECONDS }]);
}

/** Calls newest first, read day by day until `limit` are found. Rejects with `PortError`. */
export async function listOperatorCalls(
  store: TableStore,
  { workspaceId, from, to, before, limit }: OperatorCallFilter,
): Promise<{ readonly calls: readonly OperatorCall[]; readonly more: boolean }> {
  const calls: OperatorCall[] = [];
  const latest = Math.min(to, before?.at ?? to);
  for (let day = dayOf(latest); day >= dayOf(from) && calls.length <= limit; day--) {
    let after: readonly [number, string] | null =
      before !== null && dayOf(before.at) === day ? [before.at, before.id] : null;
    for (;;) {
      const rows = await store.slice(
        OPERATOR_CALLS,
        [day],
        after === null ? { limit: MAX_SLICE_ROWS } : { after, limit: MAX_SLICE_ROWS },
      );
      for (const row of rows) {
        const [at, id] = row.clustering as readonly [number, string];
        after = [at, id];
        const body = decodeBody<Omit<OperatorCall, 'id' | 'at'>>(row);
        if (body === null || at < from || at > to) continue;
        if (workspaceId === null || body.workspaceId === workspaceId) calls.push({ id, at, ...body });
      }
      if (rows.length < MAX_SLICE_ROWS || calls.length > limit) break;
    }
  }
  return { calls: calls.slice(0, limit), more: calls.length > limit };
}
