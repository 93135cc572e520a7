import type { Endpoints } from '#domain/webhook/endpoint.ts';
import { secretContext } from '#domain/webhook/endpoint.ts';
import type { Key, Table } from '#ports/table.ts';
import { CONNECTIONS, INSTALLATION, OAUTH_RECORDS, SIGN_INS, WORKSPACE_VIEWS } from '../declarations/tables.ts';
import type { Connection } from './connections.ts';
import { OAUTH_KEYS_ROW, oauthKeyContext, type SealedKey } from './oauth-keys.ts';
import { oauthRecordContext, oauthRecordTtl, type OAuthRecord } from './oauth-records.ts';
import { PROBE_CONTEXT, PROBE_KEY, type SecretProbe } from './secret-probe.ts';
import type { SignIn } from './sign-ins.ts';
import { ENDPOINTS_VIEW } from './workspaces.ts';

/** What a value is sealed for comes with it. Returns what stands in its place. */
export type EachSealed = (sealed: string, context: string) => string;

/** A kind of rows that hold sealed values. Every use of the secret box that is stored is one of them. */
export interface SealedRows<T = never> {
  readonly kind: 'installation' | 'connections' | 'oauthRecords' | 'endpoints' | 'signIns';
  readonly table: Table;
  /** The only partitions that hold some; null: all of the table. */
  readonly partitions: readonly Key[] | null;
  readonly clustering: Key;
  /**
   * `rows`: replaced by compare-and-set. `command`: by a turn of the Workspace. `expire`: they are left alone, because
   * they are gone within the hour, and a change would make a person begin anew.
   */
  readonly by: 'rows' | 'command' | 'expire';
  /** The body with each of its sealed values as `each` returns it. */
  map(body: T, partition: Key, each: EachSealed): T;
  ttlSeconds(body: T, now: number): number | null;
  /** Until when another process is about to replace it by what it must not lose; 0: none is. */
  busyUntil(body: T): number;
}

function sealedRows<T>(
  rows: Pick<SealedRows<T>, 'kind' | 'table' | 'map' | 'by'> & Partial<SealedRows<T>>,
): SealedRows<unknown> {
  const defaults = { partitions: null, clustering: [], ttlSeconds: () => null, busyUntil: () => 0 };
  return { ...defaults, ...rows } as unknown as SealedRows<unknown>;
}

/** In the order in which they are sealed anew: the row by which a start tells a wrong secret comes last. */
export const SEALED_ROWS: readonly SealedRows<unknown>[] = [
  sealedRows<Connection>({
    kind: 'connections',
    table: CONNECTIONS,
    by: 'rows',
    map: (body, [channelId], each) =>
      body.sealed === '' ? body : { ...body, sealed: each(body.sealed, String(channelId)) },
    busyUntil: ({ refresh }) => (refresh.state === 'claimed' ? refresh.until : 0),
  }),
  sealedRows<OAuthRecord>({
    kind: 'oauthRecords',
    table: OAUTH_RECORDS,
    by: 'rows',
    map: (body, [kind, idHash], each) => ({
      ...body,
      sealed: each(body.sealed, oauthRecordContext({ kind: String(kind), idHash: String(idHash) })),
    }),
    ttlSeconds: oauthRecordTtl,
  }),
  sealedRows<Endpoints>({
    kind: 'endpoints',
    table: WORKSPACE_VIEWS,
    clustering: ENDPOINTS_VIEW,
    by: 'command',
    map: (body, _, each) =>
      Object.fromEntries(
        Object.values(body).map((endpoint) => [
          endpoint.id,
          {
            ...endpoint,
            secrets: endpoint.secrets.map((secret) => ({
              ...secret,
              sealed: each(secret.sealed, secretContext(endpoint.id)),
            })),
          },
        ]),
      ),
  }),
  sealedRows<SignIn>({
    kind: 'signIns',
    table: SIGN_INS,
    by: 'expire',
    map: (body, [id], each) => {
      const { at } = body;
      if (at.stage === 'started')
        return { ...body, at: { ...at, sealedVerifier: each(at.sealedVerifier, String(id)) } };
      if (at.stage === 'choosing')
        return { ...body, at: { ...at, sealedAccounts: each(at.sealedAccounts, String(id)) } };
      return body;
    },
  }),
  sealedRows<{ readonly keys: readonly SealedKey[] }>({
    kind: 'installation',
    table: INSTALLATION,
    partitions: [OAUTH_KEYS_ROW],
    by: 'rows',
    map: ({ keys }, _, each) => ({
      keys: keys.map((key) => ({ ...key, sealed: each(key.sealed, oauthKeyContext(key.id)) })),
    }),
  }),
  sealedRows<SecretProbe>({
    kind: 'installation',
    table: INSTALLATION,
    partitions: [PROBE_KEY],
    by: 'rows',
    map: (probe, _, each) => ({ ...probe, sealed: each(probe.sealed, PROBE_CONTEXT) }),
  }),
];
