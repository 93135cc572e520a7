import { expect, test } from 'vitest';
import { fixtureRenditions } from '#testing/media-fixtures.ts';
import { KINDS, type Kind } from './fault-matrix.fixture.ts';
import { openPublishHarness } from './publish-harness.fixture.ts';

const SECONDS_MS = 10_000;

/**
 * The publishing call where it bears a token. Uploads of videos to tiktok and youtube go to addresses that know none:
 * there, the call that makes the address is the last one to bear it.
 */
function refusedCall({ call }: Kind): string {
  if (call === 'video.upload') return 'video.init';
  return call === 'videos.upload' ? 'videos.insert' : call;
}

test.each(KINDS.map((kind) => ({ kind, name: `${kind.network} ${kind.kind}` })))(
  '$name: a token that dies at the publishing call asks for a reconnect within seconds, and nothing is live',
  async ({ kind }) => {
    const files = fixtureRenditions(kind.files);
    const attempts = await openPublishHarness(kind.network, {
      placement: kind.placement,
      text: kind.placement === 'story' ? '' : 'Hello',
      renditions: { filesOf: async () => ({ kind: 'ready', files }) },
    });
    const call = refusedCall(kind);
    await attempts.fault('token_revoked', { call });
    const worker = attempts.worker();
    await worker.run(attempts.job);
    await attempts.settle(worker);
    expect(attempts.concluded.map(({ verdict }) => verdict)).toMatchObject([
      { kind: 'failed', reason: 'needs_reconnect' },
    ]);
    expect(attempts.marked).toEqual(['needs_reconnect']);
    expect(await attempts.items()).toEqual([]);
    const { calls } = await attempts.control('GET', `/sandbox/calls?network=${kind.network}`);
    const refused = (calls as readonly { call: string; at: string }[]).find((each) => each.call === call);
    expect(attempts.clock.now() - Date.parse(refused!.at)).toBeLessThan(SECONDS_MS);
  },
);
