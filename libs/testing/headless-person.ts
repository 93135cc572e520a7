import assert from 'node:assert/strict';
import { formsOf, TestBrowser, type ServedPage } from './test-browser.ts';
import { until } from './until.ts';

export interface ConsentChoice {
  /** Default: approve. */
  readonly decision?: 'approve' | 'deny';
  /** The boxes that are ticked. Default: those that are ticked already. */
  readonly permissions?: readonly string[];
  /** Default: the demo's Workspace. */
  readonly workspaceId?: string;
}

/** The installation that a person deals with, as far as a person needs it. */
export interface PersonSite {
  readonly ready: {
    readonly baseUrl: string | null;
    readonly demo: { readonly email: string; readonly workspaceId: string } | null;
  };
  sandbox(): { send(method: string, path: string): Promise<{ readonly body: unknown }> };
}

const MAX_STEPS = 20;

/**
 * One person with one browser, as an app meets them: follows redirects with cookies, signs in by the link in the
 * sandbox's mail, and decides on the consent page.
 */
export class HeadlessPerson {
  /** How often this person had to sign in. */
  signIns = 0;
  readonly #crier: PersonSite;
  readonly #email: string;
  readonly #browser: TestBrowser;

  /** Default of `email`: the owner of the demo Workspace. */
  constructor(crier: PersonSite, email = crier.ready.demo!.email) {
    this.#crier = crier;
    this.#email = email;
    this.#browser = new TestBrowser(crier.ready.baseUrl!);
  }

  /**
   * Opens an address of the installation, and answers with the one outside of it where the browser is sent in the end.
   * Rejects when a page is in the way that this person can not deal with.
   */
  async follow(url: string | URL, choice: ConsentChoice = {}): Promise<URL> {
    let page = await this.#browser.get(this.#pathOf(url));
    for (let step = 0; step < MAX_STEPS; step += 1) {
      const location = page.headers.get('location');
      if (location === null) {
        page = await this.#dealWith(page, choice);
        continue;
      }
      const next = new URL(location, this.#crier.ready.baseUrl!);
      if (next.origin !== new URL(this.#crier.ready.baseUrl!).origin) return next;
      page = await this.#browser.get(this.#pathOf(next));
    }
    throw new Error(`the browser was sent around ${MAX_STEPS} times, last to ${page.headers.get('location')}`);
  }

  #pathOf(url: string | URL): string {
    const { pathname, search } = new URL(url, this.#crier.ready.baseUrl!);
    return pathname + search;
  }

  async #dealWith(page: ServedPage, choice: ConsentChoice): Promise<ServedPage> {
    if (page.html.includes('name="email"')) return this.#signIn(page);
    if (page.html.includes('name="workspaceId"')) return this.#decide(page, choice);
    throw new Error(`a page in the way: ${page.status} ${page.html}`);
  }

  async #signIn(page: ServedPage): Promise<ServedPage> {
    const before = (await this.#links()).length;
    const sent = await this.#browser.send(formsOf(page.html)[0]!, { email: this.#email });
    assert.equal(sent.status, 200, sent.html);
    const links = await until(
      async () => {
        const now = await this.#links();
        return now.length > before ? now : null;
      },
      { what: `mail to ${this.#email}`, everyMs: 20 },
    );
    this.signIns += 1;
    const opened = await this.#browser.get(this.#pathOf(links.at(-1)!));
    return this.#browser.send(formsOf(opened.html)[0]!);
  }

  /** The links that were mailed to this person, oldest first. */
  async #links(): Promise<readonly string[]> {
    const answer = await this.#crier.sandbox().send('GET', `/sandbox/mail?to=${encodeURIComponent(this.#email)}`);
    const { messages } = answer.body as { readonly messages: readonly { readonly text: string }[] };
    return messages.flatMap(({ text }) => /http\S+\/sign-in\/links\/\S+/.exec(text) ?? []);
  }

  #decide(page: ServedPage, { decision = 'approve', permissions, workspaceId }: ConsentChoice): Promise<ServedPage> {
    const form = formsOf(page.html).find(({ fields }) => 'csrfToken' in fields)!;
    const ticked = [...page.html.matchAll(/name="permissions" value="([^"]*)" checked>/g)].map(([, value]) => value!);
    const fields = new URLSearchParams({
      csrfToken: form.fields['csrfToken']!,
      workspaceId: workspaceId ?? this.#crier.ready.demo!.workspaceId,
      decision,
    });
    for (const permission of permissions ?? ticked) fields.append('permissions', permission);
    return this.#browser.ask('POST', this.#pathOf(form.action), { body: fields });
  }
}
