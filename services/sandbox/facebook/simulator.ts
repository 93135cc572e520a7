import { html, type SandboxAnswer } from '../exchange.ts';
import { itemPage, missingPage } from '../feed-page.ts';
import { createLimits } from '../limits.ts';
import type { SimulatorCall, Simulator, SimulatorOptions } from '../simulator.ts';
import { createUses } from '../uses.ts';
import { FACEBOOK_LIMITS, type FacebookOptions } from './page-request.ts';
import { FACEBOOK_CALLS, UPLOAD_CALL, type FacebookCall } from './calls.ts';
import { debugToken } from './debug-token.ts';
import { FACEBOOK_FAULTS } from './faults.ts';
import { graphCall } from './graph-calls.ts';
import { temporarilyDown, unknownError, unknownPath } from './graph-errors.ts';
import { facebookConsent, facebookToken } from './oauth.ts';
import { STORY_LIFE_MS } from './page-lists.ts';
import { createRecords } from './records.ts';
import { uploadRefused, uploadVideo } from './upload.ts';

const VERSION = /^v\d+\.\d+$/;

/** The page of a live object: `/{page}/posts/{post}`, `/reel/{id}`, `/videos/{id}`, and for a day `/stories/{id}`. */
function publicPage(
  [first = '', second = '', third = '']: readonly string[],
  { accounts, items, records, clock, baseUrl }: FacebookOptions,
): SandboxAnswer {
  const story = first === 'stories' ? records.stories.get(second) : null;
  const isGone = story !== null && story.createdAt <= clock.now() - STORY_LIFE_MS;
  const owner = second === 'posts' ? first : (story ?? records.videos.get(second))?.pageId;
  const account = owner === undefined || isGone ? null : accounts.get(owner);
  const item =
    account === null
      ? null
      : items.get('facebook', account.accountId, second === 'posts' ? `${first}_${third}` : second);
  return account === null || item === null ? html(404, missingPage()) : html(200, itemPage(account, item, baseUrl()));
}

function isPublic(path: readonly string[]): boolean {
  return (
    (path.length === 3 && path[1] === 'posts') ||
    (path.length === 2 && ['reel', 'videos', 'stories'].includes(path[0]!))
  );
}

/** www, graph, graph-video and rupload of facebook.com in one: Pages with text, photos, videos, reels and Stories. */
export function createFacebookSimulator(given: SimulatorOptions): Simulator {
  const limits = createLimits(given.store, 'facebook', FACEBOOK_LIMITS);
  const options: FacebookOptions = {
    ...given,
    limits,
    records: createRecords(given.store),
    uses: createUses(given.store, 'facebook'),
  };
  const plain = (name: FacebookCall | 'page', perform: () => SandboxAnswer): SimulatorCall => ({ name, perform });
  return {
    network: 'facebook',
    calls: FACEBOOK_CALLS,
    irreversible: 'posts.publish',
    faults: FACEBOOK_FAULTS,
    limits,
    match(request, path) {
      const [first = '', second = '', third = ''] = path;
      const { method } = request;
      if (method === 'GET' && isPublic(path)) return plain('page', () => publicPage(path, options));
      if (first === 'video-upload') {
        const known = method === 'POST' && path.length === 3 && VERSION.test(second);
        return known ? { name: UPLOAD_CALL, perform: (fault) => uploadVideo(request, third, fault, options) } : null;
      }
      if (!VERSION.test(first)) return null;
      const { app, grants, accounts, appStates, store } = options;
      const rules = { app, grants, accounts, appStates, store, now: options.clock.now() };
      switch (`${method} /${path.slice(1).join('/')}`) {
        case 'GET /dialog/oauth':
        case 'POST /dialog/oauth':
          return plain('oauth.dialog', () => facebookConsent(request, rules));
        case 'GET /oauth/access_token':
        case 'POST /oauth/access_token':
          return plain('oauth.access_token', () => facebookToken(request, rules));
        case 'GET /debug_token':
          return plain('debug_token', () => debugToken(request, options));
        default:
          return graphCall(request, first, path.slice(1), options);
      }
    },
    unknownAddress: (request) => unknownPath(request.path),
    serverError(when, call) {
      if (call === UPLOAD_CALL)
        return uploadRefused(
          when === 'before' ? 503 : 500,
          'ServiceUnavailableError',
          'The service is temporarily unavailable.',
          true,
        );
      return when === 'before' ? temporarilyDown() : unknownError();
    },
  };
}
