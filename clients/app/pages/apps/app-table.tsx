import { useState } from 'react';
import type { Permission, Registration } from '#domain/workspace/state.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { LastUsed } from '../../parts/last-used.tsx';
import { Table, type TableColumn } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useWorkspace } from '../../workspace/workspace.ts';
import { PermissionList } from '../access/permission-words.tsx';
import { useChange } from '../access/use-change.ts';
import { isolating } from '../../parts/isolating.ts';

export interface ListedApp {
  readonly approvalId: string;
  /** What it calls itself. */
  readonly name: string;
  readonly registered: Registration;
  /** Where it sends people back to. */
  readonly redirectHost: string;
  /** The Member who approved it. */
  readonly by: string | null;
  readonly isMine: boolean;
  readonly permissions: readonly Permission[];
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
}

const COLUMNS: readonly TableColumn<ListedApp>[] = [
  { name: 'Calls itself', isHeader: true, render: (app) => <AppName {...app} /> },
  { name: 'Sends people back to', render: ({ redirectHost }) => <bdi>{redirectHost}</bdi> },
  { name: 'Approved by', render: ({ by, isMine }) => (isMine ? 'You' : <bdi>{by ?? 'Nobody'}</bdi>) },
  { name: 'May', render: ({ permissions }) => <PermissionList permissions={permissions} /> },
  { name: 'Approved', render: ({ createdAt }) => <Time at={createdAt} /> },
  { name: 'Last used', render: ({ lastUsedAt }) => <LastUsed at={lastUsedAt} /> },
];

function AppName({ name, registered }: Pick<ListedApp, 'name' | 'registered'>) {
  return (
    <>
      <bdi>{name}</bdi>
      {registered === 'itself' ? <div className="field-note">Registered itself: nobody checked the name</div> : null}
    </>
  );
}

export function AppTable({ apps }: { readonly apps: readonly ListedApp[] }) {
  const { id: workspaceId, role } = useWorkspace();
  const [asked, setAsked] = useState<ListedApp | null>(null);
  const revoke = useChange((to) => to.apps.revoke, {
    refresh: [(from) => from.apps.list, (from) => from.webhooks.list],
    said: () => 'The app can not act here any more.',
    onDone: () => setAsked(null),
  });
  const columns: readonly TableColumn<ListedApp>[] = [
    ...COLUMNS,
    {
      name: 'Actions',
      isNameHidden: true,
      render: (app) =>
        role === 'owner' || (role === 'editor' && app.isMine) ? (
          <Button look="quiet" aria-label={isolating`Revoke ${app.name}`} onPress={() => setAsked(app)}>
            Revoke
          </Button>
        ) : null,
    },
  ];
  return (
    <>
      <Table caption="Apps" columns={columns} rows={apps} keyOf={({ approvalId }) => approvalId} />
      <ConfirmDialog
        title="Revoke what this app may do?"
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        confirmLabel="Revoke"
        isPending={revoke.isPending}
        onConfirm={() => revoke.mutate({ workspaceId, approvalId: asked!.approvalId })}
      >
        <p>
          <strong>
            <bdi>{asked?.name}</bdi>
          </strong>{' '}
          is refused from now on, until a Member approves it again. Webhook endpoints that it registered stop. Posts
          that it made stay, and scheduled ones are published.
        </p>
      </ConfirmDialog>
    </>
  );
}
