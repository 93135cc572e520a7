import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shippedPackages, type LockFile } from './shipped-packages.ts';

interface Bill {
  serialNumber: string;
  readonly metadata: { timestamp: string; readonly component: { name: string } };
}

/**
 * What `npm sbom` printed, with what differs from run to run replaced: the time is that of the commit, the serial
 * number follows from the content, and the name is the package's, for which npm takes that of the folder.
 */
export function normalizedBill(printed: string, name: string, at: Date): string {
  const bill = JSON.parse(printed) as Bill;
  bill.metadata.timestamp = at.toISOString();
  bill.metadata.component.name = name;
  bill.serialNumber = '';
  bill.serialNumber = `urn:uuid:${uuidOf(JSON.stringify(bill))}`;
  return `${JSON.stringify(bill, null, 2)}\n`;
}

/** Version 8 of RFC 9562: bits of our own choice. */
function uuidOf(content: string): string {
  const bytes = createHash('sha256').update(content).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** package.json and package-lock.json of the checkout at `root`, as if nothing were installed for development. */
export function productionFiles(root: string): Readonly<Record<string, string>> {
  const read = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8')) as object;
  const { devDependencies: _, ...described } = read('package.json') as { readonly devDependencies?: object };
  const lock = read('package-lock.json') as LockFile;
  const { devDependencies: _own, ...own } = lock.packages[''] as { readonly devDependencies?: object };
  const packages = { '': own, ...Object.fromEntries(shippedPackages(lock)) };
  return {
    'package.json': JSON.stringify(described),
    'package-lock.json': JSON.stringify({ ...lock, packages }),
  };
}
