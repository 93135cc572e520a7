import { createRealMediaTools } from '#testing/media-tools.ts';

/** Looks at a file again and again, for a test that kills it meanwhile. */
const tools = createRealMediaTools();
for (;;) await tools.probe({ workspaceId: 'w1', path: process.argv[2]! });
