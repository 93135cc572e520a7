import { Checkbox } from '../../../parts/checkbox.tsx';
import { ErrorPanel } from '../../../parts/error-panel.tsx';
import { Select } from '../../../parts/select.tsx';
import { Skeleton } from '../../../parts/skeleton.tsx';
import { useServerQuery } from '../../../server/queries.ts';
import { useWorkspace } from '../../../workspace/workspace.ts';
import type { ComposeChannel } from '../checks/blockers.ts';
import type { SentOptions } from '../draft/compose-draft.ts';
import { FieldPlace, useFieldError } from '../fields.tsx';
import type { SetOptions } from './option-controls.tsx';

export interface YoutubeOptionsProps {
  readonly channel: ComposeChannel;
  readonly options: SentOptions;
  readonly onChange: SetOptions;
}

const PRIVACIES = [
  { value: 'public', name: 'Public' },
  { value: 'unlisted', name: 'Unlisted: whoever has the link' },
  { value: 'private', name: 'Private' },
] as const;
const NO_CATEGORY = 'none';

/** Who sees a video, and the category and playlists that the channel has to choose from now. */
export function YoutubeOptions({ channel, options, onChange }: YoutubeOptionsProps) {
  const { id: workspaceId } = useWorkspace();
  const asked = useServerQuery(
    (from) => from.channels.options,
    { workspaceId, channelId: channel.id },
    { staleTime: 60_000 },
  );
  const error = useFieldError('privacy', [channel.id]);
  const categoryError = useFieldError('categoryId', [channel.id]);
  const { defaults } = channel;
  const playlistIds = options.playlistIds ?? defaults.playlistIds ?? [];
  const toggle = (id: string, isOn: boolean) =>
    onChange({ playlistIds: isOn ? [...playlistIds, id] : playlistIds.filter((each) => each !== id) });
  return (
    <>
      <FieldPlace field="privacy" channelId={channel.id}>
        <Select
          label="Who can see the video"
          error={error}
          choices={PRIVACIES}
          value={(options.privacy ?? defaults.privacy ?? 'public') as (typeof PRIVACIES)[number]['value']}
          onChange={(privacy) => onChange({ privacy })}
        />
      </FieldPlace>
      {asked.isPending ? <Skeleton label="Loading categories and playlists" lines={2} /> : null}
      {asked.isError ? (
        <ErrorPanel
          title="Categories and playlists could not be read from YouTube."
          error={asked.error}
          kept="The Post can be made without them."
          onRetry={() => void asked.refetch()}
        />
      ) : null}
      {asked.data === undefined ? null : (
        <FieldPlace field="categoryId" channelId={channel.id}>
          <Select
            label="Category"
            error={categoryError}
            choices={[
              { value: NO_CATEGORY, name: 'As YouTube decides' },
              ...(asked.data.choices.categories ?? []).map(({ id, title }) => ({ value: id, name: title })),
            ]}
            value={options.categoryId ?? defaults.categoryId ?? NO_CATEGORY}
            onChange={(id) => onChange({ categoryId: id === NO_CATEGORY ? undefined : id })}
          />
        </FieldPlace>
      )}
      {(asked.data?.choices.playlists ?? []).length === 0 ? null : (
        <div role="group" aria-label="Playlists" className="option-group">
          <span className="field-label">Playlists</span>
          {asked.data?.choices.playlists?.map(({ id, title }) => (
            <Checkbox key={id} isSelected={playlistIds.includes(id)} onChange={(isOn) => toggle(id, isOn)}>
              <bdi>{title}</bdi>
            </Checkbox>
          ))}
        </div>
      )}
    </>
  );
}
