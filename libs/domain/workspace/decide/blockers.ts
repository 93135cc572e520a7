import { ownOptions } from '../../post/channel-options.ts';
import type { Channel } from '../../channel/channel.ts';
import type { Placement } from '../../network.ts';
import { hasStories, placementsOf } from '../../post/placements.ts';
import type { CreatePost } from '../commands.ts';
import type { Blocker } from '../results.ts';
import type { DecisionContext } from '../decision-context.ts';
import type { Rules } from '../rules.ts';
import type { NetworkLimits } from '../../network-limits.ts';
import type { DraftFile } from '../../post/draft.ts';

type Problem = Omit<Blocker, 'channelId'>;

const problem = (message: string): Problem => ({ code: 'problem', message });
const incomplete = (message: string): Problem => ({ code: 'incomplete', message });

function unusable(channel: Channel): Problem | null {
  if (channel.state === 'not_connected')
    return problem(`${channel.name} is disconnected. Connect it again, or leave it out.`);
  if (channel.state === 'needs_reconnect')
    return problem(`${channel.name} needs to be reconnected before it can take a Post.`);
  return null;
}

function storyProblems(channel: Channel, command: CreatePost): Problem[] {
  if (!hasStories(channel.network)) return [problem('Stories exist on a Facebook Page or an Instagram account only.')];
  const found: Problem[] = [];
  if (command.text !== '' && command.channelOptions[channel.id]?.placement === 'story') {
    found.push(problem('A Story carries no text. Leave the text out, or choose feed_and_story.'));
  }
  if (command.media.length === 0) found.push(incomplete('A Story needs exactly one image or video.'));
  if (command.media.length > 1) found.push(problem('A Story takes exactly one image or video.'));
  return found;
}

interface JudgeInput {
  readonly rules: Rules;
  readonly command: CreatePost;
  /** In order. */
  readonly files: readonly DraftFile[];
  /** Judgements of this Post so far. */
  readonly judgements: Map<string, readonly Problem[]>;
}

/**
 * The Network's judgement, made once for all Channels with equal facts: measuring a text takes time in proportion to
 * its length, and a Post may have a hundred Channels.
 */
function networkProblems(
  { command, files, judgements }: JudgeInput,
  limits: NetworkLimits,
  { id, network, kind }: Channel,
  placement: Placement,
): readonly Problem[] {
  const options = ownOptions(network, command.channelOptions[id]);
  const alike = JSON.stringify([network, kind, placement, options]);
  const known = judgements.get(alike);
  if (known !== undefined) return known;
  const text = placement === 'story' ? '' : command.text;
  const found = limits.judge({ text, placement, channel: { network, kind }, options, media: files });
  judgements.set(alike, found);
  return found;
}

/** The Network's own words, where it names something missing; else an empty Post is incomplete on every Network. */
function draftProblems(input: JudgeInput, channel: Channel, placement: Placement): Problem[] {
  const { rules, command } = input;
  if (placement === 'story' && !hasStories(channel.network)) return storyProblems(channel, command);
  const limits = rules.limits[channel.network];
  if (!limits) return [problem(`Posts to ${channel.network} are not available on this installation yet.`)];
  const found: Problem[] = placement === 'story' ? storyProblems(channel, command) : [];
  found.push(...networkProblems(input, limits, channel, placement));
  const empty = command.text.trim() === '' && command.media.length === 0;
  if (empty && !found.some(({ code }) => code === 'incomplete')) found.push(incomplete('Add a text or a file.'));
  return found;
}

function judgeChannel(input: JudgeInput, channel: Channel | undefined): Problem[] {
  if (!channel) return [problem('There is no such Channel in this Workspace.')];
  const stopped = unusable(channel);
  if (stopped) return [stopped];
  const found = placementsOf(input.command.channelOptions[channel.id]).flatMap((placement) =>
    draftProblems(input, channel, placement),
  );
  return found.filter(({ message }, index) => found.findIndex((other) => other.message === message) === index);
}

function creditProblem(available: number, needed: number): Problem | null {
  if (needed <= available) return null;
  const credits = needed === 1 ? 'credit' : 'credits';
  return problem(
    `This Post needs ${needed} X Post ${credits} and ${available} ${available === 1 ? 'is' : 'are'} left. Buy more in the app.`,
  );
}

/** All blockers of the Post, over its Channels in the order they were named. */
export function blockersOf(
  { state, rules }: DecisionContext,
  command: CreatePost,
  files: readonly DraftFile[],
): readonly Blocker[] {
  const blockers: Blocker[] = [];
  const toX = command.channelIds.filter(
    (id) => state.channels[id]?.network === 'x' && state.channels[id].state === 'connected',
  );
  const credit = creditProblem(state.xCredits.available, toX.length);
  const input: JudgeInput = { rules, command, files, judgements: new Map() };
  for (const channelId of command.channelIds) {
    const found = judgeChannel(input, state.channels[channelId]);
    if (credit && toX.includes(channelId)) found.push(credit);
    blockers.push(...found.map((each) => ({ channelId, ...each })));
  }
  return blockers;
}
