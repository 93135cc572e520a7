import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';
import { columnsOf } from '#clients/csv/columns.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { TextArea } from '../../../parts/text-area.tsx';
import { absoluteWords } from '../../../parts/time-words.ts';
import { useWorkspace } from '../../../workspace/workspace.ts';
import { stateWords } from './state-words.ts';
import type { ShownRow } from './shown-row.ts';
import type { Importing, ImportState } from './use-import.ts';

export interface ImportTableProps {
  readonly state: ImportState;
  readonly importing: Importing;
}

const ROW_HEIGHT = 44;

/** Every row of the file with what stands against it. Only those in sight are drawn: a file may have thousands. */
export function ImportTable({ state, importing }: ImportTableProps) {
  const { rows, step, headers } = state;
  const textColumn = useMemo(
    () => columnsOf(headers, []).find(({ meaning }) => meaning?.kind === 'text')?.index,
    [headers],
  );
  const scroller = useRef<HTMLDivElement>(null);
  const [corrected, setCorrected] = useState<number | null>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (index) => rows[index]!.row,
    overscan: 8,
  });
  return (
    <>
      {/* It scrolls, so the keyboard has to reach it. */}
      <div
        ref={scroller}
        className="import-table"
        role="table"
        aria-label="Rows of the file"
        aria-rowcount={rows.length + 1}
        tabIndex={0}
      >
        <div role="rowgroup" className="import-head">
          <div role="row" aria-rowindex={1} className="import-row">
            {['Row', 'Post', 'When', 'Result', 'Correct'].map((name) => (
              <span key={name} role="columnheader">
                {name}
              </span>
            ))}
          </div>
        </div>
        <div role="rowgroup" className="import-body" style={{ blockSize: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start, key }) => (
            <div
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              role="row"
              aria-rowindex={index + 2}
              className={`import-row import-${rows[index]!.state.kind}`}
              style={{ transform: `translateY(${start}px)` }}
            >
              <Cells
                row={rows[index]!}
                text={
                  rows[index]!.post?.text ??
                  (textColumn === undefined ? '' : (importing.cellsOf(rows[index]!.row)[textColumn] ?? ''))
                }
                canCorrect={step !== 'creating'}
                onCorrect={setCorrected}
              />
            </div>
          ))}
        </div>
      </div>
      {corrected === null ? null : (
        <CorrectDialog key={corrected} row={corrected} {...{ state, importing }} onClose={() => setCorrected(null)} />
      )}
    </>
  );
}

interface CellsProps {
  readonly row: ShownRow;
  /** As the file has it, also of a row that makes no Post. */
  readonly text: string;
  readonly canCorrect: boolean;
  readonly onCorrect: (row: number) => void;
}

function Cells({ row: { row, post, state }, text, canCorrect, onCorrect }: CellsProps) {
  const { timeZone } = useWorkspace();
  const at = post?.scheduledAt;
  return (
    <>
      <span role="rowheader">{row}</span>
      <span role="cell" className="import-text" dir="auto">
        {text}
      </span>
      <span role="cell">
        {post === null ? '' : at === undefined ? 'At once' : absoluteWords(Date.parse(at), timeZone)}
      </span>
      <span role="cell" className="import-result">
        {state.kind === 'refused' ? <Icon name="alert" /> : null}
        {state.kind === 'created' ? (
          <Link to="/posts/$postId" params={{ postId: state.postId }}>
            {`${stateWords(state)}: row ${row}`}
          </Link>
        ) : (
          <bdi>{stateWords(state)}</bdi>
        )}
      </span>
      <span role="cell">
        {state.kind === 'refused' && canCorrect ? (
          <Button look="quiet" icon="draft" aria-label={`Correct row ${row}`} onPress={() => onCorrect(row)} />
        ) : null}
      </span>
    </>
  );
}

interface CorrectDialogProps extends ImportTableProps {
  readonly row: number;
  readonly onClose: () => void;
}

function CorrectDialog({ row, state, importing, onClose }: CorrectDialogProps) {
  const { headers, rows } = state;
  const [cells, setCells] = useState<readonly string[]>(() => importing.cellsOf(row));
  const own = rows.find((each) => each.row === row)?.state;
  return (
    <Dialog
      title={`Correct row ${row}`}
      isOpen
      onClose={onClose}
      isKept
      actions={
        <Button
          look="primary"
          onPress={() => {
            importing.correct(row, cells);
            onClose();
          }}
        >
          Check again
        </Button>
      }
    >
      {own?.kind === 'refused'
        ? own.messages.map((message) => (
            <p key={message} className="field-error" dir="auto">
              {message}
            </p>
          ))
        : null}
      {headers.map((header, index) => (
        <TextArea
          key={index}
          label={header === '' ? `Column ${index + 1}` : header}
          rows={1}
          value={cells[index] ?? ''}
          onChange={(text) => setCells(headers.map((_, at) => (at === index ? text : (cells[at] ?? ''))))}
        />
      ))}
    </Dialog>
  );
}
