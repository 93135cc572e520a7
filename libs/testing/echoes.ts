import { HttpFailure, type HttpClient, type HttpRequest, type HttpResponse } from '#ports/http-client.ts';

const SECRET_NAMES =
  /^(access_token|refresh_token|client_secret|code|code_verifier|fb_exchange_token|input_token|token|upload_token|upload_id)$/;
const WORDS =
  /^(message|detail|title|description|error_description|error_message|error_user_msg|error_user_title|reason_text)$/;
/** Shorter values are error codes and similar, which occur in any text. */
const MIN_CHARACTERS = 16;

type RequestContent = Pick<HttpRequest, 'url' | 'headers' | 'body'>;

/**
 * A Network that reveals too much: it remembers every secret that was sent to it or that it sent, and every refusal
 * repeats, in its message for people, the whole request. `before`: text between that message and the repetition.
 */
export class Echoes {
  readonly secrets = new Set<string>();
  readonly #before: string;

  constructor(before = ' You sent: ') {
    this.#before = before;
  }

  /** `inner`, with refusals and connection failures that reveal too much. */
  around(inner: HttpClient): HttpClient {
    return {
      send: async (request) => {
        try {
          return this.recordExchange(request, await inner.send(request));
        } catch (error) {
          if (!(error instanceof HttpFailure)) throw error;
          throw new HttpFailure(`${error.message}${this.#before}${this.#sent(request)}`, error.sent);
        }
      },
    };
  }

  /** The answer to `request` that such a Network gives. */
  recordExchange(request: RequestContent, answer: HttpResponse): HttpResponse {
    const sent = this.#sent(request);
    const json = jsonOf(answer.body);
    this.#learnJson(json);
    this.#learnAddress(answer.headers['location'] ?? '');
    if (answer.status < 400) return answer;
    const body =
      typeof json === 'object' && json !== null
        ? JSON.stringify(this.#repeating(json, sent))
        : `${answer.body}${this.#before}${sent}`;
    return { ...answer, body };
  }

  /** The secrets that `text` contains: none, if redaction works. */
  foundIn(text: string): readonly string[] {
    return [...this.secrets].filter((secret) => text.includes(secret));
  }

  /** All secrets in a request, including its credentials. */
  #sent({ url, headers = {}, body }: RequestContent): string {
    const credentials = headers['authorization'] ?? headers['Authorization'] ?? '';
    const [scheme = '', credential = ''] = credentials.split(' ');
    this.#learn(credential);
    if (scheme === 'Basic') this.#learn(Buffer.from(credential, 'base64').toString().split(':').at(-1) ?? '');
    this.#learnAddress(url);
    const text = typeof body === 'string' ? body : '';
    this.#learnFields(new URLSearchParams(text));
    this.#learnJson(jsonOf(text));
    return `${credentials} ${url} ${text}`;
  }

  #repeating(json: unknown, sent: string): unknown {
    if (Array.isArray(json)) return json.map((each) => this.#repeating(each, sent));
    if (typeof json !== 'object' || json === null) return json;
    return Object.fromEntries(
      Object.entries(json).map(([name, value]) => [
        name,
        typeof value === 'string' && WORDS.test(name) ? `${value}${this.#before}${sent}` : this.#repeating(value, sent),
      ]),
    );
  }

  /** A `code` in JSON is the name of an error; secret codes travel in forms and addresses. */
  #learnJson(json: unknown): void {
    if (typeof json !== 'object' || json === null) return;
    for (const [name, value] of Object.entries(json)) {
      if (typeof value !== 'string') this.#learnJson(value);
      else if (name !== 'code' && SECRET_NAMES.test(name)) this.#learn(value);
      else this.#learnAddress(value);
    }
  }

  #learnAddress(address: string): void {
    if (/^https?:/.test(address) && URL.canParse(address)) this.#learnFields(new URL(address).searchParams);
  }

  #learnFields(fields: URLSearchParams): void {
    // An app's own token is its id and secret: only the latter is secret.
    for (const [name, value] of fields) if (SECRET_NAMES.test(name)) this.#learn(value.split('|').at(-1)!);
  }

  #learn(secret: string): void {
    if (secret.length >= MIN_CHARACTERS) this.secrets.add(secret);
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
