import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { GATEWAY, podAddress, POD_RANGE, SERVICE_RANGE } from './addresses.ts';

const run = promisify(execFile);
const BRIDGE = 'crier-pods';
const NAMED = '/run/netns';

/** A network of one pod: its processes see this address and a loopback of their own, and nothing of the machine. */
export interface PodNetwork {
  readonly name: string;
  readonly address: string;
  detach(): Promise<void>;
}

let pods = 0;

/**
 * Needs a network namespace of our own, as `unshare --net` makes it. Makes the bridge that pods hang on, in place of
 * that of a cluster before this one; addresses of Services are answered here, where proxies listen at them.
 */
export async function makeBridge(): Promise<void> {
  for (const name of existsSync(NAMED) ? readdirSync(NAMED) : []) await ip(`netns delete ${name}`);
  await ip(`link delete ${BRIDGE}`).catch(() => undefined);
  await ip(
    'link set lo up',
    `link add ${BRIDGE} type bridge`,
    `addr add ${GATEWAY}/${POD_RANGE.split('/')[1]} dev ${BRIDGE}`,
    `link set ${BRIDGE} up`,
    `route replace local ${SERVICE_RANGE} dev lo`,
  );
}

export async function attachPod(): Promise<PodNetwork> {
  const number = ++pods;
  const name = `pod-${number}`;
  const address = podAddress(number);
  await ip(
    `netns add ${name}`,
    `link add veth${number} type veth peer name eth0 netns ${name}`,
    `link set veth${number} master ${BRIDGE}`,
    `link set veth${number} up`,
  );
  await ip.in(
    name,
    'link set lo up',
    `addr add ${address}/${POD_RANGE.split('/')[1]} dev eth0`,
    'link set eth0 up',
    `route add default via ${GATEWAY}`,
  );
  return { name, address, detach: () => ip(`netns delete ${name}`) };
}

async function ip(...commands: readonly string[]): Promise<void> {
  for (const command of commands) await run('ip', command.split(' '));
}

ip.in = async (name: string, ...commands: readonly string[]): Promise<void> => {
  for (const command of commands) await run('ip', ['-netns', name, ...command.split(' ')]);
};
