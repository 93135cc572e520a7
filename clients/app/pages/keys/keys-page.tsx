import { useState } from 'react';
import { PageHeading } from '../../frame/page-heading.tsx';
import { Answer } from '../../parts/answer.tsx';
import { Button } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { Section } from '../../parts/section.tsx';
import { useServerQuery } from '../../server/queries.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { CreateKey } from './create-key.tsx';
import { KeyTable } from './key-table.tsx';

/** The Workspace's API keys: what each may do, when it was last used, and ending it. */
export function KeysPage() {
  const { id: workspaceId, role } = useWorkspace();
  const [isCreating, setCreating] = useState(false);
  const keys = useServerQuery((from) => from.keys.list, { workspaceId });
  const create =
    role === 'viewer' ? null : (
      <Button look="primary" icon="plus" onPress={() => setCreating(true)}>
        Create a key
      </Button>
    );
  return (
    <>
      <PageHeading>API keys</PageHeading>
      <Section title="Keys of this Workspace" actions={create}>
        <p className="soft">
          A program that has a key acts in this Workspace for the Member who created it, within what the key may do.
        </p>
        {role === 'viewer' ? <p>You are a viewer: owners and editors create keys.</p> : null}
        <Answer query={keys} what="API keys">
          {(list) =>
            list.length === 0 ? (
              <EmptyState title="No keys yet">Create one to make Posts from a program of yours.</EmptyState>
            ) : (
              <KeyTable keys={list} />
            )
          }
        </Answer>
      </Section>
      {isCreating ? <CreateKey onClose={() => setCreating(false)} /> : null}
    </>
  );
}
