import { Button } from '../parts/button.tsx';
import { showToast } from '../parts/toast.tsx';
import { absoluteWords } from '../parts/time-words.ts';
import { problemOf } from '../server/problem.ts';
import { queryClient, serverKey, useServerMutation } from '../server/queries.ts';
import { noteServerTime } from '../workspace/clock.ts';
import type { AppSession } from '../workspace/session.ts';
import { useWorkspace } from '../workspace/workspace.ts';
import './bands.css';

/** Says all the time that nothing here reaches the world, where to see what does happen, and has hours pass at once. */
export function SandboxBand({ installation }: { readonly installation: AppSession['installation'] }) {
  const { role } = useWorkspace();
  const { sandboxUrl, advancesTime, version } = installation;
  return (
    <aside className="band band-sandbox" aria-label="Sandbox">
      <strong>Sandbox</strong>
      <span>Posts go to Networks that are part of Crier {version}; nothing reaches the real ones.</span>
      {sandboxUrl === null ? null : (
        <a href={sandboxUrl} target="_blank" rel="noopener noreferrer">
          See what they show
        </a>
      )}
      {advancesTime && role === 'owner' ? <LetTimePass /> : null}
    </aside>
  );
}

const MINUTES = 15;

function LetTimePass() {
  const { id: workspaceId, timeZone } = useWorkspace();
  const advance = useServerMutation((to) => to.sandbox.advance, {
    onSuccess: async ({ now }) => {
      noteServerTime(Date.parse(now), Date.now());
      showToast({ message: `${MINUTES} minutes have passed. It is ${absoluteWords(Date.parse(now), timeZone)} now.` });
      await queryClient.invalidateQueries({ queryKey: serverKey((from) => from.session.get) });
    },
    onError: (error) => void showToast({ message: problemOf(error).message, tone: 'failed' }),
  });
  return (
    <Button
      look="quiet"
      icon="clock"
      isPending={advance.isPending}
      onPress={() => advance.mutate({ workspaceId, minutes: MINUTES })}
    >
      Let {MINUTES} minutes pass
    </Button>
  );
}
