import type { ArmedCall, PrepareAnswer, PublishAnswer, ReconcileAnswer } from '../contract/adapter.ts';
import { waiting, published } from '../contract/answers.ts';
import { at, listAt, textAt, type CallResult } from '../http/call.ts';
import { answeredText, graphGet, graphPostJson, graphSummary, succeeded } from '../graph/calls.ts';
import { sinceOf } from '../graph/time.ts';
import { LOOKUP_TIMEOUT_MS } from '../contract/waits.ts';
import { isMissing, isOneOf, REFUSED_LINK } from './errors.ts';
import { write, type PostHandle } from './handle.ts';
import { linkOf, notPublished, notRead, objectUrl, pageUrl, refused, type PageWork } from './calls.ts';
import { cardAddressOf } from './link.ts';
import type { PageKind } from './page-kind.ts';
import { uploadPhoto } from './photo.ts';

/** A publish that is cut off may still be carried out for moments. */
const SETTLE_MS = 5_000;

/** Text with no, one or more photos: a post that is made unpublished and then shown. Showing it twice shows it once. */
export const pagePost: PageKind<PostHandle> = { prepare, publish, reconcile };

async function prepare(work: PageWork, handle: PostHandle | null): Promise<PrepareAnswer> {
  const { publication } = work;
  const { photos, since } = handle ?? { photos: [], since: publication.now };
  if (handle !== null && handle.post !== null)
    return { kind: 'ready', handle: write(handle), summary: { status: 0, detail: '' } };
  const photo = publication.media[photos.length];
  if (photo !== undefined) {
    const uploaded = await uploadPhoto(work, photo);
    if (uploaded.kind === 'failed') return uploaded;
    return waiting(write({ kind: 'post', photos: [...photos, uploaded.id], post: null, since }), uploaded.summary);
  }
  const called = await makePost(work, photos);
  const post = answeredText(called, 'id');
  if (post === null) return refused(work, called);
  return {
    kind: 'ready',
    handle: write({ kind: 'post', photos, post, since }),
    summary: graphSummary(called, `post ${post} made, unpublished`, [publication.accessToken]),
  };
}

/** Makes the post, unpublished. One that is refused for the card of its link is made without the card. */
async function makePost(work: PageWork, photos: readonly string[]): Promise<CallResult> {
  const { publication } = work;
  const fields = {
    published: false,
    ...(publication.text === '' ? {} : { message: publication.text }),
    ...(photos.length === 0 ? {} : { attached_media: photos.map((id) => ({ media_fbid: id })) }),
  };
  const hasCard = photos.length === 0 && publication.options.link !== false;
  const link = hasCard ? cardAddressOf(publication.text) : null;
  const url = pageUrl(work, 'feed');
  if (link === null) return graphPostJson(publication, url, fields);
  const called = await graphPostJson(publication, url, { ...fields, link });
  const isRefused = called.kind === 'answered' && called.status !== 200 && isOneOf(called, REFUSED_LINK);
  return isRefused ? graphPostJson(publication, url, fields) : called;
}

async function publish(work: PageWork, handle: PostHandle): Promise<PublishAnswer> {
  const { at: place, publication } = work;
  const post = postOf(handle);
  const called = await graphPostJson(
    publication,
    objectUrl(work, post),
    { is_published: true },
    place.publishTimeoutMs,
  );
  if (!succeeded(called)) return notPublished(work, called);
  const looked = await graphGet(
    publication,
    `${objectUrl(work, post)}?fields=id,is_published,permalink_url,created_time`,
    LOOKUP_TIMEOUT_MS,
  );
  const permalink = linkOf(place.site, answeredText(looked, 'permalink_url'));
  return published(post, permalink, graphSummary(called, `published as ${post}`, [publication.accessToken]));
}

async function reconcile(work: PageWork, handle: PostHandle, armed: ArmedCall): Promise<ReconcileAnswer> {
  const { at: place, publication } = work;
  const post = postOf(handle);
  const called = await graphGet(
    publication,
    `${objectUrl(work, post)}?fields=id,is_published,permalink_url,created_time`,
  );
  const isPublished = called.kind === 'answered' && called.status === 200 ? at(called.json, 'is_published') : null;
  const summary = graphSummary(called, `post ${post} is ${isPublished === true ? 'published' : 'not published'}`, [
    publication.accessToken,
  ]);
  if (isPublished === true) return published(post, linkOf(place.site, answeredText(called, 'permalink_url')), summary);
  if (isPublished === false)
    return armed.asked === 0
      ? { kind: 'unknown', delayMs: SETTLE_MS * place.waitFactor, summary }
      : { kind: 'absent', summary };
  if (called.kind === 'answered' && isMissing(called)) {
    const listed = await findInList(work, post, armed.armedAt);
    if (listed !== null) return listed;
  }
  return notRead(work, called, armed);
}

/** A post that can't be read by itself may still be in the Page's list. */
async function findInList(work: PageWork, post: string, armedAt: number): Promise<ReconcileAnswer | null> {
  const query = new URLSearchParams({ fields: 'id,permalink_url', since: sinceOf(armedAt), limit: '100' });
  const called = await graphGet(work.publication, `${pageUrl(work, 'published_posts')}?${query}`);
  const posts = called.kind === 'answered' && called.status === 200 ? listAt(called.json, 'data') : [];
  const found = posts.find((each) => textAt(each, 'id') === post);
  if (found === undefined) return null;
  const summary = graphSummary(called, `found in the list as ${post}`, [work.publication.accessToken]);
  return published(post, linkOf(work.at.site, textAt(found, 'permalink_url')), summary);
}

function postOf({ post }: PostHandle): string {
  if (post === null) throw new Error('facebook publishes posts that were made before; there is none');
  return post;
}
