import { describe, expect, it } from 'vitest';
import { aWorkspace, DAY, MINUTE, START, type Scenario } from '#testing/scenario.ts';
import type { ChannelState } from '../../channel/channel.ts';
import { renderChannels } from '../../channel/render.ts';
import type { MediaUrl } from '../../post/render.ts';
import type { ConnectChannel } from '../commands.ts';
import type { Effect } from '../effects.ts';

function connecting(workspace: Scenario, channelId: string, about: Partial<ConnectChannel> = {}): ConnectChannel {
  const before = workspace.workspace.channels[channelId];
  const account = {
    network: 'threads',
    name: 'threads',
    avatarUrl: null,
    accountId: before?.accountId ?? 'new',
    kind: '',
  } as const;
  return workspace.ask({ type: 'ConnectChannel', channelId, ...account, ...about }) as ConnectChannel;
}

const marking = (workspace: Scenario, channelId: string, state: 'connected' | 'needs_reconnect', seenAt: number) =>
  workspace.tell({ type: 'MarkChannel', workspaceId: workspace.id, channelId, state, seenAt });

/** A Channel brought to each state. */
function arrange(given: ChannelState): { workspace: Scenario; channelId: string } {
  const workspace = aWorkspace();
  const channelId = workspace.channel('threads');
  workspace.now += 1;
  if (given === 'needs_reconnect') marking(workspace, channelId, 'needs_reconnect', workspace.now);
  if (given === 'not_connected') workspace.must({ type: 'DisconnectChannel', channelId, memberId: null });
  workspace.now += 1;
  return { workspace, channelId };
}

const WHEN = {
  connect: (workspace: Scenario, channelId: string) => workspace.tell(connecting(workspace, channelId)),
  disconnect: (workspace: Scenario, channelId: string) =>
    workspace.tell({ type: 'DisconnectChannel', channelId, memberId: null }),
  'seen healthy': (workspace: Scenario, channelId: string) => marking(workspace, channelId, 'connected', workspace.now),
  'seen broken': (workspace: Scenario, channelId: string) =>
    marking(workspace, channelId, 'needs_reconnect', workspace.now),
  'seen broken before the last change': (workspace: Scenario, channelId: string) =>
    marking(workspace, channelId, 'needs_reconnect', START),
};

describe('every Channel state and every command', () => {
  it.each<[ChannelState, keyof typeof WHEN, ChannelState]>([
    ['connected', 'connect', 'connected'],
    ['connected', 'disconnect', 'not_connected'],
    ['connected', 'seen healthy', 'connected'],
    ['connected', 'seen broken', 'needs_reconnect'],
    ['connected', 'seen broken before the last change', 'connected'],
    ['needs_reconnect', 'connect', 'connected'],
    ['needs_reconnect', 'disconnect', 'not_connected'],
    ['needs_reconnect', 'seen healthy', 'connected'],
    ['needs_reconnect', 'seen broken', 'needs_reconnect'],
    ['needs_reconnect', 'seen broken before the last change', 'needs_reconnect'],
    ['not_connected', 'connect', 'connected'],
    ['not_connected', 'disconnect', 'not_connected'],
    ['not_connected', 'seen healthy', 'not_connected'],
    ['not_connected', 'seen broken', 'not_connected'],
    ['not_connected', 'seen broken before the last change', 'not_connected'],
  ])('%s, %s: %s', (given, when, then) => {
    const { workspace, channelId } = arrange(given);
    const { effects } = WHEN[when](workspace, channelId);
    expect(workspace.workspace.channels[channelId]!.state).toBe(then);
    if (given !== then) expect(effects).toContainEqual({ kind: 'channels-changed' });
    const settled = workspace.state;
    WHEN[when](workspace, channelId);
    expect(workspace.state).toEqual(settled);
  });

  it('news about the old Connection that comes after a reconnect is ignored', () => {
    const { workspace, channelId } = arrange('needs_reconnect');
    const seenAt = workspace.now;
    workspace.now += 1;
    workspace.must(connecting(workspace, channelId));
    expect(marking(workspace, channelId, 'needs_reconnect', seenAt).effects).toEqual([]);
    expect(workspace.workspace.channels[channelId]!.state).toBe('connected');
  });
});

it('news of a Channel that was connected while the clock led counts once it is put back', () => {
  const { workspace, channelId } = arrange('connected');
  workspace.now += 30 * DAY;
  workspace.must(connecting(workspace, channelId));
  workspace.now -= 30 * DAY;
  marking(workspace, channelId, 'needs_reconnect', workspace.now);
  expect(workspace.workspace.channels[channelId]!.state).toBe('needs_reconnect');
  workspace.now += 1;
  workspace.must(connecting(workspace, channelId));
  marking(workspace, channelId, 'needs_reconnect', workspace.now - 1);
  expect(workspace.workspace.channels[channelId]!.state).toBe('connected');
});

const mediaUrl: MediaUrl = ({ blob }) => `https://media.test/${blob}`;

describe('connecting', () => {
  it('takes what the Network says of the account now, and keeps the place of the Channel', () => {
    const workspace = aWorkspace();
    const [first, second] = [workspace.channel('threads'), workspace.channel('x')];
    workspace.must(connecting(workspace, first, { name: 'renamed', kind: 'premium' }));
    expect(workspace.workspace.channels[first]).toMatchObject({ name: 'renamed', kind: 'premium' });
    expect(renderChannels(workspace.workspace.channels, mediaUrl).map(({ id }) => id)).toEqual([first, second]);
  });

  it('another account under the id of a Channel is refused, as is an account that is connected already', () => {
    const workspace = aWorkspace();
    const channelId = workspace.channel('threads');
    const { accountId } = workspace.workspace.channels[channelId]!;
    for (const wrong of [
      connecting(workspace, channelId, { accountId: 'other' }),
      connecting(workspace, channelId, { network: 'x' }),
      connecting(workspace, workspace.uuid(), { accountId }),
    ]) {
      expect(workspace.tell(wrong).result).toMatchObject({ ok: false, code: 'invalid_request' });
    }
    expect(workspace.must(connecting(workspace, workspace.uuid(), { network: 'x', accountId }))).toEqual({
      ok: true,
      kind: 'done',
    });
  });

  it.each([
    ['name', { name: '長'.repeat(500) }],
    ['accountId', { accountId: 'a'.repeat(300) }],
    ['kind', { kind: 'k'.repeat(300) }],
    ['avatarUrl', { avatarUrl: `https://a.test/${'a'.repeat(5_000)}` }],
  ])('a %s longer than every event and job can carry is refused', (part, about) => {
    const workspace = aWorkspace();
    expect(workspace.tell(connecting(workspace, workspace.uuid(), about)).result).toMatchObject({
      ok: false,
      code: 'invalid_request',
      message: expect.stringContaining(part),
    });
    expect(workspace.workspace.channels).toEqual({});
  });

  it('beyond the Plan is refused and names the one with room; a reconnect of what counts already is not', () => {
    const workspace = aWorkspace({ plan: 'free' });
    const channels = Array.from({ length: 6 }, () => workspace.channel('threads'));
    const refused = {
      ok: false,
      code: 'plan_limit',
      upgrade: { plan: 'pro', limit: 'channels', label: 'Pro: 30 Channels' },
    };
    expect(workspace.tell(connecting(workspace, workspace.uuid())).result).toMatchObject(refused);
    workspace.must(connecting(workspace, channels[0]!));
    workspace.must({ type: 'DisconnectChannel', channelId: channels[0]!, memberId: null });
    workspace.channel('x');
    expect(workspace.tell(connecting(workspace, channels[0]!)).result).toMatchObject(refused);
  });

  it('is not for API keys', () => {
    const workspace = aWorkspace();
    const credential = { kind: 'key', keyId: workspace.key() } as const;
    expect(workspace.tell(connecting(workspace, workspace.uuid(), { credential })).result).toMatchObject({
      ok: false,
      code: 'forbidden',
    });
  });
});

describe('the picture of an account', () => {
  const URL_THERE = 'https://pictures.test/ada.jpg';
  const picture = (workspace: Scenario, channelId: string) => {
    const found = renderChannels(workspace.workspace.channels, mediaUrl).find(({ id }) => id === channelId);
    return found!.avatarUrl;
  };
  const copied = (workspace: Scenario, channelId: string, askedAt: number, more: object = {}) =>
    workspace.tell({
      type: 'PictureCopied',
      workspaceId: workspace.id,
      channelId,
      connectedAt: workspace.workspace.channels[channelId]!.connectedAt,
      askedAt,
      blob: `pictures/${askedAt}`,
      ...more,
    });
  const connected = () => {
    const workspace = aWorkspace();
    const channelId = workspace.uuid();
    const { effects } = workspace.tell(connecting(workspace, channelId, { avatarUrl: URL_THERE }));
    return { workspace, channelId, effects };
  };

  it('is copied when the Channel is connected, and shown once there is a copy', () => {
    const { workspace, channelId, effects } = connected();
    const { now } = workspace;
    expect(effects).toContainEqual({ kind: 'copy-picture', channelId, connectedAt: now, askedAt: now, url: URL_THERE });
    expect(picture(workspace, channelId)).toBeNull();
    expect(copied(workspace, channelId, now).effects).toEqual([{ kind: 'channels-changed' }]);
    expect(picture(workspace, channelId)).toBe(`https://media.test/pictures/${now}`);
    const settled = workspace.state;
    expect(copied(workspace, channelId, now).effects).toEqual([]);
    expect(workspace.state).toEqual(settled);
  });

  it('is not copied when the Network names none', () => {
    const workspace = aWorkspace();
    const { effects } = workspace.tell(connecting(workspace, workspace.uuid()));
    expect(effects.map(({ kind }) => kind)).not.toContain('copy-picture');
  });

  it('is replaced by a later copy only, and the copy that does not count is removed', () => {
    const { workspace, channelId } = connected();
    const { now } = workspace;
    copied(workspace, channelId, now);
    const removing = (askedAt: number) => ({ kind: 'remove-picture', channelId, blob: `pictures/${askedAt}` });
    expect(copied(workspace, channelId, now + DAY).effects).toContainEqual(removing(now));
    expect(copied(workspace, channelId, now + 1).effects).toEqual([removing(now + 1)]);
    expect(picture(workspace, channelId)).toBe(`https://media.test/pictures/${now + DAY}`);
  });

  it('stays while its Channel is connected again, and a copy for the former Connection is removed', () => {
    const { workspace, channelId } = connected();
    const { now } = workspace;
    copied(workspace, channelId, now);
    const { connectedAt } = workspace.workspace.channels[channelId]!;
    workspace.now += 1;
    workspace.must(connecting(workspace, channelId, { avatarUrl: URL_THERE }));
    const late = copied(workspace, channelId, now + DAY, { connectedAt });
    expect(late.effects).toEqual([{ kind: 'remove-picture', channelId, blob: `pictures/${now + DAY}` }]);
    expect(picture(workspace, channelId)).toBe(`https://media.test/pictures/${now}`);
  });

  it('goes with a Disconnect, also when its copy comes later', () => {
    const { workspace, channelId } = connected();
    const { now } = workspace;
    copied(workspace, channelId, now);
    const blob = `pictures/${now}`;
    const { effects } = workspace.tell({ type: 'DisconnectChannel', channelId, memberId: null });
    expect(effects).toContainEqual({ kind: 'remove-picture', channelId, blob });
    expect(copied(workspace, channelId, now + 1).effects).toEqual([
      { kind: 'remove-picture', channelId, blob: `pictures/${now + 1}` },
    ]);
    expect(workspace.workspace.channels[channelId]).not.toHaveProperty('picture');
  });
});

describe('a Disconnect', () => {
  it('says whose it was, and what was published stays with its history', () => {
    const workspace = aWorkspace();
    const channelId = workspace.channel('threads');
    const published = workspace.post();
    workspace.succeed(published);
    const queued = workspace.post({ scheduledAt: START + DAY });
    workspace.must({ type: 'DisconnectChannel', channelId, memberId: null });
    workspace.settle();
    expect(workspace.variant(published)).toMatchObject({ status: 'published', cancelledByDisconnect: null });
    expect(workspace.variant(queued)).toMatchObject({ status: 'cancelled', cancelledByDisconnect: { by: 'operator' } });
    expect(renderChannels(workspace.workspace.channels, mediaUrl)).toEqual([]);
  });

  it('of an unknown Channel or by an unknown Member is refused', () => {
    const workspace = aWorkspace();
    const channelId = workspace.channel('threads');
    for (const wrong of [
      { channelId: workspace.uuid(), memberId: null },
      { channelId, memberId: workspace.uuid() },
    ]) {
      expect(workspace.tell({ type: 'DisconnectChannel', ...wrong }).result).toMatchObject({
        ok: false,
        code: 'not_found',
      });
    }
  });

  it('ends what was queued before it for ever, even if the Channel is back before the sweep has begun', () => {
    const workspace = aWorkspace();
    const channelId = workspace.channel('threads');
    const [swept, due] = [
      workspace.post({ scheduledAt: START + DAY }),
      workspace.post({ scheduledAt: START + MINUTE }),
    ];
    workspace.must({ type: 'DisconnectChannel', channelId, memberId: null });
    workspace.must(connecting(workspace, channelId));
    const fresh = workspace.post({ text: 'made after the reconnect', scheduledAt: START + DAY });
    workspace.now = START + MINUTE;
    workspace.due(due);
    expect(workspace.variant(due).status).toBe('cancelled');
    workspace.settle();
    expect(workspace.variant(swept).status).toBe('cancelled');
    expect(workspace.variant(fresh).status).toBe('scheduled');
    expect(workspace.workspace.sweeps).toEqual([]);
    workspace.advance(DAY);
    expect(workspace.variant(fresh).status).toBe('publishing');
  });

  it('a cancel of a Post whose Channels are all gone finds nothing to cancel; else it cancels what is left', () => {
    const workspace = aWorkspace();
    const [gone, kept] = [workspace.channel('threads', 'gone'), workspace.channel('threads', 'kept')];
    const [both, one] = [
      workspace.post({ scheduledAt: START + DAY }),
      workspace.post({ channelIds: [gone], scheduledAt: START + DAY }),
    ];
    workspace.must({ type: 'DisconnectChannel', channelId: gone, memberId: null });
    expect(workspace.tell({ type: 'CancelPost', postId: one }).result).toMatchObject({
      ok: false,
      code: 'not_cancellable',
    });
    workspace.must({ type: 'CancelPost', postId: both });
    expect(workspace.postOf(both).variants).toMatchObject([
      { channelId: gone, status: 'cancelled', cancelledByDisconnect: { by: 'operator' } },
      { channelId: kept, status: 'cancelled', cancelledByDisconnect: null },
    ]);
  });
});

describe('the tokens of a Channel', () => {
  const connected = () => {
    const workspace = aWorkspace();
    const channelId = workspace.uuid();
    workspace.must(connecting(workspace, channelId, { connectionId: 'c1' }));
    return { workspace, channelId };
  };
  const ends = (effects: readonly Effect[]) => effects.filter(({ kind }) => kind === 'end-connection');

  it('are ended by a Disconnect, under the id that they were connected with', () => {
    const { workspace, channelId } = connected();
    workspace.must(connecting(workspace, channelId, { connectionId: 'c2' }));
    const { effects } = workspace.tell({ type: 'DisconnectChannel', channelId, memberId: null });
    expect(ends(effects)).toEqual([{ kind: 'end-connection', channelId, network: 'threads', connectionId: 'c2' }]);
    expect(ends(workspace.tell({ type: 'DisconnectChannel', channelId, memberId: null }).effects)).toEqual([]);
  });

  it('are ended by a Downgrade, for each Channel that it disconnects', () => {
    const workspace = aWorkspace({ plan: 'pro' });
    const channels = Array.from({ length: 8 }, () => workspace.channel('threads'));
    const { effects } = workspace.tell({ type: 'SetPlan', plan: 'free', effectiveAt: null });
    expect(ends(effects)).toEqual(
      channels
        .slice(6)
        .map((channelId) => ({ kind: 'end-connection', channelId, network: 'threads', connectionId: null })),
    );
  });
});

describe('an account that its owner has deleted here', () => {
  const erasing = (workspace: Scenario, channelId: string, requestedAt = workspace.now) =>
    workspace.tell({ type: 'EraseAccount', workspaceId: workspace.id, channelId, requestedAt });

  it.each<ChannelState>(['connected', 'needs_reconnect', 'not_connected'])(
    'leaves nothing of what the Network said of it, when its Channel is %s',
    (given) => {
      const { workspace, channelId } = arrange(given);
      const { effects } = erasing(workspace, channelId);
      const { name, accountId, kind, state } = workspace.workspace.channels[channelId]!;
      expect({ name, accountId, kind, state }).toEqual({
        name: 'Deleted threads account',
        accountId: '',
        kind: '',
        state: 'not_connected',
      });
      expect(effects).toContainEqual({ kind: 'channels-changed' });
      const settled = workspace.state;
      expect(erasing(workspace, channelId).effects).toEqual([]);
      expect(workspace.state).toEqual(settled);
    },
  );

  it('is deleted also where it was connected while the clock led, and not where it was connected since', () => {
    const { workspace, channelId } = arrange('connected');
    workspace.must(connecting(workspace, channelId));
    erasing(workspace, channelId, workspace.now - 1);
    expect(workspace.workspace.channels[channelId]!.state).toBe('connected');
    workspace.now += 30 * DAY;
    workspace.must(connecting(workspace, channelId));
    workspace.now -= 30 * DAY;
    erasing(workspace, channelId);
    expect(workspace.workspace.channels[channelId]!).toMatchObject({ state: 'not_connected', accountId: '' });
  });

  it('cancels what is scheduled, and the history of its Posts stays', () => {
    const workspace = aWorkspace();
    const channelId = workspace.channel('threads');
    const published = workspace.post();
    workspace.succeed(published);
    const queued = workspace.post({ scheduledAt: START + DAY });
    workspace.now += 1;
    erasing(workspace, channelId);
    workspace.settle();
    expect(workspace.variant(published).status).toBe('published');
    expect(workspace.variant(queued)).toMatchObject({ status: 'cancelled' });
  });

  it('stays when the owner connected it again since, and is a new Channel when it is connected afterwards', () => {
    const { workspace, channelId } = arrange('connected');
    expect(erasing(workspace, channelId, workspace.now - 1_000).effects).toEqual([]);
    const { accountId } = workspace.workspace.channels[channelId]!;
    workspace.now += 1;
    erasing(workspace, channelId);
    expect(workspace.tell(connecting(workspace, channelId, { accountId })).result).toMatchObject({ ok: false });
    workspace.must(connecting(workspace, workspace.uuid(), { accountId }));
  });
});
