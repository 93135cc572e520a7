// Creates many Posts. Running it again within a day creates none of them twice: each has a key of its own.
import { createCrier } from '@crier/client';

const crier = createCrier({ url: process.env['CRIER_URL']!, key: process.env['CRIER_KEY']! });
const channelIds = (await crier.channels.list()).filter(({ network }) => network === 'x').map(({ id }) => id);

const firstOfNextMonth = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 1, 1, 9));
const posts = Array.from({ length: 120 }, (_, day) => ({
  text: `Tip ${day + 1} of 120`,
  channelIds,
  scheduledAt: new Date(firstOfNextMonth.getTime() + day * 24 * 3_600_000),
  idempotencyKey: `tips-${firstOfNextMonth.toISOString()}-${day}`,
}));

const items = await crier.posts.createBulk(posts, {
  onProgress: ({ done, total }) => console.log(`${done} of ${total}`),
});
for (const [index, { error }] of items.entries()) if (error) console.error(`Tip ${index + 1}: ${error.message}`);
const repeated = items.filter(({ replayed }) => replayed === true).length;
console.log(`${items.filter(({ post }) => post).length} Posts, of which ${repeated} were there before`);
