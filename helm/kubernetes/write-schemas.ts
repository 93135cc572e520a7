import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { DEFINITIONS, KUBERNETES_VERSIONS, SCHEMAS_FOLDER } from './versions.ts';

const to = resolve(import.meta.dirname, '../..', SCHEMAS_FOLDER);
/** Renamed when it is whole, so that an interrupted run leaves nothing that looks complete. */
const underWay = `${to}.${process.pid}`;
// Modules of some 100 MB each, of which a few files are kept: the user's own cache of modules is left alone.
const modules = mkdtempSync(join(tmpdir(), 'crier-modules-'));
try {
  for (const { version, module } of KUBERNETES_VERSIONS) copySchemas(version, folderOf(module));
  mkdirSync(join(underWay, 'definitions'), { recursive: true });
  for (const { module, files } of DEFINITIONS) {
    const folder = folderOf(module);
    for (const file of files) copyFileSync(join(folder, file), join(underWay, 'definitions', basename(file)));
  }
  rmSync(to, { recursive: true, force: true });
  renameSync(underWay, to);
} finally {
  rmSync(modules, { recursive: true, force: true });
  rmSync(underWay, { recursive: true, force: true });
}

/** The folder of a module of Go, downloaded by Go's own client. */
function folderOf(module: string): string {
  process.stdout.write(`fetching ${module}\n`);
  const variables = [`GOMODCACHE=${modules}`, 'GOFLAGS=-modcacherw'];
  const answer = execFileSync('env', [...variables, 'go', 'mod', 'download', '-json', module], {
    cwd: modules,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return (JSON.parse(answer) as { readonly Dir: string }).Dir;
}

/** From the layout of the sources (apis__apps__v1_openapi.json) to that of kubectl-validate (apis/apps/v1.json). */
function copySchemas(version: string, source: string): void {
  const folder = join(source, 'api/openapi-spec/v3');
  for (const file of readdirSync(folder)) {
    const parts = /^(api|apis)__(.+)_openapi\.json$/.exec(file);
    // Files of two parts only list the versions of a group.
    if (parts === null || (parts[1] === 'apis' && !parts[2]!.includes('__'))) continue;
    const target = join(underWay, version, parts[1]!, `${parts[2]!.replace('__', '/')}.json`);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(folder, file), target);
  }
}
