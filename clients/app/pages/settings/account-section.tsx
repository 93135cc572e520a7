import { Section } from '../../parts/section.tsx';
import { SignOutButton } from '../../workspace/sign-out-button.tsx';
import { useServerQuery } from '../../server/queries.ts';

export function AccountSection() {
  const { data } = useServerQuery((from) => from.session.get, undefined);
  return (
    <Section title="Your account" actions={<SignOutButton />}>
      <p>
        You are signed in as <strong>{data?.account?.email ?? '…'}</strong>. To sign in you are mailed a link: there is
        no password that could be stolen.
      </p>
    </Section>
  );
}
