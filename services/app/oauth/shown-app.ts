import { normalForm } from '#domain/post/normal-form.ts';
import type { Registration } from '#domain/workspace/state.ts';
import { isThisComputer } from './client-metadata.ts';

const MAX_NAME_CHARACTERS = 60;
const MAX_HOST_CHARACTERS = 100;
const NAMELESS = 'An app without a name';

/** An app, as a person is told of it. */
export interface ShownApp {
  readonly clientId: string;
  /** What it calls itself, on one line. */
  readonly name: string;
  readonly registered: Registration;
  /** The host whose document describes it; null: it registered itself. */
  readonly documentHost: string | null;
  readonly redirect: ShownRedirect;
}

/** Where a person is sent back to. */
export interface ShownRedirect {
  /** A host, `this computer`, or a scheme with its colon. */
  readonly host: string;
  /** A host without port, or a scheme with its colon: what is kept of it. */
  readonly kept: string;
  readonly kind: 'host' | 'this-computer' | 'program';
  /** What a Content-Security-Policy calls it. */
  readonly source: string;
}

export interface AppFacts {
  readonly clientId: string;
  readonly clientName: string | undefined;
  readonly redirectUri: string;
}

/** What a person is shown of an app that asks. Throws where `redirectUri` is no address: it was judged before. */
export function shownAppOf({ clientId, clientName, redirectUri }: AppFacts): ShownApp {
  const document = /^https:\/\//i.test(clientId) ? URL.parse(clientId) : null;
  return {
    clientId,
    name: nameOf(clientName ?? ''),
    registered: document === null ? 'itself' : 'document',
    documentHost: document?.host ?? null,
    redirect: shownRedirectOf(new URL(redirectUri)),
  };
}

/**
 * A stranger's text, on one line: controls, line breaks and marks that turn the direction of writing or have no width
 * could make it look like words of ours. A registration has room for so many combining marks that normalising them
 * would hold the process for half a second.
 */
function nameOf(text: string): string {
  const plain = normalForm(text)
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  return plain === '' ? NAMELESS : cut(plain, MAX_NAME_CHARACTERS);
}

function shownRedirectOf(url: URL): ShownRedirect {
  if (isThisComputer(url))
    return { host: 'this computer', kept: url.hostname, kind: 'this-computer', source: sourceOf(url) };
  if (url.protocol === 'https:')
    return { host: cut(url.host), kept: cut(url.hostname), kind: 'host', source: sourceOf(url) };
  return { host: cut(url.protocol), kept: cut(url.protocol), kind: 'program', source: url.protocol };
}

/** A policy can name neither an IPv6 address nor every host that an address may have; then its scheme stands for it. */
function sourceOf({ origin, protocol }: URL): string {
  return /^https?:\/\/[a-z\d.-]+(:\d+)?$/.test(origin) ? origin : protocol;
}

function cut(text: string, max = MAX_HOST_CHARACTERS): string {
  const characters = [...text];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`;
}
