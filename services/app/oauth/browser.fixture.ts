/** A browser of one person: it keeps cookies by path, and follows no redirect by itself. */
export class Browser {
  readonly #fetch: typeof fetch;
  readonly #cookies = new Map<string, { readonly value: string; readonly path: string }>();

  constructor(theFetch: typeof fetch) {
    this.#fetch = theFetch;
  }

  setCookie(name: string, value: string): void {
    this.#cookies.set(name, { value, path: '/' });
  }

  /** All of its cookies, as another browser would have to steal them. */
  cookies(): ReadonlyMap<string, { readonly value: string; readonly path: string }> {
    return this.#cookies;
  }

  get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.#send(url, { headers: { accept: 'text/html', ...headers } });
  }

  post(url: string, form: URLSearchParams, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.#send(url, { method: 'POST', body: form, headers });
  }

  async #send(url: string, options: RequestInit & { headers: Record<string, string> }): Promise<Response> {
    const { pathname } = new URL(url);
    const sent = [...this.#cookies].filter(([, { path }]) => path === '/' || pathname.startsWith(path));
    const cookie = sent.map(([name, { value }]) => `${name}=${value}`).join('; ');
    const headers = { ...options.headers, ...(cookie !== '' && { cookie }) };
    const response = await this.#fetch(url, { ...options, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    return response;
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice(5) ?? '/';
    if (value === '' || /expires=Thu, 01 Jan 1970/i.test(line)) this.#cookies.delete(name);
    else this.#cookies.set(name, { value, path });
  }
}

/** The fields of a page's form, as it would be sent untouched. */
export function fieldsOf(html: string): URLSearchParams {
  const form = new URLSearchParams();
  for (const [tag] of html.matchAll(/<input[^>]*>/g)) {
    const attribute = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(tag)?.[1] ?? '';
    const isChosen = !/type="(radio|checkbox)"/.test(tag) || / checked/.test(tag);
    if (isChosen && !/ disabled/.test(tag)) form.append(attribute('name'), attribute('value'));
  }
  return form;
}

/** Where the page leads on to that a person sees before an app is told of an error. */
export function wayToApp(html: string): URL {
  const [, href = ''] = /<a href="([^"]+)">Go on to/.exec(html) ?? [];
  return new URL(href.replaceAll('&amp;', '&'));
}
