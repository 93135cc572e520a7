import { perNetwork, type Network } from '#domain/network.ts';
import type { NetworkLimits } from '#domain/network-limits.ts';
import type { RenditionSource } from '#ports/rendition-source.ts';
import { environment, readConfig } from '#config/config.ts';
import { start } from '#services/crier/cli/start.ts';
import { fixtureRenditions } from '#testing/media-fixtures.ts';
import { filesFor } from './files-for.ts';

/**
 * `crier start`, but that every Variant has files, which its Network would be given by the media service: which ones,
 * its id says. Posts ask for none, so limits let everything pass. The one argument is where the files are served.
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
