import { escaped, type Page } from '#http-server/page.ts';
import { isDocumentUnread } from './metadata-documents.ts';

/** An error that a person sees. */
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
const DOCUMENT_UNREAD =
  'Crier could not read the document that describes the app. Please try again in some minutes; the connection need not be removed.';
const OTHER = 'The app asked for something that is not offered. Please start again from the app.';

/** `appUrl`: where the app wants to be told of it; null: it is not known where the app is. */
export function errorPage(shown: ShownError, requestId: string, appUrl: string | null = null): Page {
  const { error, error_description: detail } = shown;
  const isUnread = isDocumentUnread(shown);
  const status = error === 'server_error' || isUnread ? 503 : error === 'invalid_client' ? 401 : 400;
  const told = detail === undefined ? error : `${error}: ${detail}`;
  const body = `<p>${isUnread ? DOCUMENT_UNREAD : (WORDS[error] ?? OTHER)}</p><p class="soft">For the app’s makers: <bdi>${escaped(told)}</bdi></p>${appUrl === null ? '' : wayToApp(appUrl)}`;
  return { status, title: 'This app can not be connected like that', body, requestId };
}

function wayToApp(appUrl: string): string {
  const host = `<strong><bdi>${escaped(new URL(appUrl).host)}</bdi></strong>`;
  return `<p>The app wants to be told of this at ${host}. Nobody has checked who is behind it. <a href="${escaped(appUrl)}">Go on to ${host}</a></p>`;
}
