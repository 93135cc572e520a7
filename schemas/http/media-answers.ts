import { z } from 'zod';
import { Id, Instant, Uri, Whole } from './scalars.ts';

export const MediaUpload = z
  .looseObject({
    assetId: Id,
    uploadUrl: Uri.meta({
      description:
        'PUT the bytes here, with the Content-Type that was reserved and without Authorization: 204 when all of them are stored',
    }),
    expiresAt: Instant.meta({ description: 'The file must have come, and be completed, by then' }),
  })
  .meta({ id: 'MediaUpload' });

export const CompletedUpload = z
  .looseObject({
    assetId: Id,
    kind: z.enum(['image', 'video']),
    contentType: z.string().meta({ description: 'What the bytes are, whatever was announced' }),
    bytes: Whole,
  })
  .meta({ id: 'CompletedUpload' });
