import { PLANS } from '#domain/plan/plan.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { networkName } from '../../parts/network-mark.tsx';
import { showToast } from '../../parts/toast.tsx';
import { useServerQuery } from '../../server/queries.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { useChange } from '../access/use-change.ts';
import { PLAN_NAMES, type PlanChoice, type ShownPlan } from './shown-plan.ts';

interface ChangePlanProps {
  readonly choice: PlanChoice;
  readonly shown: ShownPlan;
  readonly onClose: () => void;
}

/** Says what another Plan changes, and when, before it is taken. */
export function ChangePlan({ choice, shown, onClose }: ChangePlanProps) {
  const { id: workspaceId } = useWorkspace();
  // The page's own answer, read anew: a Channel that was connected since is one of those to be disconnected.
  const read = useServerQuery((from) => from.plan.get, { workspaceId }, { staleTime: 0 });
  const isOfNow = read.isFetchedAfterMount && read.error === null;
  const change = useChange((to) => to.plan.change, {
    refresh: [(from) => from.plan.get, (from) => from.usage.get],
    onDone: ({ plan, url }) => {
      if (url !== null) return window.location.assign(url);
      showToast({ message: `The Plan is ${PLAN_NAMES[plan]} now.` });
      onClose();
    },
    onFailed: () => {},
  });
  const name = PLAN_NAMES[choice.name];
  const isKept = choice.name === shown.plan;
  const verb = isKept ? `Keep ${name}` : `Change to ${name}`;
  return (
    <Dialog
      title={`${verb}?`}
      isOpen
      isKept
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button
            look="primary"
            isPending={change.isPending || read.isFetching}
            isDisabled={!isOfNow && !read.isFetching}
            onPress={() => change.mutate({ workspaceId, plan: choice.name })}
          >
            {shown.billing === 'stripe' ? 'Go on to Stripe' : verb}
          </Button>
        </>
      }
    >
      {isKept ? <p>{keptWords(shown)}</p> : <WhatChanges {...{ choice, shown }} />}
      {read.error === null ? null : (
        <ErrorPanel
          title="What it changes could not be read anew."
          error={read.error}
          onRetry={() => void read.refetch()}
        />
      )}
      {shown.billing === 'stripe' ? (
        <p>
          Paying, and changing what is paid, is done on a page of Stripe. Card numbers never reach this installation.
        </p>
      ) : null}
      {change.error === null ? null : <ErrorPanel isOfChange title="The Plan was not changed." error={change.error} />}
    </Dialog>
  );
}

/** Another owner may have taken this Plan, or withdrawn the coming change, while the dialog was open. */
const keptWords = ({ coming }: ShownPlan): string =>
  coming === null
    ? 'It is the Plan of this Workspace; no change is to come.'
    : 'The coming change is withdrawn; nothing else changes.';

function WhatChanges({ choice, shown }: Pick<ChangePlanProps, 'choice' | 'shown'>) {
  const isLarger = PLANS.indexOf(choice.name) > PLANS.indexOf(shown.plan);
  if (isLarger) return <p>Its limits hold at once. Nothing is disconnected.</p>;
  const { disconnects } = choice;
  return (
    <>
      <p>
        {shown.billing === 'stripe'
          ? 'The Plan of now stays until the time that is paid for ends. Posts that are due later are judged by the smaller Plan from now on.'
          : 'Its limits hold at once.'}
      </p>
      {disconnects.length === 0 ? (
        <p>All Channels that are connected now fit into it.</p>
      ) : (
        <>
          <p>
            <strong>It has room for {choice.limits.channels} Channels.</strong> These newest ones are disconnected then,
            and their scheduled Variants are cancelled:
          </p>
          <ul>
            {disconnects.map(({ id, name, network }) => (
              <li key={id}>
                <bdi>{name}</bdi> ({networkName(network)})
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
