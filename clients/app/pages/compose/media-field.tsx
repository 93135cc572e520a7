import { useEffect, useId, useRef, useState, type DragEvent } from 'react';
import { ACCEPTED_TYPES } from '#domain/media/file-facts.ts';
import { announce } from '../../parts/announcer.tsx';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/text-field.tsx';
import type { ComposerProps } from './composer-props.ts';
import { mediaOf } from './draft/compose-draft.ts';
import { moveFile } from './draft/draft-changes.ts';
import { FieldPlace, FieldTrouble, useFieldError } from './fields.tsx';
import { MediaItem } from './media-item.tsx';
import { addressProblem } from './uploads/chosen-file.ts';
import { pastedFiles } from './uploads/pasted-files.ts';
import { isolating } from '../../parts/isolating.ts';

/** The kind of data of a file that is dragged within the list. */
const DRAGGED = 'application/x-crier-file';

export interface MediaFieldProps extends ComposerProps {
  /** Nothing is taken now, by pasting either, which needs no focus in the field. */
  readonly isInert: boolean;
}

/** Files of the Post: by drop, paste, dialog or address, in the order in which they are shown. */
export function MediaField({ isInert, ...props }: MediaFieldProps) {
  const { session, state, chosen } = props;
  const { draft } = state;
  const [isOver, setIsOver] = useState(false);
  const troubleId = useId();
  const ids = [null, ...chosen.map(({ id }) => id)];
  const trouble = useFieldError('media', ids);
  usePastedFiles(isInert ? null : session.addFiles);
  const media = mediaOf(draft);
  const move = (key: string, to: number) => {
    session.change(moveFile(key, to));
    const place = Math.max(0, Math.min(to, media.length - 1));
    announce(
      isolating`${media.find((file) => file.key === key)?.name ?? 'The file'} is now ${place + 1} of ${media.length}`,
    );
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setIsOver(false);
    const files = [...event.dataTransfer.files];
    if (files.length > 0) session.addFiles(files);
  };
  return (
    <FieldPlace field="media" channelId={null}>
      <div
        role="group"
        aria-labelledby={`${troubleId}-name`}
        aria-describedby={trouble === undefined ? undefined : troubleId}
        className={isOver ? 'media-field media-field-over' : 'media-field'}
        onDragOver={(event) => {
          event.preventDefault();
          if (event.dataTransfer.types.includes('Files')) setIsOver(true);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={drop}
      >
        <h2 id={`${troubleId}-name`}>Pictures and videos</h2>
        <ol className="media-list">
          {media.map((file, index) => (
            <MediaItem
              key={file.key}
              {...props}
              file={file}
              index={index}
              count={media.length}
              onMove={(to) => move(file.key, to)}
              dragType={DRAGGED}
              onDropHere={(key) => move(key, index)}
            />
          ))}
        </ol>
        <FileChooser onFiles={session.addFiles} />
        <AddressForm onAdd={(url) => session.addAddress(url)} />
        <Refusals {...props} />
        <FieldTrouble id={troubleId} message={trouble} />
      </div>
    </FieldPlace>
  );
}

function FileChooser({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button icon="upload" onPress={() => input.current?.click()}>
        Choose files
      </Button>
      <span className="field-note"> or drop or paste them here. JPEG, PNG, WebP, MP4 or MOV, up to 2 GB each.</span>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files of the Post"
        accept={ACCEPTED_TYPES.join(',')}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          target.value = '';
        }}
      />
    </>
  );
}

function Refusals({ session, state: { refusals } }: ComposerProps) {
  if (refusals.length === 0) return null;
  return (
    <div role="alert" className="media-refusals">
      {refusals.map(({ name, message }) => (
        <p key={name} className="field-error">{`${name} was not taken: ${message}`}</p>
      ))}
      <Button look="quiet" onPress={session.dismissRefusals}>
        Got it
      </Button>
    </div>
  );
}

function AddressForm({ onAdd }: { readonly onAdd: (url: string) => void }) {
  const [url, setUrl] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const add = () => {
    const found = addressProblem(url.trim());
    setProblem(found);
    if (found !== null) return;
    onAdd(url.trim());
    setUrl('');
  };
  return (
    <div className="address-form">
      <TextField
        label="Or the address of a file"
        type="url"
        placeholder="https://"
        value={url}
        error={problem ?? undefined}
        onChange={(text) => {
          setUrl(text);
          setProblem(null);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') add();
        }}
      />
      <Button onPress={add} isDisabled={url.trim() === ''}>
        Add
      </Button>
    </div>
  );
}

/**
 * Files on the clipboard are taken wherever on the page they are pasted; a pasted text goes where it belongs. Null:
 * none are taken.
 */
function usePastedFiles(onFiles: ((files: readonly File[]) => void) | null): void {
  useEffect(() => {
    if (onFiles === null) return;
    const paste = (event: ClipboardEvent) => {
      const files = event.clipboardData === null ? [] : pastedFiles(event.clipboardData);
      if (files.length === 0) return;
      event.preventDefault();
      onFiles(files);
    };
    document.addEventListener('paste', paste);
    return () => document.removeEventListener('paste', paste);
  }, [onFiles]);
}
