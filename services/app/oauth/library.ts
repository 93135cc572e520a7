import { Provider, type KoaContextWithOIDC } from 'oidc-provider';
import { PERMISSIONS } from '#domain/workspace/state.ts';
import { Approvals } from './approvals.ts';
import { adapterOf } from './adapter.ts';
import { configurationOf, UNUSED_COOKIE, type LibraryOptions } from './configuration.ts';
import { consentPath } from './consent.ts';
import type { AuthorizationServerOptions } from './dependencies.ts';
import { createDocumentFetch, isDocumentUnread } from './metadata-documents.ts';
import { OpenInteractions } from './open-interactions.ts';
import { RecordStore } from './record-store.ts';
import { reportTo } from './reports.ts';
import { OFFLINE_ACCESS, resourcesOf } from './resources.ts';
import { showErrorsFirst, type RenderError } from './told-errors.ts';

/** How long the keys that were read are used before they are read again. Shorter than the notice of a new key. */
const KEYS_FRESH_MS = 30_000;

export interface LibraryHooks extends Pick<LibraryOptions, 'mayFetchDocument' | 'renderError'> {
  /** Who sent a request that the library is at work on; null: nobody is known. */
  readonly callerOf: (request: object) => string | null;
  readonly renderToldError: RenderError;
}

interface Made {
  readonly provider: Provider;
  readonly keyIds: string;
}

/**
 * The library, made anew when the installation's keys change. It holds nothing of its own but a cache of documents, so
 * requests that still run in the former one end there.
 */
export class Library {
  readonly #options: AuthorizationServerOptions;
  readonly #hooks: LibraryHooks;
  readonly #records: RecordStore;
  readonly #interactions: OpenInteractions;
  #made: Promise<Made> | null = null;
  #readAtMonotonic = 0;

  constructor(options: AuthorizationServerOptions, hooks: LibraryHooks) {
    this.#options = options;
    this.#hooks = hooks;
    this.#records = new RecordStore(options);
    this.#interactions = new OpenInteractions({
      clock: options.clock,
      forget: async (id) => void (await this.#records.remove('Interaction', id)),
    });
  }

  /** Rejects with `PortError` when the keys can not be read. */
  async current(): Promise<Provider> {
    const { clock } = this.#options;
    const former = this.#made;
    if (former === null || clock.monotonic() - this.#readAtMonotonic > KEYS_FRESH_MS) {
      this.#readAtMonotonic = clock.monotonic();
      this.#made = this.#renewed(former);
      // A failure is not kept: the next request reads again.
      this.#made.catch(() => (this.#made = former));
    }
    return (await this.#made!).provider;
  }

  async #renewed(former: Promise<Made> | null): Promise<Made> {
    const keys = await this.#options.keys.read();
    const keyIds = keys.map(({ id }) => id).join(' ');
    const known = await former;
    return known?.keyIds === keyIds ? known : { provider: this.#create(keys), keyIds };
  }

  #create(keys: LibraryOptions['keys']): Provider {
    const { publicUrl, publicHttp, sessions, clock } = this.#options;
    const resources = resourcesOf(publicUrl);
    const records = this.#records;
    const interactions = this.#interactions;
    const { callerOf, renderToldError, ...hooks } = this.#hooks;
    const approvals = new Approvals(this.#options);
    const configuration = configurationOf({
      ...hooks,
      keys,
      resources,
      sessions,
      adapter: adapterOf({ records, approvals, resources, clock, interactionEnded: (id) => interactions.ended(id) }),
      interactionBegun: (ctx, id) => {
        const clientId = ctx.oidc.client?.clientId ?? '';
        return interactions.begun({ id, clientId, caller: callerOf(ctx.req) });
      },
      consentUrl: (interactionId) => `${publicUrl}${consentPath(interactionId)}`,
      fetchDocument: createDocumentFetch(publicHttp),
    });
    const provider = new Provider(publicUrl, configuration);
    provider.use(showErrorsFirst(publicUrl, renderToldError));
    provider.use(correctAnswers);
    reportTo(provider, { ...this.#options, records });
    return provider;
  }
}

const RETRY_AFTER_SECONDS = 2;
const RETRY_UNREAD_AFTER_SECONDS = 30;
const DOCUMENT_UNREAD = 'The document that describes the client could not be read. Please try again.';

interface AnsweredBody {
  scopes_supported?: readonly string[];
  readonly error?: string;
  readonly error_description?: string;
}

/**
 * What the library says beyond our wishes: of a scope that opens nothing here, and a cookie for a session it lacks.
 * What failed on our side, as where the store is away, it calls a defect, and a client whose document could not be
 * fetched it calls unknown; both are to try again, and to keep their tokens.
 */
async function correctAnswers(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  const body = ctx.body as AnsweredBody | undefined;
  if (body?.scopes_supported !== undefined) body.scopes_supported = [...PERMISSIONS, OFFLINE_ACCESS];
  if (body?.error === 'server_error')
    answerLater(ctx, RETRY_AFTER_SECONDS, 'Something went wrong here. Please try again.');
  if (body !== undefined && isDocumentUnread(body)) answerLater(ctx, RETRY_UNREAD_AFTER_SECONDS, DOCUMENT_UNREAD);
  const cookies = ctx.res.getHeader('set-cookie');
  if (!Array.isArray(cookies)) return;
  const needed = cookies.filter((cookie) => !cookie.startsWith(UNUSED_COOKIE));
  if (needed.length > 0) ctx.res.setHeader('set-cookie', needed);
  else ctx.res.removeHeader('set-cookie');
}

function answerLater(ctx: KoaContextWithOIDC, seconds: number, description: string): void {
  ctx.status = 503;
  ctx.set('Retry-After', String(seconds));
  ctx.body = { error: 'temporarily_unavailable', error_description: description };
}
