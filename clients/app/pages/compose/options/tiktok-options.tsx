import { useId } from 'react';
import type { Privacy } from '#domain/network-options.ts';
import { ErrorPanel } from '../../../parts/error-panel.tsx';
import { OutsideLink } from '../../../parts/outside-link.tsx';
import { Select } from '../../../parts/select.tsx';
import { Skeleton } from '../../../parts/skeleton.tsx';
import { Switch } from '../../../parts/switch.tsx';
import { useServerQuery } from '../../../server/queries.ts';
import { useWorkspace } from '../../../workspace/workspace.ts';
import type { ComposeChannel } from '../checks/blockers.ts';
import type { ComposeFile, SentOptions } from '../draft/compose-draft.ts';
import type { CommercialDisclosure } from '../draft/disclosure.ts';
import { FieldPlace, FieldTrouble, useFieldError } from '../fields.tsx';
import { FlagControl, type SetOptions } from './option-controls.tsx';
import type { FlagField } from './option-fields.ts';
import { isolating } from '../../../parts/isolating.ts';

export interface TiktokOptionsProps {
  readonly channel: ComposeChannel;
  readonly options: SentOptions;
  readonly media: readonly ComposeFile[];
  readonly disclosure: CommercialDisclosure;
  readonly onChange: SetOptions;
  readonly onDisclosing: (isOn: boolean) => void;
}

const PRIVACY_WORDS: Readonly<Partial<Record<Privacy, string>>> = {
  public: 'Everyone',
  friends: 'Friends: followers you follow back',
  followers: 'Followers',
  only_me: 'Only me',
};
const BRANDED_NOT_PRIVATE = 'Branded content visibility cannot be set to private.';

/** What TikTok demands of a form that posts: everything off until a person chooses it, in TikTok's own words. */
export function TiktokOptions(props: TiktokOptionsProps) {
  const { channel, media, options, onChange } = props;
  const { id: workspaceId } = useWorkspace();
  // TikTok wants it to be read anew for each post.
  const asked = useServerQuery(
    (from) => from.channels.options,
    { workspaceId, channelId: channel.id },
    { staleTime: 30_000 },
  );
  if (asked.isPending) return <Skeleton label="Loading what TikTok allows" lines={4} />;
  if (asked.isError)
    return (
      <ErrorPanel
        title={isolating`What ${channel.name} may post now could not be read from TikTok.`}
        error={asked.error}
        kept="What you wrote is kept."
        onRetry={() => void asked.refetch()}
      />
    );
  const { choices } = asked.data;
  const isVideo = media.some(({ kind }) => kind === 'video');
  const longestMs = (choices.longestVideoSeconds ?? Infinity) * 1000;
  const isTooLong = media.some(({ durationMs }) => (durationMs ?? 0) > longestMs);
  return (
    <>
      <p className="tiktok-account">
        Posting to <strong dir="auto">{choices.nickname ?? channel.name}</strong>
        {choices.longestVideoSeconds === undefined ? '' : `, videos up to ${choices.longestVideoSeconds} seconds`}
      </p>
      {isTooLong ? (
        <p className="field-error">
          The video is longer than TikTok lets this account post. Shorten it, or leave this Channel out.
        </p>
      ) : null}
      <PrivacyControl {...props} offered={choices.privacy ?? []} />
      <div role="group" aria-label="What others may do">
        {INTERACTIONS.filter(({ name }) => name === 'allowComments' || isVideo || media.length === 0).map((field) => (
          <FlagControl
            key={field.name}
            {...{ field, channel, options, onChange }}
            forbidden={
              choices[field.name as 'allowDuet'] === false ? 'The settings of the TikTok account forbid it.' : undefined
            }
          />
        ))}
      </div>
      <Disclosure {...props} isVideo={isVideo} />
      <FieldPlace field="aiGenerated" channelId={channel.id}>
        <FlagControl field={isVideo || media.length === 0 ? AI : AUTO_MUSIC} {...{ channel, options, onChange }} />
      </FieldPlace>
    </>
  );
}

const flag = (name: FlagField['name'], label: string, note?: string): FlagField => ({
  kind: 'flag',
  name,
  label,
  builtIn: false,
  ...(note === undefined ? {} : { note }),
});
const INTERACTIONS = [
  flag('allowComments', 'Allow comments'),
  flag('allowDuet', 'Allow Duet'),
  flag('allowStitch', 'Allow Stitch'),
];
const AI = flag('aiGenerated', 'It was made by AI', 'TikTok labels it as AI-generated.');
const AUTO_MUSIC = flag('autoMusic', 'Let TikTok add music', 'It can be changed in the TikTok app.');

function PrivacyControl({
  channel,
  options,
  offered,
  disclosure,
  onChange,
}: TiktokOptionsProps & { readonly offered: readonly Privacy[] }) {
  const error = useFieldError('privacy', [channel.id]);
  const isBranded = disclosure.brandedContent;
  const preset = options.privacy === undefined ? channel.defaults.privacy : undefined;
  const note =
    preset === undefined
      ? 'TikTok wants a person to choose it for each post.'
      : `Left as it is: ${PRIVACY_WORDS[preset] ?? preset}, the Channel's own setting.`;
  return (
    <FieldPlace field="privacy" channelId={channel.id}>
      <Select<Privacy>
        label="Who can see this post"
        placeholder="Choose who can see it"
        note={note}
        error={error === undefined ? undefined : 'Choose who can see this post.'}
        value={options.privacy ?? null}
        onChange={(privacy) => onChange({ privacy })}
        choices={offered.map((value) => ({
          value,
          name: PRIVACY_WORDS[value] ?? value,
          ...(value === 'only_me' && isBranded ? { isDisabled: true, note: BRANDED_NOT_PRIVATE } : {}),
        }))}
      />
    </FieldPlace>
  );
}

interface DisclosureProps extends TiktokOptionsProps {
  readonly isVideo: boolean;
}

function Disclosure({ channel, options, disclosure, isVideo, onChange, onDisclosing }: DisclosureProps) {
  const troubleId = useId();
  const error = useFieldError('disclosure', [channel.id]);
  const isPrivate = (options.privacy ?? channel.defaults.privacy) === 'only_me';
  const { isOn, ownBrand, brandedContent } = disclosure;
  const label = brandedContent ? 'Paid partnership' : 'Promotional content';
  // What is taken back of the Channel's own setting leaves the switch on, for another choice.
  const choose: SetOptions = (change) => {
    onDisclosing(true);
    onChange(change);
  };
  return (
    <FieldPlace field="disclosure" channelId={channel.id}>
      <Switch
        isSelected={isOn}
        onChange={onDisclosing}
        note="Turn on to disclose that it promotes goods or services in exchange for something of value. It could promote yourself, a third party, or both."
      >
        Disclose commercial content
      </Switch>
      {isOn ? (
        <div
          className="tiktok-disclosure"
          role="group"
          aria-label="What it promotes"
          aria-describedby={error === undefined ? undefined : troubleId}
        >
          <FlagControl field={OWN_BRAND} {...{ channel, options }} onChange={choose} />
          <FlagControl
            field={BRANDED}
            {...{ channel, options }}
            onChange={choose}
            forbidden={isPrivate && !brandedContent ? BRANDED_NOT_PRIVATE : undefined}
          />
          {ownBrand || brandedContent ? (
            <p className="field-note">{`Your ${isVideo ? 'video' : 'photo'} will be labeled as '${label}'.`}</p>
          ) : null}
          <FieldTrouble id={troubleId} message={error} />
        </div>
      ) : null}
    </FieldPlace>
  );
}

const OWN_BRAND = flag('ownBrand', 'Your brand', 'You are promoting yourself or your own business.');
const BRANDED = flag('brandedContent', 'Branded content', 'You are promoting another brand or a third party.');

const MUSIC = 'https://www.tiktok.com/legal/page/global/music-usage-confirmation/en';
const BRANDED_POLICY = 'https://www.tiktok.com/legal/page/global/bc-policy/en';

/** What a person agrees to by the button, in TikTok's words. */
export function TiktokConsent({ isBranded }: { readonly isBranded: boolean }) {
  return (
    <p className="field-note">
      By posting, you agree to TikTok&apos;s{' '}
      {isBranded ? (
        <>
          <OutsideLink href={BRANDED_POLICY}>Branded Content Policy</OutsideLink> and{' '}
        </>
      ) : null}
      <OutsideLink href={MUSIC}>Music Usage Confirmation</OutsideLink>. After posting, TikTok may need a few minutes
      before the post is seen.
    </p>
  );
}
