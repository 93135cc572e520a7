import { html, type SandboxAnswer, type Incoming } from '../exchange.ts';
import { itemPage, missingPage } from '../feed-page.ts';
import { createLimits } from '../limits.ts';
import type { SimulatorCall, Simulator, SimulatorOptions } from '../simulator.ts';
import { YOUTUBE_LIMITS, type UploadRequest, type YoutubeOptions } from './upload-request.ts';
import { NEEDED_SCOPES, YOUTUBE_CALLS, type ChannelCall, type YoutubeCall } from './calls.ts';
import { listCategories } from './categories.ts';
import { insertCommentThread, listCommentThreads } from './comments.ts';
import { backendError, googleError, internalError, missingScope, unauthorized } from './errors.ts';
import { playFault, YOUTUBE_FAULTS } from './faults.ts';
import { youtubeConsent, youtubeRevoke, youtubeToken } from './oauth.ts';
import { insertPlaylistItem, listPlaylists } from './playlists.ts';
import { createQuota } from './quota.ts';
import { queryReport } from './reports.ts';
import { listChannels, listPlaylistItems, listVideos } from './resources.ts';
import { setThumbnail } from './thumbnails.ts';
import { putBytes, sessionCallOf, startUpload } from './upload.ts';
import { createVideos } from './videos.ts';

type Work = (call: UploadRequest, options: YoutubeOptions) => SandboxAnswer;

const CALLS: Readonly<Record<string, readonly [ChannelCall, Work]>> = {
  'POST upload/youtube/v3/videos': ['videos.insert', startUpload],
  'GET youtube/v3/videos': ['videos.list', listVideos],
  'GET youtube/v3/channels': ['channels.list', listChannels],
  'GET youtube/v3/playlistItems': ['playlistItems.list', listPlaylistItems],
  'POST youtube/v3/playlistItems': ['playlistItems.insert', insertPlaylistItem],
  'GET youtube/v3/playlists': ['playlists.list', listPlaylists],
  'POST upload/youtube/v3/thumbnails/set': ['thumbnails.set', setThumbnail],
  'POST youtube/v3/commentThreads': ['commentThreads.insert', insertCommentThread],
  'GET youtube/v3/commentThreads': ['commentThreads.list', listCommentThreads],
  'GET youtube/v3/videoCategories': ['videoCategories.list', listCategories],
  'GET v2/reports': ['reports.query', queryReport],
};

/** A call on behalf of a channel: checks the token and the scope. */
function channelCall(request: Incoming, name: ChannelCall, options: YoutubeOptions, work: Work): SimulatorCall {
  return {
    name,
    perform(fault) {
      const now = options.clock.now();
      const holder = options.grants.look(
        'youtube',
        /^Bearer (\S+)$/i.exec(request.header('authorization'))?.[1] ?? '',
        now,
      );
      if (holder.state !== 'live' || holder.token.kind !== 'access') return unauthorized();
      const played = fault === null ? null : playFault(fault, holder, options.grants);
      if (played !== null) return played;
      if (!NEEDED_SCOPES[name].every((any) => any.some((scope) => holder.grant.scopes.includes(scope))))
        return missingScope();
      return work({ request, query: request.query, account: holder.account, fault, now }, options);
    },
  };
}

/** The page of a video: `/watch?v={id}`. */
function watchPage(videoId: string, { accounts, items, videos, baseUrl }: YoutubeOptions): SandboxAnswer {
  const accountId = videos.get(videoId)?.accountId ?? '';
  const account = accounts.get(accountId);
  const item = items.get('youtube', accountId, videoId);
  return account === null || item === null ? html(404, missingPage()) : html(200, itemPage(account, item, baseUrl()));
}

/**
 * accounts.google.com, oauth2, the Data and the Analytics API of YouTube in one: resumable uploads and their figures.
 */
export function createYoutubeSimulator(given: SimulatorOptions): Simulator {
  const limits = createLimits(given.store, 'youtube', YOUTUBE_LIMITS);
  const options: YoutubeOptions = {
    ...given,
    limits,
    videos: createVideos(given.store),
    quota: createQuota(given.store),
  };
  const plain = (name: YoutubeCall | 'page', perform: () => SandboxAnswer): SimulatorCall => ({ name, perform });
  return {
    network: 'youtube',
    calls: YOUTUBE_CALLS,
    irreversible: 'videos.upload',
    faults: YOUTUBE_FAULTS,
    limits,
    match(request, path) {
      const key = `${request.method} ${path.join('/')}`;
      const rules = {
        app: options.app,
        grants: options.grants,
        accounts: options.accounts,
        appStates: options.appStates,
        store: options.store,
        now: options.clock.now(),
      };
      switch (key) {
        case 'GET o/oauth2/v2/auth':
        case 'POST o/oauth2/v2/auth':
          return plain('oauth.auth', () => youtubeConsent(request, rules));
        case 'POST token':
          return plain('oauth.token', () => youtubeToken(request, rules));
        case 'POST revoke':
          return plain('oauth.revoke', () => youtubeRevoke(request, rules));
        case 'PUT upload/youtube/v3/videos':
          return { name: sessionCallOf(request), perform: (fault) => putBytes(request, fault, options) };
        case 'GET watch':
          return plain('page', () => watchPage(request.query.get('v') ?? '', options));
      }
      return Object.hasOwn(CALLS, key) ? channelCall(request, CALLS[key]![0], options, CALLS[key]![1]) : null;
    },
    isOpenUpload: ({ method, query }, path) =>
      method === 'PUT' &&
      path.join('/') === 'upload/youtube/v3/videos' &&
      options.videos.session(query.get('upload_id') ?? '') !== null,
    unknownAddress: () => googleError(404, 'notFound', 'Not Found'),
    serverError: (when) => (when === 'before' ? backendError() : internalError()),
  };
}
