import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { renditionOf } from '#testing/publication.ts';
import { runWithCrash } from './crash.fixture.ts';
import { openPublishHarness } from './publish-harness.fixture.ts';

/** Of every call. Facebook says what it has of a video a little later. */
const CALL_MS = 300;
const BYTES = 9 * 1_048_576;

/** An upright video with a box of unused bytes behind it, as editors leave them. */
function largeReel(): Uint8Array {
  const { bytes } = MEDIA_FIXTURES.reel;
  const file = Buffer.alloc(BYTES);
  file.set(bytes);
  file.writeUInt32BE(BYTES - bytes.length, bytes.length);
  file.write('free', bytes.length + 4, 'latin1');
  return file;
}

const BYTES_OF_REEL = largeReel();
const SHA256 = createHash('sha256').update(BYTES_OF_REEL).digest('hex');
const REEL = renditionOf(BYTES_OF_REEL, {
  ...{ kind: 'video', contentType: 'video/mp4', sha256: SHA256 },
  ...{ width: 720, height: 1280, durationMs: 4_000 },
});

const FAULTS = [null, 'drop_before_commit', 'drop_after_commit', '5xx_before_commit', '5xx_after_commit'] as const;
const CASES = (['feed', 'story'] as const).flatMap((placement) => FAULTS.map((fault) => ({ placement, fault })));

test.each(CASES)(
  'a video for facebook, $placement, in parts that are answered with 206, $fault at a part: live once, whole',
  async ({ placement, fault }) => {
    for (const crash of ['no crash', 'before send'] as const) {
      const attempts = await openPublishHarness('facebook', {
        placement,
        http: (real, clock) => ({ send: (request) => clock.advance(CALL_MS).then(() => real.send(request)) }),
        text: placement === 'story' ? '' : 'Large',
        renditions: { filesOf: async () => ({ kind: 'ready', files: [REEL] }) },
      });
      if (fault !== null) await attempts.fault(fault, { call: 'video.upload' });
      await runWithCrash(attempts, attempts.job, /POST .*\/video_(reels|stories) finish$/, crash);
      expect(attempts.concluded[0]!.verdict, crash).toMatchObject({ kind: 'published' });
      expect((await attempts.items()).map(({ media }) => media)).toMatchObject([[{ sha256: SHA256, bytes: BYTES }]]);
      const { calls } = await attempts.control('GET', '/sandbox/calls?network=facebook');
      const isPart = ({ call, status }: { call: string; status: number }) => call === 'video.upload' && status === 206;
      if (fault === null) expect(calls.filter(isPart).length, crash).toBeGreaterThan(0);
    }
  },
);
