import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { Form } from '../../parts/form.tsx';
import { Row, Section } from '../../parts/section.tsx';
import { Select } from '../../parts/select.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { showToast } from '../../parts/toast.tsx';
import { useWorkspace } from '../../workspace/workspace.ts';
import { useChange } from '../access/use-change.ts';
import { numberWords } from './amounts.ts';
import type { ShownPlan } from './shown-plan.ts';

const MAX_CREDITS = 100_000;

interface CreditsSectionProps {
  readonly credits: { readonly available: number; readonly reserved: number };
  readonly shown: ShownPlan;
}

export function CreditsSection({ credits: { available, reserved }, shown }: CreditsSectionProps) {
  const { role } = useWorkspace();
  return (
    <Section title="X credits">
      <p>
        <strong>{numberWords(available)} available</strong>
        {reserved === 0 ? '.' : `, ${numberWords(reserved)} reserved for scheduled Posts.`}
      </p>
      <p className="soft">
        Each Post to X takes one, reserved when it is made. It comes back when the Post is cancelled, or fails for
        certain without being published.
      </p>
      {role === 'owner' && shown.billing !== 'operator' ? <BuyCredits {...shown} /> : null}
    </Section>
  );
}

function BuyCredits({ billing, creditPacks }: ShownPlan) {
  const { id: workspaceId } = useWorkspace();
  const [amount, setAmount] = useState(String(creditPacks[0] ?? 100));
  const buy = useChange((to) => to.credits.buy, {
    refresh: [(from) => from.usage.get],
    onDone: ({ credits, url }) => {
      if (url !== null) window.location.assign(url);
      else showToast({ message: `${numberWords(credits)} credits were added.` });
    },
    onFailed: () => {},
  });
  const credits = Number(amount);
  const isAmount = /^\d{1,6}$/.test(amount) && credits >= 1 && credits <= MAX_CREDITS;
  const submit = (): void => {
    if (isAmount) buy.mutate({ workspaceId, credits });
  };
  if (billing === 'stripe' && creditPacks.length === 0) return <p>Credits are not sold here. Ask the operator.</p>;
  return (
    <Form onSubmit={submit} isPending={buy.isPending}>
      {creditPacks.length > 0 ? (
        <Select
          label="How many"
          value={amount}
          onChange={setAmount}
          choices={creditPacks.map((pack) => ({ value: String(pack), name: `${numberWords(pack)} credits` }))}
        />
      ) : (
        <TextField
          label="How many"
          inputMode="numeric"
          value={amount}
          onChange={setAmount}
          error={isAmount ? undefined : 'Write a whole number from 1 to 100,000.'}
        />
      )}
      {buy.error === null ? null : <ErrorPanel isOfChange title="No credits were bought." error={buy.error} />}
      <Row>
        <Button type="submit" isPending={buy.isPending}>
          {billing === 'stripe' ? 'Buy at Stripe' : 'Add credits'}
        </Button>
      </Row>
    </Form>
  );
}
