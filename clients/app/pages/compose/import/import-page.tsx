import { useRef } from 'react';
import { writeReport } from '#clients/csv/records.ts';
import { PageHeading } from '../../../frame/page-heading.tsx';
import { Button } from '../../../parts/button.tsx';
import { ErrorPanel } from '../../../parts/error-panel.tsx';
import { LinkButton } from '../../../parts/link-button.tsx';
import { Progress } from '../../../parts/progress.tsx';
import { Skeleton } from '../../../parts/skeleton.tsx';
import { useServerQuery } from '../../../server/queries.ts';
import { useWorkspace } from '../../../workspace/workspace.ts';
import { ViewerNotice } from '../viewer-notice.tsx';
import type { ComposeChannel } from '../checks/blockers.ts';
import './import.css';
import { ImportTable } from './import-table.tsx';
import { stateWords } from './state-words.ts';
import { useImport, type Importing, type ImportState } from './use-import.ts';

/** Creates the Posts of a CSV file, after a dry run that says of every row what stands against it. */
export function ImportPage() {
  const { id: workspaceId, role } = useWorkspace();
  const listed = useServerQuery((from) => from.channels.list, { workspaceId }, { enabled: role !== 'viewer' });
  if (role === 'viewer') return <ViewerNotice />;
  return (
    <>
      <PageHeading>Import Posts</PageHeading>
      {listed.isPending ? <Skeleton label="Loading Channels" /> : null}
      {listed.isError ? (
        <ErrorPanel
          title="The Channels could not be read."
          error={listed.error}
          onRetry={() => void listed.refetch()}
        />
      ) : null}
      {listed.data === undefined ? null : <Import channels={listed.data.channels} />}
    </>
  );
}

function Import({ channels }: { readonly channels: readonly ComposeChannel[] }) {
  const { timeZone } = useWorkspace();
  const importing = useImport(channels);
  const input = useRef<HTMLInputElement>(null);
  const { state, open } = importing;
  return (
    <>
      <p>
        A CSV file with a row for each Post. Its columns are <code>text</code>, <code>channels</code>,{' '}
        <code>scheduled at</code>, <code>media</code>, <code>alt texts</code> and any option by its name; files of other
        tools are understood, too. Times without a zone are in {timeZone}. Nothing is created before you say so, and a
        file that is sent again creates no row twice, nor one whose Post was moved, edited or cancelled since; of rows
        without a time this holds for a day.
      </p>
      <Button icon="upload" look={state === null ? 'primary' : 'plain'} onPress={() => input.current?.click()}>
        {state === null ? 'Choose a CSV file' : 'Choose another file'}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="CSV file"
        accept=".csv,.tsv,.txt,text/csv"
        onChange={({ target }) => {
          const [chosen] = target.files ?? [];
          target.value = '';
          if (chosen !== undefined) void chosen.arrayBuffer().then((bytes) => open(chosen.name, new Uint8Array(bytes)));
        }}
      />
      {state === null ? null : <OpenFile state={state} importing={importing} />}
    </>
  );
}

function OpenFile({ state, importing }: { readonly state: ImportState; readonly importing: Importing }) {
  const { file, rows, name, error } = state;
  return (
    <section aria-label={name} className="import-file">
      {file.problems.map(({ message }) => (
        <p key={message} role="alert" className="field-error" dir="auto">{`${name} could not be read: ${message}.`}</p>
      ))}
      {file.ignored.length === 0 ? null : (
        <p className="field-note">
          {`Passed over: ${file.ignored.map(({ header, nearest }) => (nearest === null ? header : `${header} (did you mean ${nearest}?)`)).join(', ')}.`}
        </p>
      )}
      {error === null ? null : (
        <ErrorPanel
          title="The rest of the file was not sent."
          error={error}
          kept="Sent again, it creates no row twice."
        />
      )}
      {rows.length === 0 ? null : (
        <>
          <ImportBar state={state} importing={importing} />
          <ImportTable state={state} importing={importing} />
        </>
      )}
    </section>
  );
}

function ImportBar({ state, importing }: { readonly state: ImportState; readonly importing: Importing }) {
  const { rows, step, isPaused } = state;
  const count = (kind: string) => rows.filter((each) => each.state.kind === kind).length;
  const [good, refused, created, waiting] = ['good', 'refused', 'created', 'waiting'].map(count) as [
    number,
    number,
    number,
    number,
  ];
  const isRunning = step === 'checking' || step === 'creating';
  const done = step === 'creating' ? created : rows.length - waiting;
  const of = step === 'creating' ? created + good : rows.length;
  return (
    <div className="import-bar">
      <p role="status">
        {isPaused ? 'It waits, and goes on by itself. ' : ''}
        {created > 0 ? `${created} created. ` : ''}
        {`${good} ready, ${refused} to put right${waiting > 0 ? `, ${waiting} not checked yet` : ''}.`}
      </p>
      {isRunning ? (
        <>
          <Progress
            label={step === 'creating' ? 'Creating Posts' : 'Checking rows'}
            value={done}
            of={of}
            words={`${done} of ${of}`}
          />
          <Button onPress={importing.stop}>Stop</Button>
        </>
      ) : (
        <>
          {good === 0 ? null : (
            <Button look="primary" icon="send" onPress={importing.create}>
              {good === 1 ? 'Create 1 Post' : `Create ${good} Posts`}
            </Button>
          )}
          <Button icon="external" onPress={() => download(state)}>
            Download the report
          </Button>
          {created === 0 ? null : <LinkButton to="/calendar">Open the calendar</LinkButton>}
        </>
      )}
    </div>
  );
}

function download({ name, rows }: ImportState): void {
  const lines = rows.map(({ row, post, state }) => [
    String(row),
    state.kind,
    state.kind === 'created' ? state.postId : '',
    state.kind === 'refused' ? state.messages.join(' | ') : stateWords(state),
    post?.text ?? '',
  ]);
  const report = writeReport([['row', 'result', 'post id', 'words', 'text'], ...lines]);
  const url = URL.createObjectURL(new Blob([report], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${name.replace(/\.\w+$/, '')}-report.csv`;
  link.click();
  URL.revokeObjectURL(url);
}
