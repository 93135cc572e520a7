import { useRef, useState } from 'react';
import { factsOf } from '#domain/network.ts';
import { Button } from '../../../parts/button.tsx';
import { RadioGroup } from '../../../parts/radio-group.tsx';
import { TextField } from '../../../parts/text-field.tsx';
import type { ComposeChannel } from '../checks/blockers.ts';
import type { ComposeFile, SentOptions } from '../draft/compose-draft.ts';
import { FieldPlace, useFieldError } from '../fields.tsx';
import { addressProblem } from '../uploads/chosen-file.ts';
import { isolating } from '../../../parts/isolating.ts';

type CoverKind = 'none' | 'moment' | 'picture' | 'address';

export interface CoverFieldProps {
  readonly channel: ComposeChannel;
  readonly cover: SentOptions['cover'];
  /** The picture that was chosen as the cover. */
  readonly file: ComposeFile | undefined;
  readonly previewUrl: string | undefined;
  /** Where the video can be looked at. */
  readonly videoUrl: string | undefined;
  readonly onFile: (file: File) => void;
  readonly onCover: (cover: NonNullable<SentOptions['cover']> | null) => void;
}

/** What a video shows before it is played: what the Network picks, an instant of it, or a picture of one's own. */
export function CoverField({ channel, cover, file, previewUrl, videoUrl, onFile, onCover }: CoverFieldProps) {
  const [wanted, setWanted] = useState<CoverKind>(kindOf(cover, file));
  const [seconds, setSeconds] = useState(String(cover?.atSeconds ?? ''));
  const error = useFieldError('cover', [channel.id]);
  const takesPicture = factsOf(channel.network).cover?.picture === true;
  const choices = [
    { value: 'none', name: 'What the Network picks' },
    { value: 'moment', name: 'An instant of the video' },
    ...(takesPicture
      ? ([
          { value: 'picture', name: 'A picture of its own' },
          { value: 'address', name: 'A picture at an address' },
        ] as const)
      : []),
  ] as const;
  return (
    <FieldPlace field="cover" channelId={channel.id}>
      <RadioGroup<CoverKind>
        label="Cover"
        error={error}
        choices={choices}
        value={wanted}
        onChange={(kind) => {
          setWanted(kind);
          if (kind !== 'picture') onCover(kind === 'moment' && seconds !== '' ? { atSeconds: Number(seconds) } : null);
        }}
      />
      {wanted === 'moment' ? (
        <TextField
          label="Seconds from the start of the video"
          inputMode="decimal"
          value={seconds}
          onChange={(text) => {
            const clean = text.replace(',', '.').replace(/[^\d.]/g, '');
            setSeconds(clean);
            onCover(clean === '' || Number.isNaN(Number(clean)) ? null : { atSeconds: Number(clean) });
          }}
        />
      ) : null}
      {wanted === 'moment' && videoUrl !== undefined && seconds !== '' ? (
        <video
          key={seconds}
          className="cover-moment"
          src={`${videoUrl}#t=${seconds}`}
          preload="metadata"
          muted
          aria-label={`The video at second ${seconds}`}
        />
      ) : null}
      {wanted === 'picture' ? <CoverPicture {...{ channel, file, previewUrl, onFile }} /> : null}
      {wanted === 'address' ? <AddressField url={cover?.url ?? ''} onCover={onCover} /> : null}
    </FieldPlace>
  );
}

type CoverPictureProps = Pick<CoverFieldProps, 'channel' | 'file' | 'previewUrl' | 'onFile'>;

function CoverPicture({ channel, file, previewUrl, onFile }: CoverPictureProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className="cover-picture">
      {previewUrl === undefined ? null : <img src={previewUrl} alt="The cover" />}
      <Button icon="upload" onPress={() => input.current?.click()}>
        {file === undefined ? 'Choose a picture' : `Choose another picture than ${file.name}`}
      </Button>
      <input
        ref={input}
        type="file"
        accept="image/jpeg,image/png,image/webp"
        hidden
        aria-label={isolating`Cover for ${channel.name}`}
        onChange={({ target }) => {
          const [chosen] = target.files ?? [];
          if (chosen !== undefined) onFile(chosen);
          target.value = '';
        }}
      />
    </div>
  );
}

function AddressField({ url, onCover }: { readonly url: string; readonly onCover: CoverFieldProps['onCover'] }) {
  const [written, setWritten] = useState(url);
  const problem = written === '' ? null : addressProblem(written);
  return (
    <TextField
      label="Address of the picture"
      type="url"
      value={written}
      error={problem ?? undefined}
      onChange={(text) => {
        setWritten(text);
        onCover(text !== '' && addressProblem(text) === null ? { url: text } : null);
      }}
    />
  );
}

function kindOf(cover: SentOptions['cover'], file: ComposeFile | undefined): CoverKind {
  if (file !== undefined) return 'picture';
  if (cover === undefined) return 'none';
  return cover.atSeconds === undefined ? 'address' : 'moment';
}
