import { Link } from '@tanstack/react-router';
import { Table, type TableColumn } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useWorkspace } from '../../workspace/workspace.ts';
import { ACTION_WORDS } from './action-words.ts';
import { actorWords, detailWords, originWords } from './audit-words.ts';
import type { ShownEntry } from './shown-entry.ts';

const COLUMNS: readonly TableColumn<ShownEntry>[] = [
  { name: 'When', render: ({ at }) => <Time at={at} /> },
  { name: 'Who', isHeader: true, render: ({ actor }) => <bdi>{actorWords(actor)}</bdi> },
  { name: 'What', render: (entry) => <What {...entry} /> },
  { name: 'From where', render: ({ origin }) => originWords(origin) ?? <span className="soft">By itself</span> },
];

export function AuditList({ entries }: { readonly entries: readonly ShownEntry[] }) {
  return <Table caption="Audit" columns={COLUMNS} rows={entries} keyOf={({ id, action }) => `${id} ${action}`} />;
}

function What({ action, subject, detail }: ShownEntry) {
  const { timeZone } = useWorkspace();
  const words = detailWords(detail, timeZone);
  return (
    <>
      {ACTION_WORDS[action]} <SubjectName {...subject} />
      {words.length === 0 ? null : <div className="field-note">{words.join(' ')}</div>}
    </>
  );
}

function SubjectName({ kind, id, name }: ShownEntry['subject']) {
  const shown = name === null || name === '' ? `without a name` : name;
  if (kind !== 'post') return <bdi>{shown}</bdi>;
  return (
    <Link to="/posts/$postId" params={{ postId: id }}>
      <bdi>{shown}</bdi>
    </Link>
  );
}
