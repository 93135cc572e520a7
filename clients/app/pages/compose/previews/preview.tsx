import { titleFor } from '#domain/post/channel-options.ts';
import { factsOf, type Network, type Placement } from '#domain/network.ts';
import { placementsOf } from '#domain/post/placements.ts';
import { titleOf } from '#networks/youtube/title.ts';
import { Icon } from '../../../parts/icon.tsx';
import { NetworkMark } from '../../../parts/network-mark.tsx';
import type { ComposeChannel } from '../checks/blockers.ts';
import type { ComposeState } from '../compose-session.ts';
import { mediaOf, type ComposeFile, type SentOptions } from '../draft/compose-draft.ts';
import { cutText } from './cut-text.ts';
import { frameOf } from './framing.ts';
import './preview.css';

export interface PreviewProps {
  readonly channel: ComposeChannel;
  readonly state: ComposeState;
}

/** How the Post looks at a Channel, about: what is cut, what has bars, and what cannot be known is said. */
export function Preview({ channel, state }: PreviewProps) {
  const placements = placementsOf(state.draft.options[channel.id]);
  return placements.map((placement) => (
    <OnePreview key={placement} channel={channel} state={state} placement={placement} />
  ));
}

type OnePreviewProps = PreviewProps & { readonly placement: Placement };

function OnePreview({ channel, state, placement }: OnePreviewProps) {
  const { network, name, avatarUrl, id } = channel;
  const { draft } = state;
  const options = draft.options[id] ?? {};
  const text = placement === 'story' ? '' : (options.text ?? draft.text);
  const files = mediaOf(draft);
  const label = `${name} on ${factsOf(network).displayName}${placement === 'story' ? ', Story' : ''}`;
  return (
    <figure className="preview" aria-label={`Preview: ${label}`}>
      <figcaption>
        <NetworkMark network={network} /> {placement === 'story' ? 'Story' : null}
      </figcaption>
      <div className={`preview-card preview-${placement === 'story' ? 'story' : network}`} data-network={network}>
        <header className="preview-head">
          {avatarUrl === null ? (
            <span className="preview-avatar" aria-hidden="true">
              {name.slice(0, 1)}
            </span>
          ) : (
            <img className="preview-avatar" src={avatarUrl} alt="" />
          )}
          <strong dir="auto">{name}</strong>
        </header>
        {TEXT_ABOVE.has(network) ? <PreviewText {...{ network, text, options }} /> : null}
        <PreviewFiles {...{ channel, state, placement, files }} />
        {TEXT_ABOVE.has(network) ? null : <PreviewText {...{ network, text, options }} />}
        {options.firstComment === undefined || placement === 'story' ? null : (
          <p className="preview-comment">
            <strong dir="auto">{name}</strong> <bdi>{options.firstComment}</bdi>
          </p>
        )}
      </div>
      <Honesty {...{ channel, placement, files, text }} />
    </figure>
  );
}

const TEXT_ABOVE: ReadonlySet<Network> = new Set(['facebook', 'x', 'threads']);

interface PreviewTextProps {
  readonly network: Network;
  readonly text: string;
  readonly options: SentOptions;
}

function PreviewText({ network, text, options }: PreviewTextProps) {
  const given = titleFor(network, options);
  const title = network === 'youtube' ? titleOf({ title: given, text }) : given;
  const { shown, isCut } = cutText(text, network);
  return (
    <>
      {title === null ? null : (
        <p className="preview-title" dir="auto">
          {title}
        </p>
      )}
      {text === '' ? null : (
        <p className="preview-text" dir="auto">
          {shown}
          {isCut ? <span className="preview-more">… more</span> : null}
        </p>
      )}
      {options.topicTag === undefined ? null : (
        <p className="preview-topic" dir="auto">
          {options.topicTag}
        </p>
      )}
    </>
  );
}

type PreviewFilesProps = OnePreviewProps & { readonly files: readonly ComposeFile[] };

function PreviewFiles({ channel, state, placement, files }: PreviewFilesProps) {
  if (files.length === 0) return null;
  const { network, kind } = channel;
  const cover = state.draft.coverFiles[channel.id];
  const coverUrl = cover === undefined ? undefined : state.previews.get(cover);
  const isSwiped = network === 'instagram' || network === 'threads' || network === 'tiktok' || placement === 'story';
  const shown = isSwiped ? files.slice(0, 1) : files.slice(0, 4);
  return (
    <div className={`preview-files preview-files-${shown.length}`}>
      {shown.map((file) => {
        const frame = frameOf(file, { network, placement, accountKind: kind, files });
        const ratio =
          placement === 'story' || network === 'tiktok' ? 9 / 16 : network === 'youtube' ? 16 / 9 : frame?.ratio;
        return (
          <div key={file.key} className="preview-file" style={frameStyle(shown.length > 1 ? 1 : (ratio ?? 1))}>
            <PreviewPicture file={file} url={coverUrl ?? urlOf(file, state)} isCover={coverUrl !== undefined} />
          </div>
        );
      })}
      {files.length > shown.length ? <span className="preview-count">{`1 of ${files.length}`}</span> : null}
    </div>
  );
}

const MAX_HEIGHT_REM = 30;

/** As wide as there is room, unless it would become too high to be seen at once. */
function frameStyle(ratio: number) {
  return { aspectRatio: ratio, maxInlineSize: `${MAX_HEIGHT_REM * ratio}rem` };
}

function PreviewPicture({
  file,
  url,
  isCover,
}: {
  readonly file: ComposeFile;
  readonly url: string | undefined;
  readonly isCover: boolean;
}) {
  if (url === undefined)
    return (
      <span className="preview-nothing" dir="auto">
        {file.name}
      </span>
    );
  if (file.kind === 'video' && !isCover)
    return (
      <>
        <video src={`${url}#t=0.1`} preload="metadata" muted tabIndex={-1} aria-label={file.altText || file.name} />
        <span className="preview-play" aria-hidden="true">
          <Icon name="right" />
        </span>
      </>
    );
  return <img src={url} alt={file.altText || file.name} />;
}

function urlOf({ key, source }: ComposeFile, { previews }: ComposeState): string | undefined {
  return previews.get(key) ?? (source.kind === 'posted' ? (source.url ?? undefined) : undefined);
}

/** What a preview can not show, and what is not as it seems. */
function Honesty({
  channel,
  placement,
  files,
  text,
}: Pick<PreviewFilesProps, 'channel' | 'placement' | 'files'> & { readonly text: string }) {
  const { network, kind } = channel;
  const name = factsOf(network).displayName;
  const frames = files.map((file) => frameOf(file, { network, placement, accountKind: kind, files }));
  const words = [
    ...(frames.some((frame) => frame?.hasBars === true)
      ? [`Bars are added, as ${placement === 'story' ? 'a Story' : name} does not take this shape. Nothing is cut off.`]
      : []),
    ...(frames.includes(null) ? ['The size of a file is not known yet, so its frame may differ.'] : []),
    ...(files.length > 1 && ['facebook', 'x'].includes(network)
      ? [`${name} cuts pictures at the edges where it shows several, until one opens them.`]
      : []),
    ...(cutText(text, network).isCut ? [`${name} shows the rest of the text when one asks for more.`] : []),
  ];
  return words.length === 0 ? null : <p className="field-note">{words.join(' ')}</p>;
}
