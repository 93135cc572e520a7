import { downloadSuite } from '#port-suites/download.ts';
import { createMemoryDownload } from './download.ts';

const ORIGIN = 'https://files.test';

downloadSuite('memory download', async (files) => ({
  download: createMemoryDownload(new Map([...files].map(([path, file]) => [`${ORIGIN}${path}`, file]))),
  addressOf: (path) => `${ORIGIN}${path}`,
}));
