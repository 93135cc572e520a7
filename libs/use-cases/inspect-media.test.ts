import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import type { ApiCall } from './caller.ts';
import { inspectMedia, type InspectMediaOptions } from './inspect-media.ts';
import { registerEndpoint, type RegisterEndpointOptions } from './register-endpoint.ts';

const open = () => {
  const reporter = createMemoryReporter();
  const full = async () => ({ granted: false, by: 'workspace', retryAfterMs: 2_400 }) as const;
  const parts = { clock: createMemoryClock(), ids: createSeededIds(7), addressLimiter: null };
  const options = { ...parts, reporter, inspections: { acquire: full } };
  const call = { workspaceId: 'w', permissions: ['webhooks:manage'], signal: new AbortController().signal };
  return { reporter, options: options as unknown, call: call as unknown as ApiCall };
};

test('an address of a file that finds no permit says whose requests are too many, and when to come again', async () => {
  const { reporter, options, call } = open();
  const media = [{ url: 'https://files.test/a.png' }];
  const [post] = await inspectMedia(call, [{ media, channelOptions: {} }], options as InspectMediaOptions);
  expect(post).toMatchObject({ ok: true, value: { media: [{ inspected: { problem: expect.any(String) } }] } });
  expect(JSON.stringify(post)).toMatch(/Of your Workspace too many addresses .* again in 3 s\./);
  expect(reporter.of('pool-saturated')).toHaveLength(1);
});

test('an endpoint that finds no permit is refused with when to come again, and counts for its pool', async () => {
  const { reporter, options, call } = open();
  const input = { url: 'https://hooks.test/a', events: [] };
  const refused = await registerEndpoint(call, input, options as RegisterEndpointOptions);
  expect(refused).toMatchObject({ ok: false, problem: { code: 'unavailable', retryAfterSeconds: 3 } });
  expect(JSON.stringify(refused)).toContain('Of your Workspace too many addresses');
  expect(reporter.of('pool-saturated')).toMatchObject([{ facts: { pool: 'inspections', limit: 'workspace' } }]);
});
