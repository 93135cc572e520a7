import type { Express, Request, Response } from 'express';
import type { FrontDoor } from '#http-server/front-door.ts';
import type { Reporter } from '#reporting/reporter.ts';
import { countStranger, type StrangerLimits } from '#use-cases/stranger-limits.ts';
import type { PageRequests } from '../people/page-requests.ts';
import type { Sessions, SignedIn } from '../people/signed-in.ts';
import { signInAddress } from '../people/signed-in.ts';
import { readBuiltApp, type BuiltApp } from './built-app.ts';
import { sendAppPage, sendFile } from './file-answer.ts';
import { guardsOfApp } from './security-headers.ts';

export interface AppPagesOptions {
  readonly sessions: Sessions;
  /** What the procedure session.get answers; the page brings it along, so that it need not ask. */
  readonly session: (signedIn: SignedIn) => Promise<object>;
  readonly pages: PageRequests;
  /** Counts who has no session and asks for a page, by address. */
  readonly strangers: Pick<StrangerLimits, 'take'>;
  readonly reporter: Pick<Reporter, 'report'>;
  /** Where `make app` writes. */
  readonly folder: string;
  /** The address of the installation, without a slash at the end. */
  readonly publicUrl: string;
  /** The address that media files are shown from. */
  readonly mediaUrl: string;
}

const APP = '/app';
/** Other routes answer there. */
const PROCEDURES = '/app/trpc';
const ASSETS = 'assets/';
/** What no address of the app has, once its percent signs are read: a way up, a backslash, a control character. */
const MISLEADING = /(^|\/)\.{1,2}(\/|$)|\\|\p{Cc}/u;

/**
 * The browser app: its files, and at every other address below /app the one page, which shows what the address names.
 * Its files are the same for everybody, are sent from memory and ask nothing of the store, so they are not counted; the
 * page is for people who are signed in.
 */
export class AppPages implements FrontDoor {
  readonly #options: AppPagesOptions;
  readonly #guards: Readonly<Record<string, string>>;
  #built: Promise<BuiltApp | null> | null = null;

  constructor(options: AppPagesOptions) {
    this.#options = options;
    this.#guards = guardsOfApp(options);
  }

  addTo(app: Express): void {
    const serve = this.#options.pages.serve((request, response) => this.#answer(request, response));
    app.use((request, response, next) => {
      const { path } = request;
      const isOfApp = path === APP || path.startsWith(`${APP}/`);
      if (!isOfApp || path === PROCEDURES || path.startsWith(`${PROCEDURES}/`)) return next();
      void serve(request, response);
    });
  }

  async #answer(request: Request, response: Response): Promise<void> {
    const { pages } = this.#options;
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      return pages.page(response, NOT_LIKE_THIS);
    }
    const name = request.path.slice(APP.length + 1);
    const built = await this.#builtApp();
    const file = built?.files.get(name);
    if (file !== undefined) return sendFile(request, response, file, this.#guards);
    if (name.startsWith(ASSETS) || isMisleading(request.path)) return pages.page(response, NO_SUCH_PAGE);
    const signedIn = await this.#options.sessions.current(request);
    if (signedIn === null) return this.#toSignIn(request, response);
    if (built === null) return pages.page(response, NOT_BUILT);
    const session = await this.#options.session(signedIn);
    sendAppPage(request, response, built.page.join(dataElement('session', session)), this.#guards);
  }

  /** Once it is there it stays as it is; until then each request looks again. */
  async #builtApp(): Promise<BuiltApp | null> {
    const { folder, pages } = this.#options;
    this.#built ??= readBuiltApp(folder, pages.address(`${APP}/`));
    const built = await this.#built;
    if (built === null) this.#built = null;
    return built;
  }

  #toSignIn(request: Request, response: Response): void {
    const { pages } = this.#options;
    // A cookie that is made up costs a look-up, as any credential does.
    const refused = countStranger(this.#options, 'app', request.ip);
    if (refused === null) return pages.redirect(response, signInAddress('', request.originalUrl));
    response.setHeader('Retry-After', String(refused.retryAfterSeconds));
    pages.page(response, { status: 429, title: 'Please wait', body: `<p>${refused.message}</p>` });
  }
}

const NOT_LIKE_THIS = { status: 405, title: 'Not like this', body: '<p>This address takes GET, HEAD only.</p>' };
const NO_SUCH_PAGE = {
  status: 404,
  title: 'There is no such file',
  body: '<p>The app may have been renewed since you opened it: open the page again.</p>',
};
const NOT_BUILT = {
  status: 503,
  title: 'The app is not built',
  body: '<p>Type <code>make app</code> in the folder of Crier, then open this page again.</p>',
};

/**
 * Data in a page. Browsers run no script of that type, so the content security policy allows it; within it nothing but
 * `<` could end the element.
 */
function dataElement(id: string, data: object): string {
  return `<script type="application/json" id="${id}">${JSON.stringify(data).replaceAll('<', '\\u003c')}</script>`;
}

function isMisleading(path: string): boolean {
  try {
    return MISLEADING.test(decodeURIComponent(path));
  } catch {
    return true;
  }
}
