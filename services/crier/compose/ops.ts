import type { Metrics } from '#adapters/prometheus/metrics.ts';
import { createAnswersRouter } from '#adapters/trpc/answers-router.ts';
import { answerRegistryRequest } from '#codec/registry/http-answers.ts';
import { readSchemaHistory } from '#codec/schema-history.ts';
import { createHealth } from '#runtime/health.ts';
import type { ListeningService } from '#runtime/listening.ts';
import type { AdminRouter } from '#services/admin/router.ts';
import { createOpsServer } from '#services/ops/server.ts';
import type { ProcessCore } from './process-core.ts';

export interface OpsRoleOptions {
  readonly metrics: Metrics;
  /** The procedures of admin; null where that role is off. */
  readonly router: AdminRouter | null;
}

/** Every process has it, whatever its roles. The built-in schema registry is served by processes that have admin. */
export function createOpsRole(
  { config, engine, ports, addresses, requests, supervisor }: ProcessCore,
  { metrics, router }: OpsRoleOptions,
): ListeningService {
  const servesRegistry = router !== null && config.schemaRegistryUrl === null;
  return createOpsServer({
    host: config.adminHost,
    port: config.adminPort,
    url: addresses.internalUrl,
    adminToken: engine.secrets.adminToken,
    health: createHealth({
      running: () => supervisor.running,
      services: () => supervisor.health(),
      store: ports.store,
      log: ports.log,
      clock: ports.clock,
    }),
    metrics,
    answers: createAnswersRouter(requests.receiveAnswer),
    router,
    registry: servesRegistry ? (request) => answerRegistryRequest(readSchemaHistory(), request) : null,
    reporter: ports.reporter,
  });
}
