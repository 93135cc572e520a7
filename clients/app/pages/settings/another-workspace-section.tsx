import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Section } from '../../parts/section.tsx';
import { MakeWorkspaceForm } from '../../workspace/make-workspace-form.tsx';
import { useSession } from '../../workspace/session.ts';

/** Where everybody may make a Workspace. */
export function AnotherWorkspaceSection() {
  const [isOpen, setOpen] = useState(false);
  const { data: session } = useSession();
  if (session?.installation.signUpOpen !== true) return null;
  return (
    <Section title="Another Workspace">
      <Button icon="plus" onPress={() => setOpen(true)}>
        Make a Workspace
      </Button>
      <Dialog title="Make a Workspace" isOpen={isOpen} onClose={() => setOpen(false)}>
        <MakeWorkspaceForm />
      </Dialog>
    </Section>
  );
}
