import { PageHeading } from '../../frame/page-heading.tsx';
import { Answer } from '../../parts/answer.tsx';
import { useServerQuery } from '../../server/queries.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { CreditsSection } from './credits-section.tsx';
import { MetersSection } from './meters-section.tsx';
import { PlanSection } from './plan-section.tsx';

/** What the Workspace uses of its Plan, the Plan itself, and X credits. */
export function UsagePage() {
  const { id: workspaceId } = useWorkspace();
  const usage = useServerQuery((from) => from.usage.get, { workspaceId });
  const plan = useServerQuery((from) => from.plan.get, { workspaceId });
  return (
    <>
      <PageHeading>Usage and Plan</PageHeading>
      <Answer query={usage} what="usage">
        {(used) => <MetersSection usage={used} />}
      </Answer>
      <Answer query={plan} what="Plan">
        {(shown) => <PlanSection shown={shown} />}
      </Answer>
      {usage.data === undefined || plan.data === undefined ? null : (
        <CreditsSection credits={usage.data.xCredits} shown={plan.data} />
      )}
    </>
  );
}
