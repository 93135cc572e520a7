import { useState } from 'react';
import { installationPath } from '../../address/app-path.ts';
import { Answer } from '../../parts/answer.tsx';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Section } from '../../parts/section.tsx';
import { Table, type TableColumn } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useServerQuery } from '../../server/queries.ts';
import { useChange } from '../access/use-change.ts';

interface ListedSession {
  readonly sessionId: string;
  readonly browser: string;
  readonly createdAt: string;
  readonly lastSeenAt: string;
  readonly isThis: boolean;
}

const COLUMNS: readonly TableColumn<ListedSession>[] = [
  {
    name: 'Browser',
    isHeader: true,
    render: ({ browser, isThis }) => (
      <>
        {browser}
        {isThis ? <span className="soft"> (this browser)</span> : null}
      </>
    ),
  },
  { name: 'Signed in', render: ({ createdAt }) => <Time at={createdAt} /> },
  { name: 'Last seen', render: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
];

/** After the session of this browser nothing can be read any more. */
const toSignIn = (): void => window.location.assign(installationPath('/sign-in'));

/** The browsers in which the account is signed in. */
export function SessionsSection() {
  const [isAsked, setAsked] = useState(false);
  const sessions = useServerQuery((from) => from.sessions.list, undefined);
  const endAll = useChange((to) => to.sessions.endAll, { refresh: [], onDone: toSignIn });
  const signOutEverywhere = <Button onPress={() => setAsked(true)}>Sign out everywhere</Button>;
  return (
    <Section title="Where you are signed in" actions={signOutEverywhere}>
      <p className="soft">End what you do not know: whoever uses that browser has to sign in again by mail.</p>
      <Answer query={sessions} what="browsers">
        {(list) => <SessionTable sessions={list} />}
      </Answer>
      <ConfirmDialog
        title="Sign out everywhere?"
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        confirmLabel="Sign out everywhere"
        isPending={endAll.isPending}
        onConfirm={() => endAll.mutate()}
      >
        <p>
          Every browser, this one too, has to sign in again by mail. Keys, apps and scheduled Posts are not touched.
        </p>
      </ConfirmDialog>
    </Section>
  );
}

function SessionTable({ sessions }: { readonly sessions: readonly ListedSession[] }) {
  const end = useChange((to) => to.sessions.end, {
    refresh: [(from) => from.sessions.list],
    said: () => 'That browser is signed out.',
  });
  const columns: readonly TableColumn<ListedSession>[] = [
    ...COLUMNS,
    {
      name: 'Actions',
      isNameHidden: true,
      render: ({ sessionId, browser, isThis }) =>
        isThis ? null : (
          <Button
            look="quiet"
            aria-label={`End the session of ${browser}`}
            isPending={end.isPending && end.variables.sessionId === sessionId}
            onPress={() => end.mutate({ sessionId })}
          >
            End
          </Button>
        ),
    },
  ];
  return <Table caption="Browsers" columns={columns} rows={sessions} keyOf={({ sessionId }) => sessionId} />;
}
