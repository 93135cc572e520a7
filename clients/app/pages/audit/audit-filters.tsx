import { Select } from '../../parts/select.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { Row } from '../../parts/section.tsx';
import { useServerQuery } from '../../server/queries.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { ACTION_GROUPS } from './action-words.ts';

/** Empty: not filtered by it. */
export interface AuditFilter {
  readonly memberName: string;
  /** Of actions. */
  readonly group: string;
  /** Days such as 2026-11-23, in the Workspace's zone; both are part of what is shown. */
  readonly from: string;
  readonly to: string;
}

export const NO_FILTER: AuditFilter = { memberName: '', group: '', from: '', to: '' };
/** A choice needs a value. */
const ALL = 'all';
const DAY = /^(?:\d{4}-\d{2}-\d{2})?$/;

export interface AuditFiltersProps {
  readonly filter: AuditFilter;
  readonly onChange: (filter: AuditFilter) => void;
}

export function AuditFilters({ filter, onChange }: AuditFiltersProps) {
  const { id: workspaceId } = useWorkspace();
  const people = useServerQuery((from) => from.members.list, { workspaceId });
  const names = [...new Set(people.data?.members.map(({ name }) => name))].filter((name) => name !== ALL);
  const change = (part: Partial<AuditFilter>): void => onChange({ ...filter, ...part });
  return (
    <div role="group" aria-label="Filters">
      <Row>
        <Select
          label="Who"
          value={filter.memberName === '' ? ALL : filter.memberName}
          onChange={(name) => change({ memberName: name === ALL ? '' : name })}
          choices={[{ value: ALL, name: 'Everybody' }, ...names.map((name) => ({ value: name, name }))]}
        />
        <Select
          label="What"
          value={filter.group === '' ? ALL : filter.group}
          onChange={(group) => change({ group: group === ALL ? '' : group })}
          choices={[{ value: ALL, name: 'Everything' }, ...ACTION_GROUPS.map(({ value, name }) => ({ value, name }))]}
        />
        <TextField
          label="From"
          type="date"
          value={filter.from}
          onChange={(from) => (DAY.test(from) ? change({ from }) : undefined)}
        />
        <TextField
          label="To"
          type="date"
          value={filter.to}
          onChange={(to) => (DAY.test(to) ? change({ to }) : undefined)}
        />
      </Row>
    </div>
  );
}
