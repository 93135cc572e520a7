import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { ClusterObject } from '../kubernetes-api.ts';
import { CLUSTER_DOMAIN, DNS_ADDRESS } from './addresses.ts';

const HEADER_BYTES = 12;
const TYPE_A = 1;
const NO_SUCH_NAME = 3;
const ANSWER = 0x8580;
/** Seconds, as CoreDNS has it for Services. */
const TTL_SECONDS = 5;

/** The names of Services, as a cluster's DNS knows them. Other names do not exist: there is no way out of here. */
export async function startClusterDns(
  services: () => Iterable<ClusterObject>,
): Promise<{ readonly [Symbol.asyncDispose]: () => Promise<void> }> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const name = nameIn(query);
    const addressOfService = [...services()].find(
      ({ metadata, spec }) =>
        name === `${metadata.name}.${metadata.namespace}.svc.${CLUSTER_DOMAIN}` && spec.clusterIP !== 'None',
    )?.spec.clusterIP as string | undefined;
    socket.send(answerTo(query, addressOfService), port, address);
  });
  socket.bind(53, DNS_ADDRESS);
  await once(socket, 'listening');
  return { [Symbol.asyncDispose]: () => new Promise((done) => socket.close(() => done())) };
}

/** What a pod's `/etc/resolv.conf` says: short names are looked for in its namespace first. */
export function resolverOf(namespace: string): string {
  const search = [`${namespace}.svc.${CLUSTER_DOMAIN}`, `svc.${CLUSTER_DOMAIN}`, CLUSTER_DOMAIN].join(' ');
  return `nameserver ${DNS_ADDRESS}\nsearch ${search}\noptions ndots:5\n`;
}

function nameIn(query: Buffer): string {
  const labels: string[] = [];
  for (let at = HEADER_BYTES; query[at] !== 0;) {
    const length = query[at]!;
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return labels.join('.').toLowerCase();
}

function answerTo(query: Buffer, address: string | undefined): Buffer {
  const endOfName = query.indexOf(0, HEADER_BYTES);
  const question = query.subarray(HEADER_BYTES, endOfName + 5);
  const isAddress = query.readUInt16BE(endOfName + 1) === TYPE_A;
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(query.readUInt16BE(0), 0);
  header.writeUInt16BE(ANSWER | (address === undefined ? NO_SUCH_NAME : 0), 2);
  header.writeUInt16BE(1, 4);
  if (address === undefined || !isAddress) return Buffer.concat([header, question]);
  header.writeUInt16BE(1, 6);
  const record = Buffer.alloc(16);
  record.writeUInt16BE(0xc000 | HEADER_BYTES, 0);
  record.writeUInt16BE(TYPE_A, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(TTL_SECONDS, 6);
  record.writeUInt16BE(4, 10);
  for (const [index, part] of address.split('.').entries()) record[12 + index] = Number(part);
  return Buffer.concat([header, question, record]);
}
