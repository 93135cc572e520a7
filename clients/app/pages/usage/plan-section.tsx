import { useState } from 'react';
import { PLANS, type PlanName } from '#domain/plan/plan.ts';
import { Button } from '../../parts/button.tsx';
import { Section } from '../../parts/section.tsx';
import { Table, type TableColumn } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useWorkspace } from '../../workspace/workspace.ts';
import { bytesWords, numberWords } from './amounts.ts';
import { ChangePlan } from './change-plan.tsx';
import { PLAN_NAMES, type PlanChoice, type ShownPlan } from './shown-plan.ts';

export function PlanSection({ shown }: { readonly shown: ShownPlan }) {
  const { role } = useWorkspace();
  const { plan, coming, plans, billing } = shown;
  // By its name: what it changes is of now, also after the Plans were read again.
  const [chosen, setChosen] = useState<PlanName | null>(null);
  const choice = plans.find(({ name }) => name === chosen);
  const mayChange = role === 'owner' && billing !== 'operator';
  const action: TableColumn<PlanChoice> = {
    name: 'Actions',
    isNameHidden: true,
    render: (each) => <PlanAction choice={each} shown={shown} onChoose={() => setChosen(each.name)} />,
  };
  return (
    <Section title="Plan">
      {coming === null ? null : (
        <p role="status">
          The Plan becomes {PLAN_NAMES[coming.plan]} <Time at={coming.effectiveAt} form="absolute" />. Until then
          nothing changes.
        </p>
      )}
      <Table
        caption="Plans"
        columns={mayChange ? [...columnsOf(plan), action] : columnsOf(plan)}
        rows={plans}
        keyOf={({ name }) => name}
      />
      {billing === 'operator' ? <p>Plans and credits are changed by the people who run this installation.</p> : null}
      {role !== 'owner' ? <p>Owners of the Workspace change its Plan.</p> : null}
      {choice === undefined ? null : <ChangePlan choice={choice} shown={shown} onClose={() => setChosen(null)} />}
    </Section>
  );
}

const columnsOf = (plan: PlanName): readonly TableColumn<PlanChoice>[] => [
  {
    name: 'Plan',
    isHeader: true,
    render: ({ name }) => (
      <>
        {PLAN_NAMES[name]}
        {name === plan ? <span className="soft"> (now)</span> : null}
      </>
    ),
  },
  { name: 'Channels', isNumber: true, render: ({ limits }) => numberWords(limits.channels) },
  { name: 'Posts a month', isNumber: true, render: ({ limits }) => numberWords(limits.postsPerMonth) },
  { name: 'Files', isNumber: true, render: ({ limits }) => bytesWords(limits.storageBytes) },
  {
    name: 'Members',
    isNumber: true,
    render: ({ limits }) => (limits.members === null ? 'No limit' : numberWords(limits.members)),
  },
];

interface PlanActionProps {
  readonly choice: PlanChoice;
  readonly shown: ShownPlan;
  readonly onChoose: () => void;
}

function PlanAction({ choice: { name }, shown: { plan, coming }, onChoose }: PlanActionProps) {
  if (name === plan)
    return coming === null ? null : (
      <Button look="quiet" onPress={onChoose}>
        Keep {PLAN_NAMES[name]}
      </Button>
    );
  if (coming?.plan === name) return <span className="soft">Coming</span>;
  const isLarger = PLANS.indexOf(name) > PLANS.indexOf(plan);
  return (
    <Button look="quiet" onPress={onChoose}>
      {isLarger ? 'Upgrade to' : 'Change to'} {PLAN_NAMES[name]}
    </Button>
  );
}
