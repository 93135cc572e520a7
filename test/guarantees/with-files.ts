import { perNetwork, type Network } from '#domain/network.ts';
import type { NetworkLimits } from '#domain/network-limits.ts';
import type { RenditionSource } from '#ports/rendition-source.ts';
import { environment, readConfig } from '#config/config.ts';
import { start } from '#services/crier/cli/start.ts';
import { fixtureRenditions } from '#testing/media-fixtures.ts';
import { filesFor } from './files-for.ts';

/**
 * `crier start`, except that every Variant has files, which would come from the media service; its id decides which
 * ones. Posts name none, so limits accept everything. The one argument is the address that serves the files.
 */
const [baseUrl] = process.argv.slice(2);

const renditions: RenditionSource = {
  filesOf: async ({ network, variantId }) => ({
    kind: 'ready',
    files: fixtureRenditions(filesFor(network, variantId), baseUrl),
  }),
};
const lenient = (network: Network): NetworkLimits => ({ network, judge: () => [] });

process.exitCode = await start(readConfig(environment(), {}), {
  renditions,
  limits: perNetwork(lenient),
});
