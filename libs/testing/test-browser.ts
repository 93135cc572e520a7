export interface ServedPage {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
}

export interface SentForm {
  readonly action: string;
  /** Those of the page, hidden ones among them. */
  readonly fields: Readonly<Record<string, string>>;
}

/** A browser that keeps cookies and follows no redirect by itself. */
export class TestBrowser {
  readonly cookies = new Map<string, string>();
  readonly #origin: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(origin: string, headers: Readonly<Record<string, string>> = {}) {
    this.#origin = origin;
    this.#headers = headers;
  }

  /** The cookies as a request sends them; empty: none. */
  get cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  async ask(method: string, path: string, more: RequestInit = {}): Promise<ServedPage> {
    const cookie = this.cookieHeader;
    const headers = { ...(cookie !== '' && { cookie }), ...this.#headers, ...(more.headers as object | undefined) };
    const response = await fetch(this.#origin + path, {
      ...more,
      method,
      headers: headers as Record<string, string>,
      redirect: 'manual',
    });
    for (const set of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
      if (/Max-Age=0\b/.test(set)) this.cookies.delete(name!);
      else this.cookies.set(name!, value!);
    }
    return { status: response.status, headers: response.headers, html: await response.text() };
  }

  get(path: string): Promise<ServedPage> {
    return this.ask('GET', path);
  }

  post(
    path: string,
    fields: Readonly<Record<string, string>>,
    headers: Record<string, string> = {},
  ): Promise<ServedPage> {
    return this.ask('POST', path, {
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(fields).toString(),
    });
  }

  /** Sends a form of a page with these fields filled in. */
  send(form: SentForm, fields: Readonly<Record<string, string>> = {}): Promise<ServedPage> {
    return this.post(form.action, { ...form.fields, ...fields });
  }
}

/** The forms of a page, by their order. */
export function formsOf(html: string): readonly SentForm[] {
  return [...html.matchAll(/<form method="post" action="([^"]*)">(.*?)<\/form>/gs)].map(([, action, inside]) => {
    const inputs = [...inside!.matchAll(/<input [^>]*name="([^"]*)"(?:[^>]*?value="([^"]*)")?[^>]*>/g)];
    const fields = Object.fromEntries(inputs.map(([, name, value = '']) => [name!, value.replaceAll('&amp;', '&')]));
    return { action: action!, fields };
  });
}
