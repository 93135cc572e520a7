import { createSystemClock } from '#adapters/system/clock.ts';
import { createSystemIds } from '#adapters/system/ids.ts';
import { createDownload } from '#adapters/undici/download.ts';
import type { Facts } from '#reporting/fact.ts';
import { createSandboxService } from './service.ts';

/**
 * A sandbox in a process of its own, for tests that kill it. Arguments: its file, and the redirect addresses. Prints
 * where it listens.
 */
const service = createSandboxService({
  host: '127.0.0.1',
  port: 0,
  file: process.argv[2]!,
  clock: createSystemClock(),
  ids: createSystemIds(),
  download: createDownload(),
  mediaUrl: () => 'http://media.test',
  redirectUris: () => [process.argv[3]!],
  reporter: { report: () => undefined, failure: (event, error, _facts?: Facts) => console.error(event, error) },
});
await service.start();
console.log(service.address());
