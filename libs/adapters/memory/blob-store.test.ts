import { blobStoreSuite } from '#port-suites/blob-store.ts';
import { createMemoryBlobStore } from './blob-store.ts';

blobStoreSuite('memory blob store', async () => ({ store: createMemoryBlobStore(), close: async () => {} }));
