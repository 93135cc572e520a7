import type { Network } from '#domain/network.ts';
import type { Clock } from '#ports/clock.ts';
import type { RemoteIds } from './remote-ids.ts';
import { shelf, type SandboxStore } from './store/store.ts';

export interface Account {
  readonly network: Network;
  /** Unique over all Networks. */
  readonly accountId: string;
  /** Unique in its Network. */
  readonly username: string;
  readonly name: string;
  /** The kind that the Network's limits depend on: the subscription at x; '' elsewhere. */
  readonly kind: string;
  /** Grants of an older generation are dead. */
  readonly generation: number;
  readonly createdAt: number;
}

export interface NewAccount {
  readonly network: Network;
  readonly name: string;
  readonly kind: string;
  /** Chosen by the caller, or null for the next free one. */
  readonly accountId: string | null;
}

export interface Accounts {
  get(accountId: string): Account | null;
  byUsername(network: Network, username: string): Account | null;
  /** Oldest first. */
  list(network: Network): readonly Account[];
  /** The caller has checked that `accountId` is free. */
  create(account: NewAccount): Account;
  /** Ends every grant given so far; later ones work. False: there is no such account. */
  revoke(accountId: string): boolean;
}

const USERNAME_LENGTH = 15;

function usernameFrom(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  return plain.slice(0, USERNAME_LENGTH) || 'account';
}

export function createAccounts(store: SandboxStore, clock: Pick<Clock, 'now'>, remoteIds: RemoteIds): Accounts {
  const accounts = shelf<Account>(store, 'accounts');
  const byNetwork = shelf<{ readonly accountId: string }>(store, 'accounts-by-network');
  const usernames = shelf<{ readonly accountId: string }>(store, 'usernames');
  return {
    get: (accountId) => accounts.get(accountId),
    byUsername(network, username) {
      const found = usernames.get(`${network}/${username}`);
      return found === null ? null : accounts.get(found.accountId);
    },
    list: (network) => byNetwork.scan({ prefix: `${network}/` }).map(({ value }) => accounts.get(value.accountId)!),
    create({ network, name, kind, accountId: chosen }) {
      const accountId = chosen ?? remoteIds.next();
      const wished = usernameFrom(name);
      const free = usernames.get(`${network}/${wished}`) === null;
      const username = free ? wished : `${wished.slice(0, 4)}_${accountId.slice(-10)}`;
      const createdAt = clock.now();
      const account: Account = { network, accountId, username, name, kind, generation: 1, createdAt };
      accounts.put(accountId, account);
      byNetwork.put(`${network}/${String(createdAt).padStart(15, '0')}/${accountId}`, { accountId });
      usernames.put(`${network}/${username}`, { accountId });
      return account;
    },
    revoke(accountId) {
      const account = accounts.get(accountId);
      if (account === null) return false;
      accounts.put(accountId, { ...account, generation: account.generation + 1 });
      return true;
    },
  };
}
