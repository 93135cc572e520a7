import type { Rendition } from '#ports/rendition-source.ts';
import type { FailedAnswer } from '../contract/answers.ts';
import { answeredText, graphPostFile, graphSummary } from '../graph/calls.ts';
import type { FilePart } from '../http/multipart.ts';
import type { CallSummary } from '../contract/adapter.ts';
import { pageUrl, refused, type PageWork } from './calls.ts';

const MAX_ALT_TEXT = 1000;

/**
 * Uploads an unpublished photo: Facebook deletes it a day later unless a post uses it. Its bytes are sent rather than
 * an address, which would have to be public.
 */
export async function uploadPhoto(
  work: PageWork,
  photo: Rendition,
): Promise<{ readonly kind: 'uploaded'; readonly id: string; readonly summary: CallSummary } | FailedAnswer> {
  const { publication } = work;
  const altText = publication.placement === 'story' ? '' : photo.altText.slice(0, MAX_ALT_TEXT).toWellFormed();
  const called = await graphPostFile(
    publication,
    pageUrl(work, 'photos'),
    { published: 'false', ...(altText === '' ? {} : { alt_text_custom: altText }) },
    await pictureAs('source', photo),
  );
  const id = answeredText(called, 'id');
  return id === null
    ? refused(work, called)
    : { kind: 'uploaded', id, summary: graphSummary(called, `photo ${id} uploaded`, [publication.accessToken]) };
}

/** A picture as a part of a multipart body. */
export async function pictureAs(field: string, picture: Rendition): Promise<FilePart> {
  return {
    field,
    fileName: picture.contentType === 'image/png' ? 'photo.png' : 'photo.jpg',
    contentType: picture.contentType,
    bytes: await picture.read(0, picture.bytes),
    boundary: `photo-${picture.sha256}`,
  };
}
