/**
 * Values that this chart does not have, and what to write instead: those of former versions, and those that people
 * bring from other charts. Rendering ends with these words.
 */
export const REMOVED_VALUES: Readonly<Record<string, string>> = {
  replicaCount: 'set roles.ingress.replicas, or that of another role; mode=single is always one process',
  replicas: 'set roles.ingress.replicas, or that of another role; mode=single is always one process',
  env: 'write settings by their names in settings, and other variables in defaults.extraEnv or single.extraEnv',
  extraEnv: 'write other variables in defaults.extraEnv or single.extraEnv',
  config: 'write settings by their names in settings',
  resources: 'set defaults.resources, single.resources, or those of a role',
  autoscaling: 'set roles.ingress.autoscaling, or that of another role',
  existingSecret: 'set secrets.existingSecret; each other credential has an existingSecret of its own',
  persistence: 'set single.persistence',
  serviceMonitor: 'set monitoring.podMonitor: most roles have no Service',
  metrics: 'set monitoring.podMonitor: every pod serves /metrics at port 8081',
  cassandraCluster: 'this chart brings no database: see examples/k8ssandra, and set cassandra.contactPoints',
  s3: 'set objectStore',
  smtp: 'set mail',
};
