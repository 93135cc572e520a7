import { escaped, type Page } from '#http-server/page.ts';

/** An error that can not be told to the app, since it is not known where the app is. */
export interface ShownError {
  readonly error: string;
  readonly error_description?: string | undefined;
}

const WORDS: Readonly<Record<string, string>> = {
  invalid_client:
    'The app is not registered here, or not any more: what is not used is forgotten after some time. Please remove the connection in the app and add it again.',
  invalid_redirect_uri:
    'The app wants you to be sent to an address that it did not register. Do not go on; if you trust the app, please remove the connection there and add it again.',
  invalid_request:
    'The request is not complete, was answered already, is too old, or began in another browser. Please start again from the app.',
  server_error: 'Something went wrong here. Please start again from the app in a minute.',
};
const OTHER = 'The app asked for something that is not offered. Please start again from the app.';

/** What a person sees of it. */
export function errorPage({ error, error_description: detail }: ShownError, requestId: string): Page {
  const status = error === 'server_error' ? 503 : error === 'invalid_client' ? 401 : 400;
  const told = detail === undefined ? error : `${error}: ${detail}`;
  const body = `<p>${WORDS[error] ?? OTHER}</p><p class="soft">For the app’s makers: <bdi>${escaped(told)}</bdi></p>`;
  return { status, title: 'This app can not be connected like that', body, requestId };
}
