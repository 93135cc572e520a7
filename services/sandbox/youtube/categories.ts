import { json, type SandboxAnswer } from '../exchange.ts';
import { missingParameter } from './errors.ts';
import { ETAG, readParts } from './parts.ts';
import type { UploadRequest } from './upload-request.ts';

interface Category {
  readonly id: string;
  readonly title: string;
  /** Whether a video may be in it. */
  readonly isAssignable: boolean;
}

const row = (id: number, title: string, isAssignable = true): Category => ({ id: String(id), title, isAssignable });

/** YouTube's categories of the United States; every region here has the same. */
const CATEGORIES: readonly Category[] = [
  row(1, 'Film & Animation'),
  row(2, 'Autos & Vehicles'),
  row(10, 'Music'),
  row(15, 'Pets & Animals'),
  row(17, 'Sports'),
  row(18, 'Short Movies', false),
  row(19, 'Travel & Events'),
  row(20, 'Gaming'),
  row(21, 'Videoblogging', false),
  row(22, 'People & Blogs'),
  row(23, 'Comedy'),
  row(24, 'Entertainment'),
  row(25, 'News & Politics'),
  row(26, 'Howto & Style'),
  row(27, 'Education'),
  row(28, 'Science & Technology'),
  row(29, 'Nonprofits & Activism'),
  row(30, 'Movies', false),
  row(43, 'Shows', false),
  row(44, 'Trailers', false),
];

export const isAssignable = (categoryId: unknown): boolean =>
  CATEGORIES.some((category) => category.id === categoryId && category.isAssignable);

/** GET /youtube/v3/videoCategories of a region, or by id. */
export function listCategories(call: UploadRequest): SandboxAnswer {
  const parts = readParts(call, ['snippet']);
  if ('status' in parts) return parts;
  const { query } = call;
  if (!query.has('regionCode') && !query.has('id')) return missingParameter('regionCode');
  const ids = query.get('id')?.split(',');
  const found = CATEGORIES.filter(({ id }) => ids?.includes(id) ?? true);
  return json(200, {
    kind: 'youtube#videoCategoryListResponse',
    etag: ETAG,
    items: found.map(({ id, title, isAssignable: assignable }) => ({
      ...{ kind: 'youtube#videoCategory', etag: ETAG, id },
      ...(parts.includes('snippet') ? { snippet: { title, assignable, channelId: 'UCBR8-60-B28hp2BmDPdntcQ' } } : {}),
    })),
  });
}
