import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import type { Metrics } from '#adapters/prometheus/metrics.ts';
import { createAnswerHints } from '#adapters/trpc/answers.ts';
import { createDownload } from '#adapters/undici/download.ts';
import { createHttpClient } from '#adapters/undici/http-client.ts';
import { createCommandRequests } from '#commands/request-command.ts';
import type { Config } from '#config/config.ts';
import { ownAddressesOf } from '#config/own-addresses.ts';
import type { Networks } from '#networks/registry.ts';
import type { RenditionSource } from '#ports/rendition-source.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { ListeningService } from '#runtime/listening.ts';
import { Supervisor } from '#runtime/supervisor.ts';
import type { AdminCaller } from '#services/admin/router.ts';
import type { SandboxService } from '#services/sandbox/service.ts';
import type { Engine } from '../engines/engine.ts';
import { createAdminRole } from './admin.ts';
import { createEgress } from './egress.ts';
import { createEngineGate } from './engine-gate.ts';
import { watchGauges } from './gauges.ts';
import { createProcessHousekeeping } from './housekeeping.ts';
import { createIngressRole } from './ingress.ts';
import { processMediaOf } from './media.ts';
import { networksOf } from './networks.ts';
import { createOpsRole } from './ops.ts';
import { createOutboundClients } from './outbound-clients.ts';
import type { Ports } from './ports.ts';
import type { ProcessCore } from './process-core.ts';
import { createProcessRoles } from './process-roles.ts';
import { createRoleFactory } from './roles.ts';
import { createSandboxRole } from './sandbox.ts';

export interface CrierProcess {
  readonly supervisor: Supervisor;
  /** Null where the role is off. */
  readonly ingress: ListeningService | null;
  readonly sandbox: SandboxService | null;
  readonly ops: ListeningService;
  /** The procedures of admin, in process. Null where the role is off. */
  readonly admin: AdminCaller | null;
}

/** What tests put in the place of what a process has by itself. */
export interface Substitutes {
  readonly renditions?: RenditionSource;
  readonly limits?: Networks['limits'];
}

export interface ProcessOptions {
  /** Every port given: 0 is replaced by a free port before, so that addresses are known before anything listens. */
  readonly config: Config;
  readonly engine: Engine;
  readonly reporter: Reporter;
  readonly metrics: Metrics;
  readonly version: string;
  readonly substitutes?: Substitutes;
}

/**
 * Composes the roles of one process over its engine: addresses, clients, requests, roles, listeners, supervisor, each
 * from what stands above it. Nothing runs before the supervisor is started.
 */
export async function createCrierProcess({
  config,
  engine,
  reporter,
  metrics,
  version,
  substitutes = {},
}: ProcessOptions): Promise<CrierProcess> {
  const addresses = ownAddressesOf(config);
  const supervisor = new Supervisor({ clock: engine.clock, reporter });

  const download = createDownload();
  const sandbox = createSandboxRole(config, engine, { download, reporter, addresses });
  const http = createHttpClient();
  const publicHttp = createEgress(config, { own: sandbox.overrides, version, publicUrl: addresses.publicUrl });
  const secretBox = createSecretBox({ secret: engine.secrets.secret, previousSecrets: config.previousSecrets });
  const ports: Ports = { ...engine, reporter, http, publicHttp, secretBox };

  const networks = withLimits(networksOf(config, addresses.sandboxUrl), substitutes);
  const media = processMediaOf(config, engine, addresses);
  const requests = createCommandRequests(ports);
  const hints = createAnswerHints({
    ownUrl: addresses.internalUrl,
    adminToken: engine.secrets.adminToken,
    hear: requests.receiveAnswer,
    clock: engine.clock,
    reporter,
  });
  const factory = createRoleFactory({
    ports,
    requests,
    answer: hints.answer,
    settings: config,
    networks,
    media,
    renditions: substitutes.renditions,
  });
  const roles = createProcessRoles(config.roles, factory);
  const signIns = factory.signIns(addresses);
  const ingress = await createIngressRole(config, engine, {
    ...factory.ingressPorts,
    ...media.ingressPorts,
    signIns,
    addresses,
  });
  const core: ProcessCore = { config, engine, ports, addresses, requests, supervisor };
  const { uploads, connections } = factory;
  const admin = createAdminRole(core, { version, networks, signIns, connections, uploads, roles });
  const ops = createOpsRole(core, { metrics, router: admin?.router ?? null });
  watchGauges(metrics, { requests, roles });

  supervisor.add(
    [
      ops,
      createEngineGate(engine),
      createProcessHousekeeping(config, ports, { chores: engine.chores, uploads }),
      sandbox.service,
      createOutboundClients([http, download, publicHttp, media.tools], hints),
      ...roles.consumers,
      roles.scheduler,
      admin?.deadLetters ?? null,
      ingress,
    ].filter((service) => service !== null),
  );
  return { supervisor, ingress, sandbox: sandbox.service, ops, admin: admin?.caller ?? null };
}

function withLimits(networks: Networks, { limits }: Substitutes): Networks {
  return limits === undefined ? networks : { ...networks, limits };
}
