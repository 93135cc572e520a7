import { escapeHtml } from './exchange.ts';
import { filePath } from './files/serve-file.ts';
import type { LiveItem, ItemMedia } from './items.ts';

/** Characters of a text that a page of many posts shows. */
const BRIEF_TEXT_LENGTH = 600;
const BRIEF_ALT_TEXT_LENGTH = 200;
/** Comments of one post that a page of many posts shows. */
const BRIEF_COMMENTS = 3;
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

const WORDS = /(?<=[a-z])(?=[A-Z])/g;

/** An option in words, e.g. `reply control: everyone`. */
function optionShown(name: string, value: unknown): string {
  const words = name.replace(WORDS, ' ').toLowerCase();
  const said = typeof value === 'string' ? value : JSON.stringify(value);
  return `<li>${escapeHtml(words)}: <span dir="auto">${escapeHtml(shortened(said, BRIEF_ALT_TEXT_LENGTH))}</span></li>`;
}

/** The options that the Network received; '' when it received none. */
function optionsShown({ options = {} }: LiveItem): string {
  const rows = Object.entries(options).map(([name, value]) => optionShown(name, value));
  return rows.length === 0 ? '' : `<ul class="options" aria-label="Options">${rows.join('')}</ul>`;
}

/** The card of a link names the address, and does not lead there: the page shows nothing from elsewhere. */
function cardShown({ link = null }: LiveItem): string {
  if (link === null) return '';
  const host = URL.canParse(link.url) ? new URL(link.url).host : '';
  return `<p class="link"><strong>${escapeHtml(host)}</strong><small dir="auto">${escapeHtml(shortened(link.url, BRIEF_ALT_TEXT_LENGTH))}</small></p>`;
}

/** The account's own comments, oldest first; '' when there are none. */
function commentsShown({ comments = [] }: LiveItem, { brief }: PostView): string {
  if (comments.length === 0) return '';
  const words = (text: string) => escapeHtml(brief ? shortened(text, BRIEF_TEXT_LENGTH) : text);
  const rows = comments.slice(0, brief ? BRIEF_COMMENTS : comments.length).map(({ text, publishedAt }) => {
    const time = `<time datetime="${new Date(publishedAt).toISOString()}">${TIME.format(publishedAt)} UTC</time>`;
    return `<li><span dir="auto">${words(text)}</span> ${time}</li>`;
  });
  return `<ul class="comments" aria-label="Comments">${rows.join('')}</ul>`;
}

/** A post: title, text, card, files, options, time, comments. */
export function postShown(item: LiveItem, view: PostView): string {
  const text = view.brief ? shortened(item.text, BRIEF_TEXT_LENGTH) : item.text;
  const title = item.title === undefined || item.title === '' ? '' : `<h3 dir="auto">${escapeHtml(item.title)}</h3>`;
  const words = text === '' ? '' : `<p dir="auto">${escapeHtml(text)}</p>`;
  const placement = item.placement === 'story' ? '<span>Story</span>' : '';
  const about = `<footer>${timeLink(item, view.permalink)}${placement}</footer>`;
  return `<article>${title}${words}${cardShown(item)}${mediaShown(item, view)}${optionsShown(item)}${about}${commentsShown(item, view)}</article>`;
}
