import { optionNamed, OPTION_COLUMNS, readOption } from '#clients/csv/option-columns.ts';
import { nearestOf } from '#clients/csv/nearest.ts';
import type { Channel, Crier, MediaReference, Post } from '#clients/typescript/client.ts';
import { channelIdsOf } from '../channel-flag.ts';
import { isAfterUncertainAttempt } from '#clients/typescript/transport.ts';
import { chosenTime, machineZone, shownTime } from '../chosen-time.ts';
import { shownPost, statusesOf } from '../show-post.ts';
import type { Terminal } from '../terminal.ts';
import { removeUploads, uploadFiles } from '../uploads.ts';
import { UsageError } from '../usage-error.ts';
import type { Invocation, Verb } from '../verb.ts';

export const POST: Verb = {
  name: 'post',
  summary: 'Publish a Post now, or schedule it',
  takes: '[TEXT]',
  minWords: 0,
  maxWords: 1,
  flags: [
    {
      name: 'channel',
      value: 'NAME',
      doc: 'Name, Network or id of a Channel, or all',
      multiple: true,
      completes: 'channels',
    },
    { name: 'at', value: 'TIME', doc: 'When; left out: now. "2026-12-01 09:00 Europe/Berlin", "tomorrow 09:00", +2h' },
    { name: 'media', value: 'FILE|URL', doc: 'A picture or video, in order', multiple: true, completes: 'files' },
    { name: 'alt', value: 'TEXT', doc: 'What the file in the same place shows', multiple: true },
    { name: 'option', value: 'CHANNEL.KEY=VALUE', doc: 'An option, such as instagram.firstComment=Hi', multiple: true },
    { name: 'wait', doc: 'Wait for the outcome; exit 1 when a Variant failed' },
    { name: 'idempotency-key', value: 'KEY', doc: 'A repeat with this key within 24 hours is the first Post' },
  ],
  notes: [
    'A text of "-" is read from standard input. A time without a zone is in the zone of this machine, and the answer says which instant was understood.',
    'Options are those of the API: placement, text, title, cover, firstComment, privacy, tags and so on. crier channels lists the Channels.',
  ],
  examples: [
    'crier post "Hello from the command line" --channel x --channel threads',
    'crier post "Good morning" --channel instagram --channel tiktok --at "tomorrow 09:00" --media photo.jpg --alt "The harbour at dawn" --option tiktok.privacy=public --option instagram.firstComment="Where is it?"',
    'crier post "With a first comment" --channel threads --at +2h --option threads.firstComment="More tomorrow"',
  ],
  run: post,
};

async function post(invocation: Invocation): Promise<number> {
  const { terminal, words } = invocation;
  const text = words[0] === '-' ? await inputOf(terminal) : (words[0] ?? '');
  if (invocation.values('channel').length === 0)
    throw new UsageError('--channel is missing: the name of a Channel, or all. crier channels lists them');
  if (text === '' && invocation.values('media').length === 0)
    throw new UsageError('a text is missing: crier post "Hello" --channel x');
  const zone = machineZone();
  const at = invocation.value('at');
  const scheduledAt = at === undefined ? null : chosenTime(at, Date.now(), zone);
  const crier = invocation.crier();
  const channels = await crier.channels.list({ signal: terminal.interrupted });
  const channelIds = channelIdsOf(invocation.values('channel'), channels);
  const channelOptions = optionsOf(invocation.values('option'), channels, channelIds);
  const { media, uploads } = await mediaOf(invocation, crier);
  const key = invocation.value('idempotency-key');
  const created = await crier.posts
    .create(
      {
        text,
        channelIds,
        media,
        channelOptions,
        ...(scheduledAt === null ? {} : { scheduledAt: new Date(scheduledAt) }),
      },
      { signal: terminal.interrupted, ...(key === undefined ? {} : { idempotencyKey: key }) },
    )
    .catch(async (error: unknown) => {
      await removeUploads(crier, uploads);
      // With --at +2h another call is another Post, which the server can not know for a repeat of the first.
      const isLost = isAfterUncertainAttempt(error) && error.code !== 'outcome_unknown';
      // What Ctrl-C came after is carried out all the same.
      if (isLost || terminal.interrupted.aborted) terminal.say(MAY_BE_THERE);
      throw error;
    });
  if (scheduledAt !== null && !invocation.json) terminal.say(`${instantWords(scheduledAt, zone)}\n`);
  return invocation.has('wait') ? waitFor(invocation, crier, created) : show(invocation, created, zone);
}

/** Programs on Windows end lines by CR LF, which would be two characters of the Post each. */
async function inputOf(terminal: Terminal): Promise<string> {
  return ((await terminal.input()) ?? '').replaceAll('\r\n', '\n').replace(/\n$/, '');
}

const MAY_BE_THERE =
  'crier: the Post may have been created all the same. Look with crier posts before you send it again\n';

function instantWords(instant: number, zone: string): string {
  return `Scheduled for ${shownTime(instant, zone)} in ${zone}, which is ${new Date(instant).toISOString()}.`;
}

function show({ terminal, json }: Invocation, created: Post, zone: string): number {
  terminal.out(json ? `${JSON.stringify(created)}\n` : shownPost(created, terminal, zone));
  return 0;
}

async function waitFor(invocation: Invocation, crier: Crier, created: Post): Promise<number> {
  const { terminal } = invocation;
  const done = await crier.posts
    .waitForOutcome(created.id, {
      signal: terminal.interrupted,
      onChange: (now) => terminal.sayIsTerminal && terminal.say(`${statusesOf(now)}\n`),
    })
    .catch((error: unknown) => {
      terminal.say(`crier: the Post ${created.id} stays as it is; crier post get ${created.id} shows it\n`);
      throw error;
    });
  show(invocation, done, machineZone());
  return done.variants.some(({ status }) => status === 'failed') ? 1 : 0;
}

interface MediaOfPost {
  readonly media: readonly MediaReference[];
  readonly uploads: readonly { readonly assetId: string }[];
}

async function mediaOf(invocation: Invocation, crier: Crier): Promise<MediaOfPost> {
  const files = invocation.values('media');
  const altTexts = invocation.values('alt');
  if (altTexts.length > files.length)
    throw new UsageError(
      `there are ${altTexts.length} --alt for ${files.length} --media: each describes the file in its place`,
    );
  const paths = files.filter((file) => !/^https?:\/\//.test(file));
  const uploads = await uploadFiles(crier, paths, invocation.terminal);
  const assets = [...uploads];
  const media = files.map((file, index) => {
    const altText = altTexts[index] ?? '';
    const source = paths.includes(file) ? { assetId: assets.shift()!.assetId } : { url: file };
    return { ...source, ...(altText === '' ? {} : { altText }) };
  });
  return { media, uploads };
}

type Options = Record<string, Record<string, unknown>>;

/** `channel.key=value`, where the Channel is named as with --channel, and chosen there too. */
function optionsOf(written: readonly string[], channels: readonly Channel[], channelIds: readonly string[]): Options {
  const options: Options = {};
  for (const each of written) {
    const [, channel = '', key = '', value = ''] = /^(.+)\.(\w+)=(.*)$/s.exec(each) ?? [];
    if (channel === '')
      throw new UsageError(`--option ${each} must be CHANNEL.KEY=VALUE, such as youtube.title="A film"`);
    const name = optionNamed(key);
    if (name === null) throw new UsageError(unknownOption(key));
    const reading = readOption(name, value);
    if (!reading.ok) throw new UsageError(`${key} ${reading.message}`);
    for (const id of channelIdsOf([channel], channels)) {
      if (!channelIds.includes(id)) throw new UsageError(`--option ${each}: add --channel ${channel}, or leave it out`);
      (options[id] ??= {})[name] = reading.value;
    }
  }
  return options;
}

function unknownOption(key: string): string {
  const nearest = nearestOf(key, Object.keys(OPTION_COLUMNS));
  return `there is no option "${key}". ${nearest === null ? `There are ${Object.keys(OPTION_COLUMNS).join(', ')}` : `Did you mean ${nearest}?`}`;
}
