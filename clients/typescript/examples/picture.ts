// Uploads a picture with progress, and schedules it for tomorrow.
import { createCrier, CrierError } from '@crier/client';

const crier = createCrier({ url: process.env['CRIER_URL']!, key: process.env['CRIER_KEY']! });
const instagram = (await crier.channels.list()).find(({ network }) => network === 'instagram');
if (instagram === undefined) throw new Error('Connect a Channel on instagram first');

try {
  const { assetId } = await crier.media.upload({
    path: process.argv[2]!,
    onProgress: ({ sentBytes, totalBytes }) => console.log(`${Math.round((100 * sentBytes) / totalBytes)} %`),
  });
  const post = await crier.posts.create({
    text: 'Tomorrow, with a picture',
    channelIds: [instagram.id],
    media: [{ assetId, altText: 'A picture of what comes tomorrow' }],
    channelOptions: { [instagram.id]: { firstComment: 'What do you think?' } },
    scheduledAt: new Date(Date.now() + 24 * 3_600_000),
  });
  console.log(`scheduled for ${post.at}`);
} catch (error) {
  if (!(error instanceof CrierError)) throw error;
  console.error(error.message);
  for (const { message } of error.blockers) console.error(`- ${message}`);
  process.exitCode = 1;
}
