import { readFile } from 'node:fs/promises';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { phoneVideo } from '../phone-files.ts';
import { inPool, later, requests, timed, type AttackedPool } from './duel.ts';
import type { HostKind } from './answering-hosts.ts';
import type { Tenant } from './tenant.ts';

// Pools through which files come and go.

const LARGE_FILE = 32_000_000;
const { photo } = MEDIA_FIXTURES;

async function completed(tenant: Tenant, content: Uint8Array, contentType: string): Promise<string> {
  const assetId = await tenant.send(content, contentType);
  await tenant.call('POST', `/api/media/${assetId}/complete`);
  return assetId;
}

export const UPLOADS: AttackedPool = {
  pool: 'uploads',
  attack: '64 files sent as slowly as is borne',
  ordinary: 'reserving and sending a picture',
  aSecond: 10,
  held: inPool('uploads'),
  begin: async ({ victim, attacker, server }) => ({
    victim: () => timed(() => victim.send(photo.bytes, photo.contentType)),
    attack: { kind: 'slow uploads', url: server.baseUrl, keys: attacker.keys, atOnce: 64 },
  }),
};

export const MEDIA_READS: AttackedPool = {
  pool: 'media reads',
  attack: '300 connections from 16 addresses that ask for a large file and read nothing',
  ordinary: 'reading a picture by its public address',
  aSecond: 20,
  held: inPool('media-reads'),
  begin: async ({ victim, attacker }) => {
    const fileOf = async (tenant: Tenant, bytes: Uint8Array, contentType: string): Promise<string> => {
      const assetId = await completed(tenant, bytes, contentType);
      const post = { text: 'A file', channelIds: tenant.channelIds.slice(0, 1), media: [{ assetId }] };
      const { id } = await tenant.call('POST', '/api/posts', { ...post, scheduledAt: later() });
      return (await tenant.call('GET', `/api/posts/${id}`)).media[0].url;
    };
    const [file, large] = [
      await fileOf(victim, photo.bytes, photo.contentType),
      await fileOf(attacker, padded(photo.bytes), photo.contentType),
    ];
    const read = async (): Promise<void> => {
      const answer = await fetch(file);
      if (answer.status !== 200) throw new Error(`a file was answered ${answer.status}`);
      await answer.arrayBuffer();
    };
    return {
      victim: () => timed(read),
      attack: { kind: 'slow readers', file: large, atOnce: 300, clients: 16 },
    };
  },
};

/** A picture with so much behind its end that kernels can not keep it for a connection. */
function padded(bytes: Uint8Array): Uint8Array {
  const large = new Uint8Array(LARGE_FILE);
  large.set(bytes);
  return large;
}

export const INSPECTIONS: AttackedPool = {
  pool: 'inspections',
  attack: 'validated Posts that name silent hosts',
  ordinary: 'validating a Post with a picture by address',
  aSecond: 4,
  held: inPool('inspections'),
  begin: async (scene) => {
    const { victim, attacker, hosts } = scene;
    const url = hosts.urlOf('photo', 0, '/a.jpg');
    const silent = Array.from({ length: 4 }, (_, index) => ({
      url: hosts.urlOf('silent', index, `/{n}/${index}.jpg`),
    }));
    const post = (tenant: Tenant, media: readonly object[]) => ({
      text: 'With files',
      channelIds: tenant.channelIds.slice(0, 1),
      media,
    });
    return {
      victim: () => timed(() => victim.call('POST', '/api/posts/validate', post(victim, [{ url }]))),
      attack: requests(scene, {
        method: 'POST',
        path: '/api/posts/validate',
        body: JSON.stringify(post(attacker, silent)),
      }),
    };
  },
};

const FETCHED = 'a Post with a picture by address, until it is ready';

/** Posts that name pictures at addresses, so many of the attacker at hosts of this kind. */
const byAddress =
  (harmful: HostKind, { pictures, ...more }: { pictures: number; aSecond?: number }): AttackedPool['begin'] =>
  async (scene) => {
    const { victim, attacker, hosts } = scene;
    const post = (tenant: Tenant, text: string, media: readonly object[]) => ({
      ...{ text, channelIds: tenant.channelIds.slice(0, 1), media },
    });
    const harm = Array.from({ length: pictures }, (_, index) => ({ url: hosts.urlOf(harmful, 1 + index, '/{n}.jpg') }));
    const attack = post(attacker, 'attack {n}', harm);
    const friendly = (index: number) => [{ url: hosts.urlOf('photo', index, '/a.jpg') }];
    return {
      victim: (index) => timed(() => victim.readied(post(victim, `fetched ${index}`, friendly(index)))),
      attack: requests(scene, {
        ...{ method: 'POST', path: '/api/posts', ...more },
        body: JSON.stringify({ ...attack, scheduledAt: later() }),
      }),
    };
  };

export const FETCHES: AttackedPool = {
  pool: 'fetches',
  attack: 'Posts that name hosts which send as slowly as is borne',
  ordinary: FETCHED,
  aSecond: 3,
  held: inPool('fetches'),
  begin: byAddress('slow', { pictures: 1 }),
};

export const PROBES: AttackedPool = {
  pool: 'probes',
  attack: 'three Posts a second that name four large pictures each, which are refused once they were looked into',
  ordinary: FETCHED,
  aSecond: 3,
  held: inPool('probes'),
  // A Workspace may name 300 addresses a minute, in which two rounds are.
  begin: byAddress('heavy', { pictures: 4, aSecond: 3 }),
};

export const CONVERSIONS: AttackedPool = {
  pool: 'conversions',
  attack: '16 large pictures at once, uploaded and put into Posts',
  ordinary: 'a Post with an uploaded picture, until it is ready',
  aSecond: 5,
  held: inPool('conversions'),
  begin: async ({ victim, attacker, server, picture }) => ({
    victim: async (index) => {
      const assetId = await completed(victim, photo.bytes, photo.contentType);
      const post = { text: `converted ${index}`, channelIds: victim.channelIds.slice(0, 1), media: [{ assetId }] };
      return timed(() => victim.readied(post));
    },
    attack: {
      ...{ kind: 'files', url: server.baseUrl, keys: attacker.keys, atOnce: 16, path: picture },
      ...{ contentType: 'image/jpeg', channelIds: attacker.channelIds.slice(0, 1) },
    },
  }),
};

const CLIP = { width: 480, height: 854, seconds: 1 };

export const VIDEOS: AttackedPool = {
  pool: 'videos',
  attack: 'three films of a phone at once, uploaded and put into Posts',
  ordinary: `a Post with an uploaded clip of ${CLIP.seconds} s, until it is ready`,
  aSecond: 0.5,
  held: inPool('videos'),
  begin: async ({ victim, attacker, server, folder, sizes }) => {
    const film = await phoneVideo(folder, 'film.mov', sizes.fairnessFilm);
    const clip = await readFile(await phoneVideo(folder, 'clip.mov', CLIP));
    const contentType = 'video/quicktime';
    return {
      victim: async (index) => {
        const assetId = await completed(victim, clip, contentType);
        const post = { text: `filmed ${index}`, channelIds: victim.channelIds.slice(0, 1), media: [{ assetId }] };
        return timed(() => victim.readied(post));
      },
      attack: {
        ...{ kind: 'files', url: server.baseUrl, keys: attacker.keys, atOnce: 3, path: film },
        ...{ contentType, channelIds: attacker.channelIds.slice(0, 1) },
      },
    };
  },
};

export const JUDGING: AttackedPool = {
  pool: 'judging',
  attack: '20 large pictures at once, uploaded and completed',
  ordinary: 'completing the upload of a picture',
  aSecond: 5,
  held: inPool('judging'),
  begin: async ({ victim, attacker, server, picture }) => ({
    victim: async () => {
      const assetId = await victim.send(photo.bytes, photo.contentType);
      return timed(() => victim.call('POST', `/api/media/${assetId}/complete`));
    },
    attack: {
      ...{ kind: 'files', url: server.baseUrl, keys: attacker.keys, atOnce: 20, path: picture },
      ...{ contentType: 'image/jpeg', channelIds: [] },
    },
  }),
};
