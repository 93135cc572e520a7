import { constants, setPriority } from 'node:os';
import { openHosts, type AnsweringHosts, type HostsOrder, type HostsReady } from './answering-hosts.ts';

// The hosts of an attack, in a process of their own that ends with the one that started it.
setPriority(constants.priority.PRIORITY_LOW);

let hosts: AnsweringHosts | null = null;
process.on('message', (order: HostsOrder) => {
  if (order.kind === 'harm') return hosts?.setHarmful(order.isHarmful);
  void openHosts(order).then((opened) => {
    hosts = opened;
    process.send!({ port: opened.port } satisfies HostsReady);
  });
});
process.once('disconnect', () => process.exit());
