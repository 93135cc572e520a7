import { Button } from '../../parts/button.tsx';
import { NetworkMark } from '../../parts/network-mark.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { TextArea } from '../../parts/text-area.tsx';
import { ChannelOptions } from './channel-options.tsx';
import { draftFileOf, type ComposeChannel } from './checks/blockers.ts';
import type { ComposerProps } from './composer-props.ts';
import { Counters } from './counters.tsx';
import { mediaOf } from './draft/compose-draft.ts';
import { setOptions } from './draft/draft-changes.ts';
import { FieldPlace, useFieldError } from './fields.tsx';
import { differencesIn } from './options/option-fields.ts';
import { isolating } from '../../parts/isolating.ts';

export const ALL_CHANNELS = 'all';

export interface TextTabsProps extends ComposerProps {
  /** Id of a Channel, or `ALL_CHANNELS`. */
  readonly selected: string;
  readonly onSelect: (id: string) => void;
}

/** The text for all, and a tab for each Channel that says what differs there. */
export function TextTabs({ selected, onSelect, ...composer }: TextTabsProps) {
  const { chosen, state } = composer;
  const { options, coverFiles } = state.draft;
  const all = { id: ALL_CHANNELS, name: 'All Channels', content: <SharedText {...composer} /> };
  const own = chosen.map((channel) => ({
    id: channel.id,
    name: (
      <TabName
        channel={channel}
        differences={differencesIn(options[channel.id], coverFiles[channel.id] !== undefined)}
      />
    ),
    content: <ChannelTab channel={channel} {...composer} />,
  }));
  const isThere = selected === ALL_CHANNELS || chosen.some(({ id }) => id === selected);
  return (
    <Tabs
      label="Texts and options"
      tabs={[all, ...own]}
      selected={isThere ? selected : ALL_CHANNELS}
      onSelect={onSelect}
    />
  );
}

function TabName({ channel, differences }: { readonly channel: ComposeChannel; readonly differences: string }) {
  return (
    <>
      <NetworkMark network={channel.network} isNameHidden />
      <span>
        <bdi>{channel.name}</bdi>
        {differences === '' ? null : <span className="tab-differences">{differences}</span>}
      </span>
    </>
  );
}

function SharedText({ session, state, chosen }: ComposerProps) {
  const { draft } = state;
  const readers = chosen.filter(
    ({ id }) => draft.options[id]?.text === undefined && draft.options[id]?.placement !== 'story',
  );
  const error = useFieldError(
    'text',
    readers.map(({ id }) => id),
  );
  return (
    <FieldPlace field="text" channelId={null}>
      <TextArea
        label={chosen.length > readers.length ? 'Text for all that have none of their own' : 'Text'}
        rows={7}
        value={draft.text}
        error={error}
        note={<Counters what="text" text={draft.text} channels={readers} media={mediaOf(draft).map(draftFileOf)} />}
        onChange={(text) => session.change((now) => ({ ...now, text }))}
      />
    </FieldPlace>
  );
}

function ChannelTab({ channel, ...composer }: ComposerProps & { readonly channel: ComposeChannel }) {
  return (
    <>
      <OwnText channel={channel} {...composer} />
      <ChannelOptions channel={channel} {...composer} />
    </>
  );
}

function OwnText({ channel, session, state }: ComposerProps & { readonly channel: ComposeChannel }) {
  const { draft } = state;
  const own = draft.options[channel.id]?.text;
  const error = useFieldError('text', own === undefined ? [] : [channel.id]);
  const set = (text: string | undefined) => session.change(setOptions(channel.id, { text }));
  if (own === undefined)
    return (
      <div className="shared-text">
        <span className="field-label">Text</span>
        <p className="shared-text-words" dir="auto">
          {draft.text === '' ? 'No text yet.' : draft.text}
        </p>
        <Button icon="draft" onPress={() => set(draft.text)}>
          {`Write another text for ${channel.name}`}
        </Button>
      </div>
    );
  return (
    <FieldPlace field="text" channelId={channel.id}>
      <TextArea
        label={isolating`Text for ${channel.name}`}
        rows={7}
        value={own}
        error={error}
        note={<Counters what="text" text={own} channels={[channel]} media={mediaOf(draft).map(draftFileOf)} />}
        onChange={set}
      />
      <Button icon="undo" onPress={() => set(undefined)}>
        Use the text for all again
      </Button>
    </FieldPlace>
  );
}
