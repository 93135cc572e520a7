import { appendFileSync } from 'node:fs';
import type { Network } from '#domain/network.ts';

const TALLY = process.env['CRIER_TEST_VENDOR_REQUESTS'];

/** Writes a line with the Network's name to the file that CRIER_TEST_VENDOR_REQUESTS names; without one, nothing. */
export function countVendorRequest(network: Network): void {
  if (TALLY !== undefined) appendFileSync(TALLY, `${network}\n`);
}
