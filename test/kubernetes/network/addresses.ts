/** As clusters have them by default: pods, the Services, and the machine as pods see it. */
export const POD_RANGE = '10.244.0.0/16';
export const SERVICE_RANGE = '10.96.0.0/16';
export const GATEWAY = '10.244.0.1';
export const DNS_ADDRESS = '10.96.0.10';
export const CLUSTER_DOMAIN = 'cluster.local';

/** The address of the pod of this number, from 1 on. */
export function podAddress(number: number): string {
  return `10.244.${1 + Math.floor(number / 250)}.${1 + (number % 250)}`;
}
