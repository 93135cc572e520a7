import type { Metrics } from '#adapters/prometheus/metrics.ts';
import { createOperatorCommands } from '#commands/operator-command.ts';
import { Canary, type CanaryOptions } from '#services/canary/canary.ts';
import type { ProcessCore } from './process-core.ts';

export interface CanaryRoleOptions extends Pick<CanaryOptions, 'brake'> {
  readonly posts: Omit<CanaryOptions['posts'], 'replyTo'>;
}

/** Null where it is off. It runs beside ingress, where the Posts of others come in too. */
export function createCanary(
  { config, ports, addresses, requests }: Pick<ProcessCore, 'config' | 'ports' | 'addresses' | 'requests'>,
  metrics: Pick<Metrics, 'watch'>,
  { brake, posts }: CanaryRoleOptions,
): Canary | null {
  if (config.canary === 'off' || !config.roles.includes('ingress')) return null;
  const replyTo = addresses.internalUrl;
  const canary = new Canary({
    ...ports,
    brake,
    posts: { ...posts, replyTo },
    sendCommand: createOperatorCommands({ ...ports, request: requests.request, replyTo, door: 'app' }),
    everySeconds: config.canaryEverySeconds,
  });
  metrics.watch('canaryLastSuccess', () =>
    canary.lastSuccess().map(({ stage, at }) => ({ labels: { stage }, value: at / 1_000 })),
  );
  metrics.watch('canaryEvery', () => config.canaryEverySeconds);
  return canary;
}
