/**
 * What Kubernetes puts into every pod of a namespace that has a Service named `crier` or `crier-...`, unless the pod
 * says `enableServiceLinks: false`: CRIER_SERVICE_HOST, CRIER_PORT_8080_TCP_ADDR and their like, and CRIER_PORT with an
 * address instead of a number.
 * https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
 */
const NAMES =
  /^CRIER(?:_[A-Z0-9]+)*_(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?)$/;
const VALUE = /^(?:tcp|udp|sctp):\/\/\S+:\d+$/;

/** Whether Kubernetes gives a variable of this name to pods for a Service. `CRIER_PORT` is one, and a setting too. */
export const isNameOfServiceLink = (variable: string): boolean => NAMES.test(variable);

/** Whether this value of a setting comes from Kubernetes and was meant by nobody. */
export const isServiceLink = (variable: string, value: string): boolean =>
  isNameOfServiceLink(variable) && VALUE.test(value.trim());
