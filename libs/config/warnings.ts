import { serviceLinksIn, type Config, type Environment } from './config.ts';
import { tracingWarnings } from './tracing.ts';
import { internalUrlOf, isLoopback } from './own-addresses.ts';

/**
 * Settings that are allowed and hardly ever meant: one line each, which names the setting and the fix. They are logged
 * at every start and shown by `crier doctor`. They are not refused, because each can be right: a proxy on this machine
 * may lead to a loopback listener, and a network may be private.
 */
export function configWarnings(config: Config, env: Environment = {}): readonly string[] {
  const cluster =
    config.engine === 'cluster' ? [unreachable(config), plainToKafka(config), plainToCassandra(config)] : [];
  return [noMail(config), serviceLinks(env), ...tracingWarnings(env), ...cluster].filter((line) => line !== null);
}

/** Why nobody can sign in; null: mail can be sent, or this process sends none. */
export function noMail({ networks, smtpUrl, roles }: Config): string | null {
  if (networks === 'sandbox' || smtpUrl !== null || !roles.includes('app')) return null;
  return 'CRIER_SMTP_URL is missing, so nobody can sign in and no invitation is mailed: set it, and CRIER_MAIL_FROM';
}

function serviceLinks(env: Environment): string | null {
  const names = serviceLinksIn(env);
  if (names.length === 0) return null;
  return `${names.join(', ')}: Kubernetes made ${names.length === 1 ? 'this' : 'these'} for a Service, and Crier passes over ${names.length === 1 ? 'it' : 'them'}. Set enableServiceLinks: false in the pod's spec`;
}

function unreachable(config: Config): string | null {
  const { hostname } = new URL(internalUrlOf(config));
  if (!isLoopback(config.adminHost) || isLoopback(hostname)) return null;
  return `CRIER_INTERNAL_URL sends others to ${hostname}, and admin listens on ${config.adminHost} for this machine alone: set CRIER_ADMIN_HOST to an address that they reach, unless a proxy leads there`;
}

function plainToKafka({ kafkaSaslMechanism, kafkaTls, kafkaBrokers }: Config): string | null {
  const far =
    kafkaSaslMechanism === 'plain' && !kafkaTls
      ? kafkaBrokers.find((broker) => !isLoopback(hostOf(broker)))
      : undefined;
  return far === undefined
    ? null
    : `CRIER_KAFKA_SASL_MECHANISM=plain sends CRIER_KAFKA_PASSWORD in clear to ${far}: set CRIER_KAFKA_TLS=true, or a scram mechanism`;
}

function plainToCassandra({ cassandraUsername, cassandraTls, cassandraContactPoints }: Config): string | null {
  const far =
    cassandraUsername !== '' && !cassandraTls
      ? cassandraContactPoints.find((point) => !isLoopback(hostOf(point)))
      : undefined;
  return far === undefined ? null : `CRIER_CASSANDRA_PASSWORD is sent in clear to ${far}: set CRIER_CASSANDRA_TLS=true`;
}

/** The host of `host` or `host:port`. */
function hostOf(place: string): string {
  return place.replace(/:\d{1,5}$/, '');
}
