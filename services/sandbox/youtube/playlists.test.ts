import { describe, expect, test } from 'vitest';
import { get, live, managedYoutube, send, setLimits, signInYoutube, uploaded, youtube } from './youtube.fixture.ts';
import type { SandboxHarness, SignedIn } from '../sandbox.fixture.ts';

async function playlistsOf(harness: SandboxHarness, who: SignedIn, more: object = {}): Promise<any> {
  return (await get(harness, who, 'playlists', { part: 'snippet', mine: 'true', maxResults: '50', ...more })).body;
}

const place = (playlistId: string, videoId: string) => ({
  snippet: { playlistId, resourceId: { kind: 'youtube#video', videoId } },
});

describe('the playlists of a channel', () => {
  test('are its own, and come by pages', async () => {
    const { harness, who } = await managedYoutube();
    await setLimits(harness, { playlists: 7 });
    const all = (await playlistsOf(harness, who)).items;
    expect(all).toHaveLength(7);
    expect(all[0]).toMatchObject({
      kind: 'youtube#playlist',
      id: `PL${who.accountId}_1`,
      snippet: { title: 'Playlist 1' },
    });
    const first = await playlistsOf(harness, who, { maxResults: '5' });
    const second = await playlistsOf(harness, who, { maxResults: '5', pageToken: first.nextPageToken });
    expect([...first.items, ...second.items]).toEqual(all);
    expect(second.nextPageToken).toBeUndefined();
  });

  test('take a video of the channel, which its item tells; the same video has a place as often as it is put there', async () => {
    const { harness, who } = await managedYoutube();
    const id = await uploaded(harness, who);
    const [one, two] = (await playlistsOf(harness, who)).items.map((playlist: { readonly id: string }) => playlist.id);
    for (const playlistId of [one, two, one]) {
      const { status, body } = await send(harness, who, 'playlistItems', place(playlistId, id));
      expect([status, body.snippet]).toEqual([
        200,
        expect.objectContaining({ playlistId, resourceId: { kind: 'youtube#video', videoId: id } }),
      ]);
    }
    expect((await live(harness))[0].options.playlistIds).toEqual([one, two, one]);
    const entries = async (more: object = {}) =>
      (await get(harness, who, 'playlistItems', { part: 'contentDetails', playlistId: one, ...more })).body.items
        .length;
    expect([await entries(), await entries({ videoId: id }), await entries({ videoId: 'nowhere0000' })]).toEqual([
      2, 2, 0,
    ]);
  });

  test('refuse what they can not take, and have nothing of it', async () => {
    const { harness, who } = await managedYoutube();
    const other = await signInYoutube(harness);
    const [own, foreign] = [await uploaded(harness, who), await uploaded(harness, other)];
    const [{ id: playlistId }] = (await playlistsOf(harness, who)).items;
    for (const [body, status, reason] of [
      [place('', own), 400, 'playlistIdRequired'],
      [{ snippet: { playlistId } }, 400, 'resourceIdRequired'],
      [{ snippet: { playlistId, resourceId: { kind: 'youtube#channel' } } }, 400, 'invalidResourceType'],
      [place(`PL${other.accountId}_1`, own), 404, 'playlistNotFound'],
      [place(`UU${who.accountId}`, own), 404, 'playlistNotFound'],
      [place(playlistId, foreign), 404, 'videoNotFound'],
      [place(playlistId, 'nowhere0000'), 404, 'videoNotFound'],
      [{ snippet: { ...place(playlistId, own).snippet, playlist: 'x' } }, 400, 'badRequest'],
    ] as const) {
      expect(await send(harness, who, 'playlistItems', body)).toMatchObject({
        status,
        body: { error: { errors: [{ reason }] } },
      });
    }
    expect((await live(harness)).map(({ options }) => options.playlistIds)).toEqual([undefined, undefined]);
  });

  test('are read with the scope to read, and changed with one to manage', async () => {
    const { harness, who } = await youtube();
    const id = await uploaded(harness, who);
    const [{ id: playlistId }] = (await playlistsOf(harness, who)).items;
    expect(await send(harness, who, 'playlistItems', place(playlistId, id))).toMatchObject({
      status: 403,
      body: { error: { errors: [{ reason: 'insufficientPermissions' }] } },
    });
  });
});
