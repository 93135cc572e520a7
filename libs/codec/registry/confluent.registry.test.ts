import { afterAll, describe, it } from 'vitest';
import { confluentSuite } from '#testing/confluent-suite.ts';
import { startRegistry } from '#testing/engines/registry.ts';

const engine = await startRegistry().catch((error: Error) => error);

if (engine instanceof Error) {
  if (process.env['CRIER_REQUIRE_CLUSTER'] === '1') throw engine;
  describe('Apicurio', () => {
    it(`can't be started here: ${engine.message.split('\n')[0]}`, (context) => context.skip());
  });
} else {
  afterAll(() => engine.stop());
  confluentSuite('Apicurio', () => engine.url);
}
