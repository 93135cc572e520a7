import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Progress } from '../../parts/progress.tsx';
import { TextArea } from '../../parts/text-area.tsx';
import { draftFileOf } from './checks/blockers.ts';
import type { ComposerProps } from './composer-props.ts';
import { Counters } from './counters.tsx';
import type { ComposeFile } from './draft/compose-draft.ts';
import { changeFile } from './draft/draft-changes.ts';
import { bytesWords, durationWords } from './file-words.ts';
import { FieldPlace, filePlace, useFieldError } from './fields.tsx';
import type { UploadState } from './uploads/upload-queue.ts';
import { isolating } from '../../parts/isolating.ts';

export interface MediaItemProps extends ComposerProps {
  readonly file: ComposeFile;
  /** From 0. */
  readonly index: number;
  readonly count: number;
  readonly onMove: (to: number) => void;
  readonly dragType: string;
  /** Another file, by its key, was dropped on this one. */
  readonly onDropHere: (key: string) => void;
}

/** A file of the Post: what it is, how far it has come, its place and its description. */
export function MediaItem(props: MediaItemProps) {
  const { session, state, file, index, count, onMove, dragType, onDropHere } = props;
  const { key, name, bytes, durationMs } = file;
  const upload = state.uploads.get(key);
  const facts = [bytes === null ? null : bytesWords(bytes), durationMs === null ? null : durationWords(durationMs)];
  return (
    <li
      className="media-item"
      aria-label={isolating`${name}, ${index + 1} of ${count}`}
      draggable={count > 1}
      onDragStart={({ dataTransfer }) => dataTransfer.setData(dragType, key)}
      onDrop={(event) => {
        const dragged = event.dataTransfer.getData(dragType);
        if (dragged === '') return;
        event.preventDefault();
        event.stopPropagation();
        onDropHere(dragged);
      }}
    >
      <Thumbnail file={file} url={state.previews.get(key) ?? postedUrl(file)} />
      <div className="media-item-words">
        <span className="media-item-name" dir="auto">
          {name}
        </span>
        <span className="field-note">{facts.filter((each) => each !== null).join(', ')}</span>
        <UploadProgress name={name} bytes={bytes} upload={upload} />
        {upload?.kind === 'failed' ? (
          <p className="field-error">
            <Icon name="alert" /> {upload.message}
          </p>
        ) : null}
        <Description {...props} />
      </div>
      <div className="media-item-buttons">
        <Button
          look="quiet"
          icon="left"
          aria-label={isolating`Move ${name} forward`}
          isDisabled={index === 0}
          onPress={() => onMove(index - 1)}
        />
        <Button
          look="quiet"
          icon="right"
          aria-label={isolating`Move ${name} back`}
          isDisabled={index === count - 1}
          onPress={() => onMove(index + 1)}
        />
        {upload?.kind === 'failed' ? (
          <Button
            look="quiet"
            icon="refresh"
            aria-label={isolating`Send ${name} again`}
            onPress={() => session.retry(key)}
          />
        ) : null}
        <Button
          look="quiet"
          icon="cross"
          aria-label={upload !== undefined && upload.kind !== 'done' ? `Cancel ${name}` : `Remove ${name}`}
          onPress={() => session.removeFile(key)}
        />
      </div>
    </li>
  );
}

function Description({ session, chosen, file, index }: MediaItemProps) {
  const { key, altText, kind } = file;
  const error = useFieldError(
    'altText',
    chosen.map(({ id }) => id),
    index,
  );
  return (
    <FieldPlace field="altText" channelId={filePlace(index)}>
      <TextArea
        label={kind === 'video' ? 'Description of the video' : 'Description (alt text)'}
        rows={1}
        value={altText}
        error={error}
        note={
          altText === '' ? (
            'For people who do not see it.'
          ) : (
            <Counters what="altText" text={altText} channels={chosen} media={[draftFileOf(file)]} />
          )
        }
        onChange={(text) => session.change(changeFile(key, (now) => ({ ...now, altText: text })))}
      />
    </FieldPlace>
  );
}

function UploadProgress({
  name,
  bytes,
  upload,
}: {
  readonly name: string;
  readonly bytes: number | null;
  readonly upload: UploadState | undefined;
}) {
  switch (upload?.kind) {
    case 'waiting':
      return <Progress label={name} isLabelHidden value={0} words="Waits for its turn" />;
    case 'sending':
      return (
        <Progress
          label={name}
          isLabelHidden
          value={upload.sentBytes}
          of={bytes ?? 0}
          words={`${bytesWords(upload.sentBytes)} of ${bytesWords(bytes ?? 0)}`}
        />
      );
    case 'away':
      return <Indefinite name={name} words="No connection: goes on by itself" />;
    case 'checking':
      return <Indefinite name={name} words="Being checked" />;
    default:
      return null;
  }
}

/** Nobody knows how long it takes. */
function Indefinite({ name, words }: { readonly name: string; readonly words: string }) {
  return (
    <>
      <span className="field-note">{words}</span>
      <Progress label={name} isLabelHidden value={null} />
    </>
  );
}

function Thumbnail({ file: { kind }, url }: { readonly file: ComposeFile; readonly url: string | undefined }) {
  if (url === undefined)
    return (
      <span className="media-thumbnail" aria-hidden="true">
        <Icon name={kind === 'video' ? 'send' : 'upload'} />
      </span>
    );
  // The instant has browsers paint a picture of a video that nobody plays.
  if (kind === 'video')
    return (
      <video
        className="media-thumbnail"
        src={`${url}#t=0.1`}
        preload="metadata"
        muted
        tabIndex={-1}
        aria-hidden="true"
      />
    );
  return <img className="media-thumbnail" src={url} alt="" />;
}

function postedUrl({ source }: ComposeFile): string | undefined {
  return source.kind === 'posted' ? (source.url ?? undefined) : undefined;
}
