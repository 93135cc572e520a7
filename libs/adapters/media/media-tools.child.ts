import { createMediaTools } from './media-tools.ts';

/** Looks at a file again and again, for a test that kills it meanwhile. */
const tools = createMediaTools();
for (;;) await tools.probe({ path: process.argv[2]! });
