// Publishes a Post on two Channels, and waits for what becomes of it.
import { createCrier } from '@crier/client';

const crier = createCrier({ url: process.env['CRIER_URL']!, key: process.env['CRIER_KEY']! });

const channels = await crier.channels.list();
const channelIds = channels.filter(({ network }) => ['x', 'threads'].includes(network)).map(({ id }) => id);

const post = await crier.posts.create({ text: 'Hello from the client', channelIds });
const done = await crier.posts.waitForOutcome(post.id, { timeoutMs: 60_000 });
for (const variant of done.variants)
  console.log(`${variant.network}: ${variant.status} ${variant.permalink ?? variant.failureDetail}`);
