import { factsOf } from '#domain/network.ts';
import { RadioGroup } from '../../parts/radio-group.tsx';
import { TextArea } from '../../parts/text-area.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { draftFileOf, type ComposeChannel } from './checks/blockers.ts';
import type { ComposerProps } from './composer-props.ts';
import { Counters } from './counters.tsx';
import { mediaOf } from './draft/compose-draft.ts';
import { disclosureOf, setDisclosing } from './draft/disclosure.ts';
import { setCover, setOptions } from './draft/draft-changes.ts';
import { FieldPlace, useFieldError } from './fields.tsx';
import { CoverField } from './options/cover-field.tsx';
import { OptionControls, type SetOptions } from './options/option-controls.tsx';
import { OPTION_FIELDS } from './options/option-fields.ts';
import { TiktokOptions } from './options/tiktok-options.tsx';
import { UserTags } from './options/user-tags.tsx';
import { YoutubeOptions } from './options/youtube-options.tsx';

export type ChannelOptionsProps = ComposerProps & { readonly channel: ComposeChannel };

/** Everything that the Network of a Channel lets a Post choose, with its choices of now. */
export function ChannelOptions(props: ChannelOptionsProps) {
  const { channel, session, state } = props;
  const { draft } = state;
  const { network, id } = channel;
  const facts = factsOf(network);
  const options = draft.options[id] ?? {};
  const media = mediaOf(draft);
  const onChange: SetOptions = (change) => session.change(setOptions(id, change));
  const isStory = options.placement === 'story';
  const hasPictures = media.some(({ kind }) => kind === 'image');
  return (
    <div className="channel-options">
      <PlacementField {...props} onChange={onChange} />
      {facts.options.includes('title') && (network !== 'tiktok' || hasPictures) ? (
        <TitleField {...props} onChange={onChange} />
      ) : null}
      {network === 'tiktok' ? (
        <TiktokOptions
          {...{ channel, options, media, onChange }}
          disclosure={disclosureOf(draft, channel)}
          onDisclosing={(isOn) => session.change(setDisclosing(channel, isOn))}
        />
      ) : null}
      {network === 'youtube' ? <YoutubeOptions {...{ channel, options, onChange }} /> : null}
      <OptionControls fields={OPTION_FIELDS[network] ?? []} {...{ channel, options, onChange }} />
      {facts.options.includes('userTags') && hasPictures ? <UserTags {...{ channel, options, onChange }} /> : null}
      {facts.options.includes('cover') && !isStory && media.some(({ kind }) => kind !== 'image') ? (
        <CoverOfChannel {...props} />
      ) : null}
      {facts.options.includes('firstComment') && !isStory ? <FirstComment {...props} onChange={onChange} /> : null}
    </div>
  );
}

type WithChange = ChannelOptionsProps & { readonly onChange: SetOptions };

function PlacementField({ channel, state, onChange }: WithChange) {
  const { id, network } = channel;
  const error = useFieldError('placement', [id]);
  if (!factsOf(network).placements.includes('story')) return null;
  return (
    <FieldPlace field="placement" channelId={id}>
      <RadioGroup
        label="Where it is shown"
        error={error}
        choices={[
          { value: 'feed', name: 'Feed' },
          { value: 'story', name: 'Story', note: 'One picture or video, without a text.' },
          { value: 'feed_and_story', name: 'Feed and Story', note: 'Two Posts; the text goes to the feed.' },
        ]}
        value={state.draft.options[id]?.placement ?? 'feed'}
        onChange={(placement) => onChange({ placement: placement === 'feed' ? undefined : placement })}
      />
    </FieldPlace>
  );
}

function TitleField({ channel, state, onChange }: WithChange) {
  const error = useFieldError('title', [channel.id]);
  const { draft } = state;
  const title = draft.options[channel.id]?.title ?? draft.options[channel.id]?.youtube?.title ?? '';
  const note = channel.network === 'youtube' ? 'Left out: the first sentence of the text.' : 'Of pictures only.';
  return (
    <FieldPlace field="title" channelId={channel.id}>
      <TextField
        label="Title"
        value={title}
        error={error}
        note={
          <>
            {note} <Counters what="title" text={title} channels={[channel]} media={mediaOf(draft).map(draftFileOf)} />
          </>
        }
        onChange={(text) => onChange({ title: text === '' ? undefined : text, youtube: undefined })}
      />
    </FieldPlace>
  );
}

function FirstComment({ channel, state, onChange }: WithChange) {
  const error = useFieldError('firstComment', [channel.id]);
  const { draft } = state;
  const comment = draft.options[channel.id]?.firstComment ?? '';
  const price = channel.network === 'x' ? 'It costs one more X Post credit. ' : '';
  const ofChannel = channel.defaults.firstComment;
  return (
    <FieldPlace field="firstComment" channelId={channel.id}>
      <TextArea
        label="First comment"
        rows={2}
        value={comment}
        error={error}
        note={
          <>
            {`Sent once when the Post is live. ${price}`}
            {comment === '' && ofChannel !== undefined ? `Left out: "${ofChannel}". ` : ''}
            <Counters what="firstComment" text={comment} channels={[channel]} media={mediaOf(draft).map(draftFileOf)} />
          </>
        }
        onChange={(text) => onChange({ firstComment: text.trim() === '' ? undefined : text })}
      />
    </FieldPlace>
  );
}

function CoverOfChannel({ channel, session, state }: ChannelOptionsProps) {
  const { draft, previews } = state;
  const { id } = channel;
  const file = draft.files.find(({ key }) => key === draft.coverFiles[id]);
  const video = mediaOf(draft).find(({ kind }) => kind !== 'image');
  const change = (cover: Parameters<typeof setCover>[1]) => {
    // A picture that no other Channel shows is of no use any more.
    const others = Object.entries(draft.coverFiles).some(([other, key]) => other !== id && key === file?.key);
    if (file !== undefined && !others) session.removeFile(file.key);
    session.change(setCover(id, cover));
  };
  return (
    <CoverField
      channel={channel}
      cover={draft.options[id]?.cover}
      file={file}
      previewUrl={file === undefined ? undefined : previews.get(file.key)}
      videoUrl={video === undefined ? undefined : previews.get(video.key)}
      onCover={change}
      onFile={(chosen) => {
        const [taken] = session.addFiles([chosen], 'cover');
        if (taken !== undefined) change({ fileKey: taken.key });
      }}
    />
  );
}
