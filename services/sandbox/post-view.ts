import { escapeHtml } from './exchange.ts';
import { filePath } from './files/serve-file.ts';
import type { LiveItem, ItemMedia } from './items.ts';

/** Characters of a text that a page of many posts shows. */
const BRIEF_TEXT_LENGTH = 600;
const BRIEF_ALT_TEXT_LENGTH = 200;
/** Files of one post that a page of many posts shows. */
const BRIEF_FILES = 4;

export interface PostView {
  /** The address of its own page. */
  readonly permalink: string;
  /** Whether it is one of many: long texts and long rows of files are cut. */
  readonly brief: boolean;
  /** How much of a video is loaded before it is played: `metadata` shows its first picture. */
  readonly preload: 'metadata' | 'none';
}

/** The first characters, never half of one. */
export function shortened(text: string, most: number): string {
  const characters = [...text.slice(0, 2 * most + 2)];
  return characters.length <= most ? text : `${characters.slice(0, most).join('').trimEnd()}…`;
}

const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });

export function timeLink({ publishedAt }: LiveItem, permalink: string): string {
  return `<a href="${escapeHtml(permalink)}"><time datetime="${new Date(publishedAt).toISOString()}">${TIME.format(publishedAt)} UTC</time></a>`;
}

function fileShown(
  { sha256, bytes, contentType }: ItemMedia,
  alt: string,
  { permalink, brief, preload }: PostView,
): string {
  const source = escapeHtml(filePath(sha256));
  if (contentType.startsWith('image/')) {
    return `<a href="${brief ? escapeHtml(permalink) : source}"><img src="${source}" alt="${escapeHtml(alt)}" loading="lazy" decoding="async"></a>`;
  }
  if (contentType.startsWith('video/'))
    return `<video src="${source}" controls playsinline preload="${preload}"${alt === '' ? '' : ` aria-label="${escapeHtml(alt)}"`}></video>`;
  return `<a class="file" href="${source}">A file of ${bytes} bytes</a>`;
}

/** The files of a post, each with its alt text; '' when it has none. */
export function mediaShown({ media, altTexts }: LiveItem, view: PostView): string {
  if (media.length === 0) return '';
  const left = view.brief && media.length > BRIEF_FILES ? media.length - BRIEF_FILES : 0;
  const figures = media.slice(0, media.length - left).map((file, index) => {
    const alt = altTexts[index] ?? '';
    const words = view.brief ? shortened(alt, BRIEF_ALT_TEXT_LENGTH) : alt;
    return `<figure>${fileShown(file, alt, view)}${alt === '' ? '' : `<figcaption dir="auto"><b>ALT</b>${escapeHtml(words)}</figcaption>`}</figure>`;
  });
  const more = left === 0 ? '' : `<a class="more" href="${escapeHtml(view.permalink)}">${left} more</a>`;
  return `<div class="media${media.length > 1 ? ' several' : ''}${view.brief ? ' brief' : ''}">${figures.join('')}${more}</div>`;
}

/** A post: title, text, files, time. */
export function postShown(item: LiveItem, view: PostView): string {
  const text = view.brief ? shortened(item.text, BRIEF_TEXT_LENGTH) : item.text;
  const title = item.title === undefined || item.title === '' ? '' : `<h3 dir="auto">${escapeHtml(item.title)}</h3>`;
  const words = text === '' ? '' : `<p dir="auto">${escapeHtml(text)}</p>`;
  const placement = item.placement === 'story' ? '<span>Story</span>' : '';
  return `<article>${title}${words}${mediaShown(item, view)}<footer>${timeLink(item, view.permalink)}${placement}</footer></article>`;
}
