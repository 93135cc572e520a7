import type { TableStore } from '#ports/table-store.ts';
import { decodeBody } from '../rows/body.ts';
import { writeInstallation } from './installation.ts';
import { INSTALLATION } from '../declarations/tables.ts';

const CLOCK_KEY = ['clock'] as const;

/** How far operators moved this installation's clock ahead of the machine's, milliseconds. Rejects with `PortError`. */
export async function readClockAhead(store: TableStore): Promise<number> {
  const row = await store.read(INSTALLATION, CLOCK_KEY, [], { serial: true });
  return row === null ? 0 : (decodeBody<{ readonly aheadMs: number }>(row)?.aheadMs ?? 0);
}

/** Adds to it, durably. Rejects with `PortError`. */
export async function addClockAhead(store: TableStore, milliseconds: number, token: () => string): Promise<number> {
  for (;;) {
    const row = await store.read(INSTALLATION, CLOCK_KEY, [], { serial: true });
    const aheadMs = (row === null ? 0 : (decodeBody<{ readonly aheadMs: number }>(row)?.aheadMs ?? 0)) + milliseconds;
    const over = row?.version ?? null;
    if (await writeInstallation(store, CLOCK_KEY, { over, value: { aheadMs }, token: token() })) return aheadMs;
  }
}
