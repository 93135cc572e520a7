import { createMemoryClock, type MemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { MemoryTables } from '#adapters/memory/memory-tables.ts';
import { createMemoryReporter, type MemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore, type TableHooks } from '#adapters/memory/table-store.ts';
import type { CommandSender, OperatorCommand } from '#commands/operator-command.ts';
import { accountIdOf } from '#domain/account.ts';
import type { Result } from '#domain/workspace/results.ts';
import type { Ids } from '#ports/ids.ts';
import type { TableStore } from '#ports/table-store.ts';
import type { Membership } from '#tables/repositories/memberships.ts';
import { createSessionRows } from '#tables/repositories/sessions.ts';
import { BrowserSessions } from './sessions.ts';
import { LinkSignIn } from './link-sign-in.ts';
import { SignInLinks } from './sign-in-links.ts';

export const ADA = 'ada@example.com';
export const GRACE = 'grace@example.com';
export const PUBLIC_URL = 'http://crier.test';

/** Workspaces as people see them: memberships, and the commands that change them. */
export class FakeWorkspaces {
  readonly commands: (OperatorCommand & { readonly workspaceId: string })[] = [];
  /** Of whoever ordered each command. */
  readonly addresses: (string | null)[] = [];
  readonly #memberships = new Map<string, Membership>();
  /** In place of doing a command. */
  answer: ((command: OperatorCommand) => Result | null) | null = null;

  add(membership: Partial<Membership> & Pick<Membership, 'email'>): Membership {
    const whole: Membership = {
      workspaceId: 'w1',
      workspaceName: 'Tea House',
      workspaceZone: null,
      memberId: 'm1',
      name: 'Ada',
      role: 'editor',
      emailVerified: true,
      removed: false,
      ...membership,
    };
    this.#memberships.set(`${accountIdOf(whole.email)}/${whole.workspaceId}`, whole);
    return whole;
  }

  readonly list = async (accountId: string): Promise<readonly Membership[]> =>
    [...this.#memberships].filter(([key]) => key.startsWith(`${accountId}/`)).map(([, membership]) => membership);

  readonly send = async (
    workspaceId: string,
    command: OperatorCommand,
    { address = null }: CommandSender = {},
  ): Promise<Result> => {
    this.commands.push({ ...command, workspaceId });
    this.addresses.push(address);
    const own = this.answer?.(command) ?? null;
    if (own !== null) return own;
    if (command.type === 'VerifyEmail') {
      const [key, membership] = [...this.#memberships].find(([, one]) => one.memberId === command.memberId)!;
      this.#memberships.set(key, { ...membership, emailVerified: true });
    }
    if (command.type === 'AcceptInvitation') {
      const { email, memberId, name } = command;
      this.add({ workspaceId, email, memberId, name, role: 'viewer' });
    }
    if (command.type === 'CreateWorkspace') {
      const { owner, name: workspaceName, timeZone: workspaceZone = null } = command;
      this.add({ workspaceId, workspaceName, workspaceZone, ...owner, role: 'owner' });
    }
    return { ok: true, kind: 'done' };
  };
}

/** What the pages for people stand on, in memory. */
export interface PeopleWorld {
  readonly clock: MemoryClock;
  readonly ids: Ids;
  readonly reporter: MemoryReporter;
  readonly store: TableStore;
  readonly workspaces: FakeWorkspaces;
  /** The same installation through a store whose calls stop at `hooks`. */
  through(hooks: TableHooks): PeopleWorld;
}

export function createPeopleWorld(): PeopleWorld {
  const clock = createMemoryClock();
  const tables = new MemoryTables();
  const base = {
    clock,
    ids: createSeededIds(7),
    reporter: createMemoryReporter(),
    workspaces: new FakeWorkspaces(),
  };
  const through = (hooks?: TableHooks): PeopleWorld => ({
    ...base,
    store: createMemoryTableStore({ clock, tables, ...(hooks !== undefined && { hooks }) }),
    through,
  });
  return through();
}

/** The parts that sign people in, over one store. */
export function signInOf({ clock, ids, reporter, store, workspaces }: PeopleWorld) {
  const rows = createSessionRows(store, () => ids.token());
  const sessions = new BrowserSessions({ rows, clock, ids, reporter, publicUrl: PUBLIC_URL });
  const links = new SignInLinks({ store, clock, ids, publicUrl: PUBLIC_URL });
  const signIn = new LinkSignIn({
    links,
    sessions,
    memberships: workspaces.list,
    sendCommand: workspaces.send,
    reporter,
  });
  return { sessions, links, signIn };
}
