import type { ListenerTls } from '#http-server/listener.ts';
import type { TimeSlices } from '#concurrency/time-slice.ts';
import type { Metrics } from '#adapters/prometheus/metrics.ts';
import { internalTokenOf } from '#adapters/node-crypto/internal-token.ts';
import { createAnswersRouter } from '#adapters/trpc/answers-router.ts';
import { answerRegistryRequest } from '#codec/registry/http-answers.ts';
import { readSchemaHistory } from '#codec/schema-history.ts';
import type { Config } from '#config/config.ts';
import { ADMIN_NAME, operatorTokensOf, type OperatorToken } from '#config/operators.ts';
import { createHealth, hangingReaders, type Health } from '#runtime/health.ts';
import type { ListeningService } from '#runtime/listening.ts';
import { createOpsServer, type OpsServerOptions } from '#services/ops/server.ts';
import type { AdminRole } from './admin.ts';
import type { ProcessCore } from './process-core.ts';

export interface OpsRoleOptions {
  readonly metrics: Metrics;
  /** Of the process, in whose turns a scrape is made. */
  readonly slices: TimeSlices;
  readonly tls: ListenerTls | null;
  /** Shared with the public doors of this process. */
  readonly strangers: OpsServerOptions['strangers'];
  /** Null where that role is off. */
  readonly admin: Pick<AdminRole, 'router' | 'contextOf'> | null;
}

/** Every process has it, whatever its roles. The built-in schema registry is served by processes that have admin. */
export function createOpsRole(
  { config, engine, ports, addresses, requests, supervisor }: ProcessCore,
  { metrics, slices, admin, tls, strangers }: OpsRoleOptions,
): ListeningService {
  const health = createHealth({
    running: () => supervisor.running,
    services: () => supervisor.health(),
    servesRequests: config.roles.includes('ingress') || config.roles.includes('app'),
    store: ports.store,
    log: ports.log,
    clock: ports.clock,
  });
  metrics.watch('roles', () => config.roles.map((role) => ({ labels: { role }, value: 1 })));
  metrics.watch('ready', async () => ((await health()).ready ? 1 : 0));
  // The check of a scrape is shared by its gauges.
  metrics.watch('checkFailed', async () => causesIn(await health()));
  const servesRegistry = admin !== null && config.schemaRegistryUrl === null;
  return createOpsServer({
    host: config.adminHost,
    port: config.adminPort,
    url: addresses.internalUrl,
    names: config.adminNames,
    operators: operatorsOf(config, engine.secrets.adminToken),
    strangers,
    internalTokens: [engine.secrets.secret, ...config.previousSecrets].map(internalTokenOf),
    health,
    hanging: () => hangingReaders(supervisor.health()),
    metrics: { text: () => metrics.text(slices.begin(null)), contentType: metrics.contentType },
    tls,
    answers: createAnswersRouter(requests.receiveAnswer),
    router: admin?.router ?? null,
    contextOf: (operator) => admin?.contextOf(operator) ?? {},
    registry: servesRegistry ? (request) => answerRegistryRequest(readSchemaHistory(), request) : null,
    reporter: ports.reporter,
  });
}

/** Checks that name the cause of a trouble: alerts for what it does elsewhere are silent while they name it. */
const CAUSES: readonly string[] = ['store', 'log', 'clock', 'secret'];

const causesIn = ({ checks }: Health) =>
  CAUSES.map((check) => ({
    labels: { check },
    value: checks.some(({ name, trouble }) => name === check && trouble !== null) ? 1 : 0,
  }));

/** Everybody whom admin knows. The settings were checked at the start. */
function operatorsOf({ adminTokens, previousAdminTokens }: Config, adminToken: string): readonly OperatorToken[] {
  const named = operatorTokensOf(adminTokens);
  if (typeof named === 'string') throw new Error(`CRIER_ADMIN_TOKENS ${named}`);
  const unnamed = [adminToken, ...previousAdminTokens];
  return [...unnamed.map((token) => ({ name: ADMIN_NAME, role: 'operate' as const, token })), ...named];
}
