import { showToast } from '../../parts/toast.tsx';
import { useChange } from '../access/use-change.ts';
import { isolating } from '../../parts/isolating.ts';

/** Invites by mail, and says what became of the mail. */
export function useInvitation(onDone: () => void) {
  return useChange((to) => to.members.invite, {
    refresh: [(from) => from.members.list],
    onDone: ({ mail }, { email }) => {
      showToast(MAIL_WORDS[mail](email));
      onDone();
    },
    onFailed: () => {},
  });
}

const MAIL_WORDS = {
  sent: (email: string) => ({ message: isolating`The invitation was mailed to ${email}.` }),
  failed: (email: string) => ({
    message: isolating`${email} is invited, but the mail could not be sent. Choose “Invite again” to mail another link.`,
    tone: 'failed' as const,
  }),
  unknown: (email: string) => ({
    message: isolating`${email} is invited; nobody knows whether the mail went out. If it does not arrive, choose “Invite again”.`,
    tone: 'failed' as const,
  }),
};
