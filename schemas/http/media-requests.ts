import { z } from 'zod';
import { SentId, sentText } from './scalars.ts';

const MAX_FILENAME_CHARACTERS = 255;
const MAX_TYPE_CHARACTERS = 255;

/**
 * The body of POST /api/media. Type and size are checked later, by the use case, as their refusals have codes of their
 * own.
 */
export const CreateMediaUploadRequest = z
  .strictObject(
    {
      filename: sentText(MAX_FILENAME_CHARACTERS)
        .min(1, 'must not be empty')
        .meta({ minLength: 1, description: 'As the file is called; for people' }),
      contentType: sentText(MAX_TYPE_CHARACTERS).meta({
        description:
          'image/jpeg, image/png, image/webp, video/mp4 or video/quicktime; sent again as Content-Type with the file',
      }),
      bytes: z
        .int('must be a whole number')
        .min(1, 'must be at least 1')
        .meta({
          description: 'The length of the file, at most 2 GB (2,147,483,648)',
          override: ({ jsonSchema }) => void delete jsonSchema.maximum,
        }),
    },
    'must be an object',
  )
  .meta({ id: 'CreateMediaUploadRequest' });

export type CreateMediaUploadInput = z.output<typeof CreateMediaUploadRequest>;

/** The arguments of the tool complete_media_upload. */
export const CompleteMediaUploadArguments = z.strictObject(
  { assetId: SentId.meta({ description: 'The `assetId` that create_media_upload returned' }) },
  'must be an object',
);
