import { useState } from 'react';
import type { Permission } from '#domain/workspace/state.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { LastUsed } from '../../parts/last-used.tsx';
import { Table, type TableColumn } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useWorkspace } from '../../workspace/workspace.ts';
import { PermissionList } from '../access/permission-words.tsx';
import { useChange } from '../access/use-change.ts';
import { isolating } from '../../parts/isolating.ts';

export interface ListedKey {
  readonly keyId: string;
  readonly name: string;
  /** The Member it acts for. */
  readonly by: string | null;
  readonly isMine: boolean;
  readonly permissions: readonly Permission[];
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
  readonly readOnly: boolean;
  readonly allowedIps: readonly string[];
}

const COLUMNS: readonly TableColumn<ListedKey>[] = [
  { name: 'Name', isHeader: true, render: ({ name }) => <bdi>{name}</bdi> },
  { name: 'Acts for', render: ({ by, isMine }) => (isMine ? 'You' : <bdi>{by ?? 'Nobody'}</bdi>) },
  { name: 'May', render: (key) => <May {...key} /> },
  { name: 'Created', render: ({ createdAt }) => <Time at={createdAt} /> },
  { name: 'Last used', render: ({ lastUsedAt }) => <LastUsed at={lastUsedAt} /> },
  { name: 'Expires', render: ({ expiresAt }) => (expiresAt === null ? 'Never' : <Time at={expiresAt} />) },
];

function May({ permissions, readOnly, allowedIps }: ListedKey) {
  return (
    <>
      {readOnly ? 'Read, and change nothing' : <PermissionList permissions={permissions} />}
      {allowedIps.length === 0 ? null : <div className="soft">From {allowedIps.join(', ')} only</div>}
    </>
  );
}

export function KeyTable({ keys }: { readonly keys: readonly ListedKey[] }) {
  const { id: workspaceId, role } = useWorkspace();
  const [asked, setAsked] = useState<ListedKey | null>(null);
  const revoke = useChange((to) => to.keys.revoke, {
    refresh: [(from) => from.keys.list, (from) => from.webhooks.list],
    said: () => 'The key was revoked.',
    onDone: () => setAsked(null),
  });
  const columns: readonly TableColumn<ListedKey>[] = [
    ...COLUMNS,
    {
      name: 'Actions',
      isNameHidden: true,
      render: (key) =>
        // Editors end what is theirs, owners everything.
        role === 'owner' || (role === 'editor' && key.isMine) ? (
          <Button look="quiet" aria-label={isolating`Revoke ${key.name}`} onPress={() => setAsked(key)}>
            Revoke
          </Button>
        ) : null,
    },
  ];
  return (
    <>
      <Table caption="API keys" columns={columns} rows={keys} keyOf={({ keyId }) => keyId} />
      <ConfirmDialog
        title="Revoke this key?"
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        confirmLabel="Revoke"
        isPending={revoke.isPending}
        onConfirm={() => revoke.mutate({ workspaceId, keyId: asked!.keyId })}
      >
        <p>
          Programs that use <strong dir="auto">{asked?.name}</strong> are refused from now on. Webhook endpoints that
          were registered with it stop. Posts that it made stay, and scheduled ones are published.
        </p>
        <p>This can not be undone.</p>
      </ConfirmDialog>
    </>
  );
}
