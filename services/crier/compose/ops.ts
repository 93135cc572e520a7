import type { Metrics } from '#adapters/prometheus/metrics.ts';
import { createAnswersRouter } from '#adapters/trpc/answers-router.ts';
import { answerRegistryRequest } from '#codec/registry/http-answers.ts';
import { readSchemaHistory } from '#codec/schema-history.ts';
import type { CommandRequests } from '#commands/request-command.ts';
import type { Config } from '#config/config.ts';
import type { OwnAddresses } from '#config/own-addresses.ts';
import type { Reporter } from '#ports/reporter.ts';
import { createHealth } from '#runtime/health.ts';
import type { ListeningService } from '#runtime/listening.ts';
import type { Supervisor } from '#runtime/supervisor.ts';
import type { AdminRouter } from '#services/admin/router.ts';
import { createOpsServer } from '#services/ops/server.ts';
import type { Engine } from '../engines/engine.ts';

export interface OpsRoleOptions {
  readonly config: Config;
  readonly engine: Engine;
  readonly reporter: Reporter;
  readonly metrics: Metrics;
  readonly addresses: Pick<OwnAddresses, 'internalUrl'>;
  readonly requests: Pick<CommandRequests, 'receiveAnswer'>;
  readonly supervisor: Pick<Supervisor, 'running' | 'health'>;
  /** The procedures of admin; null where that role is off. */
  readonly router: AdminRouter | null;
}

/** Every process has it, whatever its roles. The built-in schema registry is served by processes that have admin. */
export function createOpsRole({
  config,
  engine,
  reporter,
  metrics,
  addresses,
  requests,
  supervisor,
  router,
}: OpsRoleOptions): ListeningService {
  const servesRegistry = router !== null && config.schemaRegistryUrl === null;
  return createOpsServer({
    host: config.adminHost,
    port: config.adminPort,
    url: addresses.internalUrl,
    adminToken: engine.secrets.adminToken,
    health: createHealth({
      running: () => supervisor.running,
      services: () => supervisor.health(),
      store: engine.store,
      log: engine.log,
      clock: engine.clock,
    }),
    metrics,
    answers: createAnswersRouter(requests.receiveAnswer),
    router,
    registry: servesRegistry ? (request) => answerRegistryRequest(readSchemaHistory(), request) : null,
    reporter,
  });
}
