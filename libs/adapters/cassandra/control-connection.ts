import type { Client } from 'cassandra-driver';

/** What the driver keeps to itself, as of 4.10.0. */
interface ControlConnection {
  _refresh(plan?: unknown): Promise<void>;
}

/**
 * Lets the driver's control connection look for a new host once at a time, and lets a failure to do so end there. The
 * driver begins a second search when the host of the first goes down meanwhile; the slower of the two then finds no
 * host, and its TypeError, which nothing of the driver catches, would end the process. Here the second search begins
 * when the first is over.
 */
export function searchOnceAtATime(client: Client): void {
  const { controlConnection: control } = client as Client & { readonly controlConnection: ControlConnection };
  const refresh = control._refresh.bind(control);
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const search = (): Promise<void> => {
    next = null;
    running = refresh()
      .catch(() => undefined)
      .finally(() => {
        running = null;
      });
    return running;
  };
  control._refresh = (plan) => {
    // A search goes on with its next host.
    if (plan !== undefined) return refresh(plan);
    return running === null ? search() : (next ??= running.then(search));
  };
}
