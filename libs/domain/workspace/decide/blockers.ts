import { misfit } from '../../channel/channel-defaults.ts';
import { creditsFor } from '../../plan/credits.ts';
import { ownOptions, textFor, type ChannelOptions, type Cover } from '../../post/channel-options.ts';
import { coverBeyondEnd } from '../../post/covers.ts';
import type { Channel } from '../../channel/channel.ts';
import { factsOf, type Network, type Placement } from '../../network.ts';
import { hasStories, placementsOf } from '../../post/placements.ts';
import type { CreatePost } from '../commands.ts';
import type { Blocker } from '../results.ts';
import type { DecisionContext } from '../decision-context.ts';
import type { Rules } from '../rules.ts';
import type { BlockedPart, LimitProblem, NetworkLimits } from '../../network-limits.ts';
import type { DraftFile } from '../../post/draft.ts';
import { pathOf } from './blocked-path.ts';

const problem = (part: BlockedPart, message: string): LimitProblem => ({ code: 'problem', message, part });
const incomplete = (part: BlockedPart, message: string): LimitProblem => ({ code: 'incomplete', message, part });

/** Why the Channel takes no Post at all, for a person; null: it does. */
function unusable(channel: Channel | undefined): string | null {
  if (!channel) return 'There is no such Channel in this Workspace.';
  const { name, state } = channel;
  if (state === 'not_connected') return `${name} is disconnected. Connect it again, or leave it out.`;
  return state === 'needs_reconnect' ? `${name} needs to be reconnected before it can take a Post.` : null;
}

function storyProblems(channel: Channel, command: CreatePost): LimitProblem[] {
  if (!hasStories(channel.network))
    return [problem('placement', 'Stories exist on a Facebook Page or an Instagram account only.')];
  const found: LimitProblem[] = [];
  const options = command.channelOptions[channel.id];
  if (options?.placement === 'story') found.push(...storyOptionProblems(textFor(command.text, options), options));
  if (command.media.length === 0) found.push(incomplete('media', 'A Story needs exactly one image or video.'));
  if (command.media.length > 1) found.push(problem('media', 'A Story takes exactly one image or video.'));
  return found;
}

/** What only a Variant of the feed can have: with feed_and_story it goes there. */
function storyOptionProblems(text: string, { firstComment, cover }: ChannelOptions): LimitProblem[] {
  const found: LimitProblem[] = [];
  if (text !== '')
    found.push(problem('placement', 'A Story carries no text. Leave the text out, or choose feed_and_story.'));
  if (firstComment !== undefined)
    found.push(problem('firstComment', 'A Story takes no first comment. Leave firstComment out.'));
  if (cover !== undefined) found.push(problem('cover', 'A Story takes no cover. Leave cover out.'));
  return found;
}

/** What is wrong with the options themselves, whatever the Post says. */
function optionProblems(channel: Channel, { command, files }: JudgeInput): LimitProblem[] {
  const options = command.channelOptions[channel.id];
  if (options === undefined) return [];
  const wrong = misfit(channel, options);
  if (wrong !== null) return [problem(wrong.option, wrong.message)];
  const wrongCover = options.cover === undefined ? null : coverProblem(channel.network, options.cover, files);
  return wrongCover === null ? [] : [problem('cover', wrongCover)];
}

function coverProblem(network: Network, { atSeconds }: Cover, files: readonly DraftFile[]): string | null {
  const { displayName, cover } = factsOf(network);
  if (atSeconds === undefined && cover?.picture === false)
    return `${displayName} takes no picture as a cover. Choose an instant of the video: cover.atSeconds.`;
  // A file of unknown kind may be the video.
  if (files.every(({ kind }) => kind === 'image')) return 'Only a video has a cover. Leave cover out.';
  const [video] = files;
  const isBeyond = atSeconds !== undefined && video?.durationMs != null && atSeconds * 1000 > video.durationMs;
  return isBeyond ? coverBeyondEnd(atSeconds) : null;
}

interface JudgeInput {
  readonly rules: Rules;
  readonly command: CreatePost;
  /** In order. */
  readonly files: readonly DraftFile[];
  /** Judgements of this Post so far. */
  readonly judgements: Map<string, readonly LimitProblem[]>;
}

/**
 * The Network's judgement, made once for all Channels with equal facts, and what it has to measure once for all of its
 * Channels: that takes time in proportion to the length of a text, and a Post may have a hundred Channels.
 */
function networkProblems(
  { command, files, judgements }: JudgeInput,
  limits: NetworkLimits,
  { id, network, kind }: Channel,
  placement: Placement,
): readonly LimitProblem[] {
  const options = ownOptions(network, command.channelOptions[id]);
  // The texts are the longest part, and most Channels share one.
  const ownText = command.channelOptions[id]?.text ?? null;
  const alike = JSON.stringify([network, kind, placement, ownText, options]);
  const text = placement === 'story' ? '' : textFor(command.text, command.channelOptions[id]);
  return once(judgements, alike, () =>
    limits.judge({ text, placement, channel: { network, kind }, options, media: files }, (key, judge) =>
      once(judgements, JSON.stringify([network, key]), judge),
    ),
  );
}

function once(
  judgements: JudgeInput['judgements'],
  key: string,
  judge: () => readonly LimitProblem[],
): readonly LimitProblem[] {
  const known = judgements.get(key);
  if (known !== undefined) return known;
  const found = judge();
  judgements.set(key, found);
  return found;
}

/** The Network's own words, where it names something missing; else an empty Post is incomplete on every Network. */
function draftProblems(input: JudgeInput, channel: Channel, placement: Placement): LimitProblem[] {
  const { rules, command } = input;
  if (placement === 'story' && !hasStories(channel.network)) return storyProblems(channel, command);
  const limits = rules.limits[channel.network];
  if (!limits) return [problem('channel', `Posts to ${channel.network} are not available on this installation yet.`)];
  const found: LimitProblem[] = placement === 'story' ? storyProblems(channel, command) : [];
  found.push(...networkProblems(input, limits, channel, placement));
  const text = textFor(command.text, command.channelOptions[channel.id]);
  const empty = text.trim() === '' && command.media.length === 0;
  if (empty && !found.some(({ code }) => code === 'incomplete'))
    found.push(incomplete('text', 'Add a text or a file.'));
  return found;
}

function judgeChannel(input: JudgeInput, channel: Channel): readonly LimitProblem[] {
  const ofDrafts = placementsOf(input.command.channelOptions[channel.id]).flatMap((placement) =>
    draftProblems(input, channel, placement),
  );
  const found = [...optionProblems(channel, input), ...ofDrafts];
  const isSame = (one: LimitProblem, other: LimitProblem) => one.message === other.message && one.part === other.part;
  return found.filter((each, index) => found.findIndex((other) => isSame(each, other)) === index);
}

function lackOfCredits(available: number, needed: number): string | null {
  if (needed <= available) return null;
  const credits = needed === 1 ? 'credit' : 'credits';
  return `This Post needs ${needed} X Post ${credits} and ${available} ${available === 1 ? 'is' : 'are'} left. Buy more in the app.`;
}

/** All blockers of the Post, over its Channels in the order they were named. */
export function blockersOf(
  { state, rules }: DecisionContext,
  command: CreatePost,
  files: readonly DraftFile[],
): readonly Blocker[] {
  const { channelIds, channelOptions } = command;
  const toX = channelIds.filter(
    (id) => state.channels[id]?.network === 'x' && state.channels[id].state === 'connected',
  );
  const needed = toX.reduce((sum, id) => sum + creditsFor(channelOptions[id]), 0);
  const credit = lackOfCredits(state.xCredits.available, needed);
  const input: JudgeInput = { rules, command, files, judgements: new Map() };
  return channelIds.flatMap((channelId, index) => {
    const channel = state.channels[channelId];
    const stopped = unusable(channel);
    const problems = stopped === null ? judgeChannel(input, channel!) : [problem('channel', stopped)];
    const all = credit !== null && toX.includes(channelId) ? [...problems, problem('channel', credit)] : problems;
    return all.map(({ part, ...each }): Blocker => {
      const path = part === 'channel' ? `channelIds.${index}` : pathOf(part, channelId, channelOptions[channelId]);
      return { channelId, ...each, path };
    });
  });
}
