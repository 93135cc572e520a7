import { installationPath } from '../address/app-path.ts';
import { Button } from '../parts/button.tsx';
import { showToast } from '../parts/toast.tsx';
import { problemOf } from '../server/problem.ts';
import { useServerMutation } from '../server/queries.ts';

/** Ends the session of this browser. */
export function SignOutButton() {
  const signOut = useServerMutation((to) => to.session.end, {
    // The whole page goes, and with it everything that was read.
    onSuccess: () => window.location.assign(installationPath('/sign-in')),
    onError: (error) => void showToast({ message: problemOf(error).message, tone: 'failed' }),
  });
  return (
    <Button onPress={() => signOut.mutate()} isPending={signOut.isPending}>
      Sign out
    </Button>
  );
}
