// Walks through every Post of the coming week, page by page, and cancels those that say so.
import { createCrier } from '@crier/client';

const crier = createCrier({ url: process.env['CRIER_URL']!, key: process.env['CRIER_KEY']! });

const from = new Date();
const to = new Date(from.getTime() + 7 * 24 * 3_600_000);
for await (const post of crier.posts.list({ from, to })) {
  const isScheduled = post.variants.some(({ status }) => status === 'scheduled');
  if (isScheduled && post.text.includes('#cancel')) {
    await crier.posts.cancel(post.id);
    console.log(`cancelled: ${post.text}`);
  }
}
