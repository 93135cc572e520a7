import { readConfig } from '#config/config.ts';
import { createEgress } from './egress.ts';

// Started by egress.test.ts with NODE_EXTRA_CA_CERTS, which Node reads once, at its start: prints what
// `https://hooks.test/` answered.
const egress = createEgress(readConfig({ CRIER_EGRESS_OVERRIDES: process.argv[2] ?? '' }), {
  own: () => [],
  userAgent: 'crier/0.0.0',
});
const result = await egress.send({ method: 'GET', url: 'https://hooks.test/', timeoutMs: 15_000 }).then(
  ({ status }) => String(status),
  (error: Error) => error.message,
);
process.stdout.write(result);
