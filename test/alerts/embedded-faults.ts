import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { THREADS_CALLS } from '#services/sandbox/threads/calls.ts';
import type { CrierUnderTest } from '#testing/crier-process.ts';
import { foundWorkspace } from '#testing/crier-workspace.ts';
import { startTrustedReceiver } from '#testing/trusted-receiver.ts';
import { until } from '#testing/until.ts';
import { phoneFilm, upload } from '../guarantees/media-files.ts';
import { SmallDisk } from './small-disk.ts';
import { StoredRow } from './stored-row.ts';
import { watchEmbedded } from './installation.ts';
import { FAULTS, type FaultSeen } from './faults.ts';

const SHIFTED_CLOCK = new URL('../../libs/testing/shifted-clock.ts', import.meta.url);
const HOUR_MS = 3_600_000;

export const killedAlone = (): Promise<FaultSeen> =>
  watchEmbedded({
    of: (crier) => ({
      ...FAULTS.processKilled,
      cause: async () => void (await crier.kill()),
      remove: async () => void (await crier.start()),
    }),
  });

export const networkDown = (): Promise<FaultSeen> =>
  watchEmbedded({
    of: (crier) => ({
      ...FAULTS.networkDown,
      cause: async () => {
        for (const call of THREADS_CALLS)
          await crier.sandbox().fault({ network: 'threads', fault: '5xx_before_commit', call, count: 1_000_000 });
      },
      remove: () => crier.sandbox().clearFaults(),
    }),
  });

/** `direction` 1: ahead. */
export const clockOff = (direction: 1 | -1): Promise<FaultSeen> =>
  watchEmbedded({
    env: { NODE_OPTIONS: `--import=${SHIFTED_CLOCK}?offMs=${direction * HOUR_MS}&from=right` },
    of: (crier) => ({
      ...(direction === 1 ? FAULTS.clockAhead : FAULTS.clockBehind),
      cause: async () => crier.signal('SIGUSR2'),
      remove: async () => crier.signal('SIGUSR2'),
    }),
  });

/** More than a dozen, since one that hangs is its owner's matter. */
export async function endpointsHang(): Promise<FaultSeen> {
  await using trusted = await startTrustedReceiver();
  const { receiver, settings } = trusted;
  return await watchEmbedded({
    env: { ...settings },
    // Of their own: each Post of the traffic would be told to all of them.
    of: async (crier) => {
      const tenants = [
        await foundWorkspace(crier, 'a shop', { credits: 100_000 }),
        await foundWorkspace(crier, 'an agency', { credits: 100_000 }),
      ];
      const apis = tenants.map(({ apiKey, channels }) => ({ api: crier.api(apiKey), channels }));
      for (const [tenant, { api }] of apis.entries())
        for (let endpoint = 0; endpoint < 8; endpoint++) {
          const url = `${receiver.url}${tenant}/${endpoint}`;
          const { status } = await api.send('POST', '/api/webhooks', { url, events: ['variant.published'] });
          if (status !== 201) throw new Error(`the endpoint ${url} was refused: ${status}`);
        }
      const publish = async (text: string): Promise<void> => {
        for (const { api, channels } of apis) await api.createPost({ text, channelIds: [channels.x] });
      };
      await publish('before');
      await until(() => receiver.requests.length >= 16, { what: 'all endpoints are called' });
      return {
        ...FAULTS.endpointsHang,
        cause: async () => {
          receiver.behave({ kind: 'hang' });
          for (let post = 0; post < 4; post++) await publish(`unheard ${post}`);
        },
        remove: async () => {
          receiver.behave();
          await publish('after');
        },
      };
    },
  });
}

export async function diskFull(): Promise<FaultSeen> {
  await using disk = await SmallDisk.mount();
  return await watchEmbedded({
    dataDir: join(disk.path, 'data'),
    logDir: disk.path,
    of: () => ({
      ...FAULTS.diskFull,
      staysMs: 60_000,
      cause: async () => disk.fill(),
      remove: async () => disk.free(),
    }),
  });
}

export const wrongSecret = (): Promise<FaultSeen> => {
  const env: Record<string, string> = {};
  return watchEmbedded({
    env,
    of: (crier) => ({
      ...FAULTS.wrongSecret,
      staysMs: 60_000,
      cause: async () => {
        await crier.stop();
        env['CRIER_SECRET'] = 'another-master-secret-of-tests-only';
        crier.launch();
      },
      remove: async () => {
        delete env['CRIER_SECRET'];
        await crier.restart('stop');
      },
    }),
  });
};

export const keyParked = (): Promise<FaultSeen> =>
  watchEmbedded({
    of: async (crier) => {
      const broken = await foundWorkspace(crier, 'a broken client');
      const head = StoredRow.headOf(crier, broken.workspaceId);
      return {
        ...FAULTS.keyParked,
        cause: async () => {
          head.change((body) => body.slice(1));
          const body = { text: 'never taken', channelIds: [broken.channels.x] };
          await crier.api(broken.apiKey).send('POST', '/api/posts', body);
        },
        remove: async () => {
          head.restore();
          const { parked } = await crier.admin().call('parked.list');
          for (const { topic, key } of parked) await crier.admin().call('parked.retry', { topic, key });
        },
      };
    },
  });

/** As a process leaves it whose clock was an hour ahead. */
export const canaryStopped = (): Promise<FaultSeen> =>
  watchEmbedded({
    of: (crier) => {
      const row = StoredRow.canary(crier);
      return {
        ...FAULTS.canaryStopped,
        cause: async () =>
          row.change((body) => JSON.stringify({ ...JSON.parse(body), holder: 'gone', until: Date.now() + HOUR_MS })),
        remove: async () => row.restore(),
      };
    },
  });

/** ffmpeg hangs as long as a file is there. */
export async function mediaQueueFull(): Promise<FaultSeen> {
  const folder = mkdtempSync(join(tmpdir(), 'crier-slow-ffmpeg-'));
  const [ffmpeg, hangs] = [join(folder, 'ffmpeg'), join(folder, 'hangs')];
  writeFileSync(ffmpeg, `#!/bin/sh\nwhile [ -e '${hangs}' ]; do sleep 0.2; done\nexec ffmpeg "$@"\n`);
  chmodSync(ffmpeg, 0o755);
  try {
    return await watchEmbedded({
      env: { CRIER_FFMPEG: ffmpeg, CRIER_CONVERSIONS_AT_ONCE: '1' },
      of: (crier, { apiKey, channels }) => ({
        ...FAULTS.mediaQueueFull,
        cause: async () => {
          writeFileSync(hangs, '');
          await scheduleFilms(crier, apiKey, channels.threads);
        },
        remove: async () => rmSync(hangs),
      }),
    });
  } finally {
    if (existsSync(folder)) rmSync(folder, { recursive: true });
  }
}

/** Due after the fault: of Posts that are late by it CrierStartsLate would tell as well, and rightly. */
async function scheduleFilms(crier: CrierUnderTest, apiKey: string, channelId: string): Promise<void> {
  const api = crier.api(apiKey);
  const scheduledAt = new Date(Date.now() + HOUR_MS).toISOString();
  for (let film = 0; film < 6; film++) {
    const assetId = await upload(api, await phoneFilm({ size: '320x180', seconds: 3.2 + film / 10 }));
    const body = { text: `Film ${film}`, channelIds: [channelId], media: [{ assetId }], scheduledAt };
    await api.createPost(body);
  }
}
