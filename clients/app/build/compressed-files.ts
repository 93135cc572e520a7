import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const TEXT = /\.(js|css|html|svg|json)$/;
/** Beneath it the headers of an encoded answer cost more than they save. */
const MIN_BYTES = 512;
/** Of 11: the last steps take ten times as long for 3 %. */
const BROTLI_QUALITY = 10;

/** Writes `.br` and `.gz` beside each text file, and says in one line how much a first visit loads. */
export async function compressFiles(built: string): Promise<string> {
  const names = readdirSync(built, { recursive: true, encoding: 'utf8' }).filter((name) => TEXT.test(name));
  await Promise.all(names.map((name) => compressFile(join(built, name))));
  const first = firstFilesOf(readFileSync(join(built, 'index.html'), 'utf8'));
  return `app: ${kilobytesOf(built, first, '.js')} kB of script and ${kilobytesOf(built, first, '.css')} kB of style to begin with, compressed`;
}

async function compressFile(path: string): Promise<void> {
  const content = readFileSync(path);
  if (content.length < MIN_BYTES) return;
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  const [brotli, gzipped] = await Promise.all([
    promisify(brotliCompress)(content, { params }),
    promisify(gzip)(content),
  ]);
  writeFileSync(`${path}.br`, brotli);
  writeFileSync(`${path}.gz`, gzipped);
}

/** Names of the files that index.html asks for. */
function firstFilesOf(html: string): readonly string[] {
  return [...html.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, name]) => name!);
}

function kilobytesOf(built: string, names: readonly string[], kind: string): number {
  const bytes = names.filter((name) => name.endsWith(kind)).map((name) => sentFileOf(join(built, name)).length);
  return Math.ceil(bytes.reduce((sum, one) => sum + one, 0) / 1000);
}

/** What browsers are sent: small files are not compressed. */
function sentFileOf(path: string): Buffer {
  return readFileSync(existsSync(`${path}.br`) ? `${path}.br` : path);
}
