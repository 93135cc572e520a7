import type { Check } from '../aftermath.ts';

/** From the answer to its revocation on, or to the removal of its Member, a credential makes no Post. */
export const endedCredentialsAreDead: Check = ({ history }) =>
  history.of('ended').flatMap(({ credentialId, seen, completedAt }) => {
    if (seen !== 'ok') return [];
    const after = history
      .of('create')
      .filter((entry) => entry.credentialId === credentialId && entry.seen === 'ok' && entry.invokedAt > completedAt!);
    return after.map(({ postId, invokedAt }) => ({
      check: 'ended credentials are dead',
      detail: `credential ${credentialId} made post ${postId} ${invokedAt - completedAt!} ms after its end was answered`,
      about: [credentialId],
    }));
  });
